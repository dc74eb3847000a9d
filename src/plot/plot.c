/* Draws lines, points, bars and stems as SVG with axes and titles. No script: hovering uses
 * <title>. */
#include "plot/plot.h"
#include "plot/scale.h"

#include <math.h>
#include <stdio.h>

/* ---- The figure element ---- */

void plot_figure_begin(struct markup *out, const char *id, const char *title, const char *about,
                       int small)
{
    markup_print(out, "<figure id=\"%s\"%s><figcaption><strong>", id,
                 small ? " class=\"small\"" : "");
    markup_string(out, title);
    markup_raw(out, "</strong>");
    if (about) {
        markup_raw(out, "<span class=\"about\">");
        markup_string(out, about);
        markup_raw(out, "</span>");
    }
    markup_raw(out, "</figcaption>");
}

void plot_figure_end(struct markup *out)
{
    markup_raw(out, "</figure>\n");
}

/* ---- Layout ---- */

struct frame {
    double width, height, left, right, top, bottom; /* right and bottom are positions */
    struct scale x, y;
};

static double bar_width(const struct plot_series *series)
{
    return series->width > 0 ? series->width : 0.7;
}

static struct scale_range axis_range(const struct plot_axis *axis, const struct plot *plot, int y)
{
    struct scale_range range = scale_nothing(axis->log);
    for (size_t s = 0; s < plot->count; s++) {
        const struct plot_series *series = &plot->series[s];
        int standing = series->kind == PLOT_BARS || series->kind == PLOT_STEMS;
        for (size_t i = 0; i < series->count; i++) {
            if (!isfinite(series->x[i]) || !isfinite(series->y[i])) continue;
            double value = y ? series->y[i] : series->x[i];
            double room = !y && series->kind == PLOT_BARS ? bar_width(series) / 2 : 0;
            scale_include(&range, value - room);
            scale_include(&range, value + room);
            if (y && standing) scale_include(&range, 0);
        }
    }
    if (axis->from_zero) scale_include(&range, 0);
    if (!y && plot->names && !plot->bare) { /* every name gets a position, even without a value */
        range.low = -0.5;
        range.high = (double)plot->name_count - 0.5;
    }
    if (axis->low < axis->high) {
        range.low = axis->low;
        range.high = axis->high;
    }
    return range;
}

/* Widens one of two ranges until both have the same scale in a frame of this size. */
static void same_unit(struct scale_range *x, struct scale_range *y, double width, double height)
{
    double unit = fmax((x->high - x->low) / width, (y->high - y->low) / height);
    double more_x = 0.5 * (unit * width - (x->high - x->low));
    double more_y = 0.5 * (unit * height - (y->high - y->low));
    x->low -= more_x;
    x->high += more_x;
    y->low -= more_y;
    y->high += more_y;
}

enum { LONGEST_NAME = 20 };

/* Returns the height of the slanted names, without the line for numbers. */
static double names_height(const struct plot *plot)
{
    size_t longest = 0;
    for (size_t i = 0; i < plot->name_count; i++)
        if (plot->names[i].length > longest) longest = plot->names[i].length;
    return 5.2 * (double)(longest < LONGEST_NAME ? longest : LONGEST_NAME + 1);
}

static struct frame make_frame(const struct plot *plot)
{
    struct frame frame = {.width = plot->small ? 340 : 480, .height = plot->small ? 210 : 290};
    frame.left = plot->bare ? 4 : plot->small ? 50 : 56;
    frame.right = frame.width - (plot->bare ? 4 : 14);
    frame.top = plot->bare ? 4 : plot->mark_count ? 22 : 10;
    if (plot->bare) frame.height = 400;
    double words = plot->names && !plot->bare ? names_height(plot) : 0; /* slanted, below */
    frame.height += words;
    frame.bottom = frame.height - (plot->bare ? 4 : 44) - words;
    struct scale_range x = axis_range(&plot->x, plot, 0), y = axis_range(&plot->y, plot, 1);
    if (plot->bare) same_unit(&x, &y, frame.right - frame.left, frame.bottom - frame.top);
    frame.x = scale_make(&x, frame.left, frame.right, 6, 0);
    frame.y = scale_make(&y, frame.bottom, frame.top, plot->small ? 4 : 5,
                         !plot->bare && !(plot->y.low < plot->y.high));
    if (plot->names) frame.x.ticks = 0;
    return frame;
}

/* ---- Axes ---- */

