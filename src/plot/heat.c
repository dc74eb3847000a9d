/* Draws grids of coloured cells: heat maps and confusion matrices. */
#include "plot/plot.h"
#include "plot/scale.h"

#include <math.h>

struct heat_frame {
    double width, height, left, right, top, bottom;
    struct scale x, y;
};

/* Named cells have equal sizes; other sizes follow from the edges. */
static struct heat_frame make_frame(const struct plot_heat *heat)
{
    struct heat_frame f = {.width = heat->small ? 340 : 480, .height = heat->small ? 230 : 300};
    f.left = heat->y_names ? 96 : 52;
    f.right = f.width - 14;
    f.top = 10;
    f.bottom = f.height - 44;
    struct scale_range x = {heat->x_names ? 0 : heat->x_edge[0],
                            heat->x_names ? (double)heat->columns : heat->x_edge[heat->columns], 0};
    struct scale_range y = {heat->y_names ? 0 : heat->y_edge[0],
                            heat->y_names ? (double)heat->rows : heat->y_edge[heat->rows], 0};
    f.x = scale_make(&x, f.left, f.right, 6, 0);
    /* Names go from the top down, numbers from the bottom up. */
    f.y = heat->y_names ? scale_make(&y, f.top, f.bottom, 4, 0)
                        : scale_make(&y, f.bottom, f.top, 4, 0);
    return f;
}

static double edge(const double *edges, int named, size_t i)
{
    return named ? (double)i : edges[i];
}

static void draw_cell(struct markup *out, const struct plot_heat *heat, const struct heat_frame *f,
                      size_t row, size_t column, double most)
{
    double value = heat->value[row * heat->columns + column];
    if (!isfinite(value)) return;
    double x0 = scale_place(&f->x, edge(heat->x_edge, heat->x_names != NULL, column));
    double x1 = scale_place(&f->x, edge(heat->x_edge, heat->x_names != NULL, column + 1));
    double y0 = scale_place(&f->y, edge(heat->y_edge, heat->y_names != NULL, row));
    double y1 = scale_place(&f->y, edge(heat->y_edge, heat->y_names != NULL, row + 1));
    double strength = most > 0 ? fabs(value) / most : 0;
    markup_print(out,
                 "<rect class=\"f%d\" fill-opacity=\"%.3f\" shape-rendering=\"crispEdges\" "
                 "x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                 "height=\"%.1f\"><title>",
                 (heat->x_names ? row != column : value < 0) ? 2 : 1,
                 heat->x_names ? 0.08 + 0.55 * strength : 0.9 * strength, x0, fmin(y0, y1),
                 fmax(x1 - x0 - (heat->x_names ? 3 : 0), 0.5),
                 fmax(fabs(y1 - y0) - (heat->y_names ? 3 : 0), 0.5));
    if (!heat->x_names)
        markup_print(out, "%.4g to %.4g, %.4g to %.4g: %+.3f</title></rect>", heat->x_edge[column],
                     heat->x_edge[column + 1], heat->y_edge[row], heat->y_edge[row + 1], value);
    if (!heat->x_names) return;
    char number[40];
    scale_count(value, number, sizeof number);
    markup_print(out, "%s</title></rect><text class=\"mid cell\" x=\"%.1f\" y=\"%.1f\">%s</text>",
                 number, (x0 + x1) / 2, (y0 + y1) / 2 + 8, number);
}

static void draw_labels(struct markup *out, const struct plot_heat *heat,
                        const struct heat_frame *f)
{
    char label[40];
    for (size_t i = 0; !heat->x_names && i < f->x.ticks; i++) {
        scale_label(&f->x, f->x.tick[i], 0, label, sizeof label);
        markup_print(out, "<text class=\"mid\" x=\"%.1f\" y=\"%.1f\">%s</text>",
                     scale_place(&f->x, f->x.tick[i]), f->bottom + 15, label);
    }
    for (size_t i = 0; !heat->y_names && i < f->y.ticks; i++) {
        scale_label(&f->y, f->y.tick[i], 0, label, sizeof label);
        markup_print(out, "<text class=\"end\" x=\"%.1f\" y=\"%.1f\">%s</text>", f->left - 6,
                     scale_place(&f->y, f->y.tick[i]) + 4, label);
    }
    for (size_t i = 0; heat->x_names && i < heat->columns; i++) {
        markup_print(out, "<text class=\"mid\" x=\"%.1f\" y=\"%.1f\">",
                     scale_place(&f->x, (double)i + 0.5), f->bottom + 15);
        markup_string(out, heat->x_names[i]);
        markup_raw(out, "</text>");
    }
    for (size_t i = 0; heat->y_names && i < heat->rows; i++) {
        markup_print(out, "<text class=\"end\" x=\"%.1f\" y=\"%.1f\">", f->left - 8,
                     scale_place(&f->y, (double)i + 0.5) + 4);
        markup_string(out, heat->y_names[i]);
        markup_raw(out, "</text>");
    }
    markup_print(out, "<text class=\"mid axis\" x=\"%.1f\" y=\"%.1f\">", (f->left + f->right) / 2,
                 f->height - 6);
    markup_string(out, heat->x_title);
    markup_print(out,
                 "</text><text class=\"mid axis\" transform=\"translate(12 %.1f) rotate(-90)\">",
                 (f->top + f->bottom) / 2);
    markup_text(out, film_string(heat->y_title), heat->small ? 34 : 60);
    markup_raw(out, "</text>");
}

static void write_table(struct markup *out, const struct plot_heat *heat)
{
    markup_csv_begin(out, heat->id);
    markup_csv_text(out, film_string(heat->x_title));
    markup_csv_comma(out);
    markup_csv_text(out, film_string(heat->y_title));
    markup_csv_comma(out);
    markup_csv_text(out, film_string(heat->value_title));
    markup_csv_row(out);
    for (size_t i = 0; i < heat->rows * heat->columns; i++) {
        size_t row = i / heat->columns, column = i % heat->columns;
        if (heat->x_names)
            markup_csv_text(out, film_string(heat->x_names[column]));
        else
            markup_csv_number(out, 0.5 * (heat->x_edge[column] + heat->x_edge[column + 1]));
        markup_csv_comma(out);
        if (heat->y_names)
            markup_csv_text(out, film_string(heat->y_names[row]));
        else
            markup_csv_number(out, 0.5 * (heat->y_edge[row] + heat->y_edge[row + 1]));
        markup_csv_comma(out);
        markup_csv_number(out, heat->value[i]);
        markup_csv_row(out);
    }
    markup_csv_end(out);
}

void plot_heat_write(struct markup *out, const struct plot_heat *heat)
{
    double most = 0;
    for (size_t i = 0; i < heat->rows * heat->columns; i++)
        if (isfinite(heat->value[i])) most = fmax(most, fabs(heat->value[i]));
    if (heat->rows * heat->columns == 0) return;
    struct heat_frame frame = make_frame(heat);
    plot_figure_begin(out, heat->id, heat->title, heat->about, heat->small);
    markup_print(out, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", frame.width,
                 frame.height);
    markup_string(out, heat->title);
    markup_raw(out, "\">");
    for (size_t i = 0; i < heat->rows * heat->columns; i++)
        draw_cell(out, heat, &frame, i / heat->columns, i % heat->columns, most);
    draw_labels(out, heat, &frame);
    markup_raw(out, "</svg>");
    write_table(out, heat);
    plot_figure_end(out);
}