static void draw_x_axis(struct markup *out, const struct plot *plot, const struct frame *f)
{
    char label[40];
    for (size_t i = 0; i < f->x.ticks; i++) {
        double place = scale_place(&f->x, f->x.tick[i]);
        scale_label(&f->x, f->x.tick[i], plot->x.percent, label, sizeof label);
        markup_print(out,
                     "<path class=\"tick\" d=\"M%.1f %.1fv4\"/><text x=\"%.1f\" y=\"%.1f\" "
                     "class=\"mid\">%s</text>",
                     place, f->bottom, place, f->bottom + 17, label);
    }
    for (size_t i = 0; plot->names && i < plot->name_count; i++) {
        double place = scale_place(&f->x, (double)i);
        markup_print(out,
                     "<text class=\"end word\" transform=\"translate(%.1f %.1f) rotate(-55)\">",
                     place + 4, f->bottom + 12);
        markup_text(out, plot->names[i], LONGEST_NAME);
        markup_raw(out, "</text>");
    }
    markup_print(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"mid axis\">", (f->left + f->right) / 2,
                 f->height - 6);
    markup_string(out, plot->x.title);
    markup_raw(out, "</text>");
}

static void draw_y_axis(struct markup *out, const struct plot *plot, const struct frame *f)
{
    char label[40];
    for (size_t i = 0; i < f->y.ticks; i++) {
        double place = scale_place(&f->y, f->y.tick[i]);
        scale_label(&f->y, f->y.tick[i], plot->y.percent, label, sizeof label);
        markup_print(out,
                     "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/><text x=\"%.1f\" y=\"%.1f\" "
                     "class=\"end\">%s</text>",
                     f->left, place, f->right, f->left - 6, place + 4, label);
    }
    markup_print(out, "<text class=\"mid axis\" transform=\"translate(12 %.1f) rotate(-90)\">",
                 (f->top + f->bottom) / 2);
    markup_string(out, plot->y.title);
    markup_raw(out, "</text>");
}

static void draw_axes(struct markup *out, const struct plot *plot, const struct frame *f)
{
    draw_y_axis(out, plot, f);
    draw_x_axis(out, plot, f);
    double base = scale_holds(&f->y, 0) ? scale_place(&f->y, 0) : f->bottom;
    markup_print(out, "<path class=\"base\" d=\"M%.1f %.1fH%.1f\"/>", f->left,
                 plot->y.log ? f->bottom : base, f->right);
}

static void draw_marks(struct markup *out, const struct plot *plot, const struct frame *f)
{
    for (size_t i = 0; i < plot->mark_count; i++) {
        if (!scale_holds(&f->x, plot->marks[i].x)) continue;
        double place = scale_place(&f->x, plot->marks[i].x);
        int right = place > f->left + 0.75 * (f->right - f->left);
        /* The words of two close marks go on different lines. */
        double height = f->top - 10 + (i % 2 ? 11 : 0);
        markup_print(out,
                     "<path class=\"mark\" d=\"M%.1f %.1fV%.1f\"/><text x=\"%.1f\" y=\"%.1f\" "
                     "class=\"%s note\">",
                     place, height - 8, f->bottom, place + (right ? -4 : 4), height,
                     right ? "end" : "start");
        markup_string(out, plot->marks[i].text);
        markup_raw(out, "</text>");
    }
}

/* ---- Series ---- */

static int has_place(const struct frame *f, const struct plot_series *series, size_t i)
{
    return scale_holds(&f->x, series->x[i]) && scale_holds(&f->y, series->y[i]);
}

static void draw_line(struct markup *out, const struct plot_series *series, const struct frame *f)
{
    int down = 0; /* whether the pen is down */
    markup_print(out, "<path class=\"line s%d\" d=\"", series->colour);
    for (size_t i = 0; i < series->count; i++) {
        if (!has_place(f, series, i)) {
            down = 0;
            continue;
        }
        markup_print(out, "%s%.1f %.1f", down ? "L" : "M", scale_place(&f->x, series->x[i]),
                     scale_place(&f->y, series->y[i]));
        down = 1;
    }
    markup_raw(out, "\"/>");
}

static void draw_title(struct markup *out, const struct plot_series *series, size_t i)
{
    markup_raw(out, "<title>");
    if (series->label)
        markup_text(out, series->label[i], 400);
    else
        markup_print(out, "%.5g: %.5g", series->x[i], series->y[i]);
    markup_raw(out, "</title>");
}

static void draw_value(struct markup *out, const struct plot_series *series, const struct frame *f,
                       size_t i)
{
    double x = scale_place(&f->x, series->x[i]), y = scale_place(&f->y, series->y[i]);
    double base = scale_holds(&f->y, 0) && !f->y.log ? scale_place(&f->y, 0) : f->bottom;
    if (series->kind == PLOT_BARS) {
        double half = bar_width(series) / 2;
        double left = scale_place(&f->x, series->x[i] - half);
        double right = scale_place(&f->x, series->x[i] + half);
        markup_print(out,
                     "<rect class=\"f%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
                     series->colour, left, fmin(y, base), fmax(right - left - 1, 0.5),
                     fmax(fabs(base - y), 0.5));
        draw_title(out, series, i);
        markup_raw(out, "</rect>");
        return;
    }
    markup_print(out, "<g class=\"dot\">");
    if (series->kind == PLOT_STEMS)
        markup_print(out, "<path class=\"stem s%d\" d=\"M%.1f %.1fV%.1f\"/>", series->colour, x,
                     base, y);
    markup_print(out, "<circle class=\"f%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"/>", series->colour, x,
                 y,
                 series->count == 1           ? "5"
                 : series->kind == PLOT_STEMS ? "3.2"
                                              : "2.6");
    draw_title(out, series, i);
    markup_raw(out, "</g>");
}

static void draw_series(struct markup *out, const struct plot_series *series, const struct frame *f)
{
    if (series->kind == PLOT_LINE) {
        draw_line(out, series, f);
        return;
    }
    for (size_t i = 0; i < series->count; i++)
        if (has_place(f, series, i)) draw_value(out, series, f, i);
}

/* Draws names next to their points, where they do not overlap an earlier one. */
static void draw_names(struct markup *out, const struct plot *plot, const struct frame *f)
{
    enum { MOST = 120 };
    const struct plot_series *series = &plot->series[plot->count - 1];
    double box[MOST][3]; /* left, right, height */
    size_t written = 0;
    for (size_t i = 0; i < series->count && i < plot->name_count && written < MOST; i++) {
        if (!has_place(f, series, i)) continue;
        double left = scale_place(&f->x, series->x[i]) + 4,
               y = scale_place(&f->y, series->y[i]) + 3;
        double right = left + 7.0 * (double)plot->names[i].length;
        int room = right < f->right;
        for (size_t k = 0; k < written && room; k++)
            room = fabs(box[k][2] - y) > 11 || box[k][0] > right || box[k][1] < left;
        if (!room) continue;
        box[written][0] = left;
        box[written][1] = right;
        box[written++][2] = y;
        markup_print(out, "<text class=\"word\" x=\"%.1f\" y=\"%.1f\">", left, y);
        markup_text(out, plot->names[i], 24);
        markup_raw(out, "</text>");
    }
}

/* ---- Legend and table ---- */

static void write_legend(struct markup *out, const struct plot *plot)
{
    size_t named = 0;
    for (size_t s = 0; s < plot->count; s++) named += plot->series[s].name != NULL;
    if (named < 2) return;
    markup_raw(out, "<span class=\"legend\">");
    for (size_t s = 0; s < plot->count; s++) {
        if (!plot->series[s].name) continue;
        markup_print(out, "<span class=\"key\"><i class=\"k%d%s\"></i>", plot->series[s].colour,
                     plot->series[s].kind == PLOT_LINE ? "" : " fat");
        markup_string(out, plot->series[s].name);
        markup_raw(out, "</span>");
    }
    markup_raw(out, "</span>");
}

/* Writes one row per value: series, x, y and its label, if any. */
static void write_table(struct markup *out, const struct plot *plot)
{
    int labels = plot->names != NULL;
    for (size_t s = 0; s < plot->count; s++) labels |= plot->series[s].label != NULL;
    markup_csv_begin(out, plot->id);
    markup_raw(out, "series,");
    markup_csv_text(out, film_string(plot->x.title));
    markup_csv_comma(out);
    markup_csv_text(out, film_string(plot->y.title));
    if (labels) markup_raw(out, ",label");
    markup_csv_row(out);
    for (size_t s = 0; s < plot->count; s++) {
        const struct plot_series *series = &plot->series[s];
        for (size_t i = 0; series->name && i < series->count; i++) {
            if (!isfinite(series->x[i]) || !isfinite(series->y[i])) continue;
            markup_csv_text(out, film_string(series->name));
            markup_csv_comma(out);
            markup_csv_number(out, series->x[i]);
            markup_csv_comma(out);
            markup_csv_number(out, series->y[i]);
            if (labels) markup_csv_comma(out);
            if (series->label)
                markup_csv_text(out, series->label[i]);
            else if (plot->names && i < plot->name_count)
                markup_csv_text(out, plot->names[i]);
            markup_csv_row(out);
        }
    }
    markup_csv_end(out);
}

static int has_values(const struct plot *plot)
{
    for (size_t s = 0; s < plot->count; s++) {
        const struct plot_series *series = &plot->series[s];
        for (size_t i = 0; i < series->count; i++) {
            int fits = isfinite(series->x[i]) && isfinite(series->y[i]) &&
                       (!plot->x.log || series->x[i] > 0) && (!plot->y.log || series->y[i] > 0);
            if (fits && series->colour) return 1;
        }
    }
    return 0;
}

void plot_write(struct markup *out, const struct plot *plot)
{
    if (!has_values(plot)) return;
    struct frame frame = make_frame(plot);
    plot_figure_begin(out, plot->id, plot->title, plot->about, plot->small);
    write_legend(out, plot);
    markup_print(out, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", frame.width,
                 frame.height);
    markup_string(out, plot->title);
    markup_raw(out, "\">");
    if (!plot->bare) draw_axes(out, plot, &frame);
    for (size_t s = 0; s < plot->count; s++) draw_series(out, &plot->series[s], &frame);
    draw_marks(out, plot, &frame);
    if (plot->bare && plot->names) draw_names(out, plot, &frame);
    markup_raw(out, "</svg>");
    write_table(out, plot);
    plot_figure_end(out);
}
