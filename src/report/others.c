/* The section Other systems: shows a table of figures measured by the user, also as bar charts. */
#include "plot/scale.h"
#include "report/captions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *id, *title, *about;
    const char *unit; /* of the axis and, in brackets, of the table's column */
    int log, percent, decimals;
} figures[SYSTEMS_FIGURES] = {
    [SYSTEMS_ACCURACY] = {"others-accuracy", "Accuracy", "Higher is better.", "correct decisions",
                          0, 1, 1},
    [SYSTEMS_LOG_LOSS] = {"others-log-loss", "Log loss",
                          "Lower is better; 0.693 is random guessing.", "nats", 0, 0, 3},
    [SYSTEMS_TRAINING] = {"others-training", "Training time",
                          "Wall-clock time on a logarithmic scale.", "seconds", 1, 0, 1},
    [SYSTEMS_PROCESSOR] = {"others-processor", "CPU time",
                           "Of training, all cores, on a logarithmic scale.", "seconds", 1, 0, 1},
    [SYSTEMS_MEMORY] = {"others-memory", "Peak memory", "During training, on a logarithmic scale.",
                        "MB", 1, 0, 0},
    [SYSTEMS_SIZE] = {"others-size", "Model size", "File size on a logarithmic scale.", "MB", 1, 0,
                      1},
    [SYSTEMS_SPEED] = {"others-speed", "Speed", "Higher is better; logarithmic scale.",
                       "sentences/s", 1, 0, 0},
    [SYSTEMS_EXPLAINED] = {"others-explained", "Explained exactly",
                           "Share of a decision that is attributed to words and named traits.",
                           "share of the decision", 0, 1, 1},
};

static int is_this(const struct report *report, const struct system_figures *system)
{
    return system->model[0] && strcmp(system->model, report->model_name) == 0;
}

static int is_given(const struct systems *others, int figure)
{
    for (size_t i = 0; i < others->count; i++)
        if (isfinite(others->list[i].figure[figure])) return 1;
    return 0;
}

/* ---- The table ---- */

static void figure_text(int figure, double value, char *out, size_t room)
{
    if (!isfinite(value))
        snprintf(out, room, "-");
    else if (figures[figure].percent)
        snprintf(out, room, "%.*f %%", figures[figure].decimals, value);
    else if (value > 0 && value < (figures[figure].decimals ? 0.1 : 10))
        snprintf(out, room, "%.2g", value); /* must not look like zero */
    else if (value >= 1000 || figures[figure].decimals == 0)
        scale_count(value, out, room);
    else
        snprintf(out, room, "%.*f", figures[figure].decimals, value);
}

static void write_systems_table(struct report *report, const struct systems *others)
{
    struct markup *out = &report->body;
    int given[SYSTEMS_FIGURES], words = 0;
    char text[60];
    for (int f = 0; f < SYSTEMS_FIGURES; f++) given[f] = is_given(others, f);
    for (size_t i = 0; i < others->count; i++) words |= others->list[i].explained[0] != 0;
    markup_raw(out, "<div class=\"scroll\"><table id=\"others-table\">\n<tr><th>System</th>");
    for (int f = 0; f < SYSTEMS_FIGURES; f++) {
        if (!given[f]) continue;
        markup_print(out, "<th class=\"figure\">%s", figures[f].title);
        if (!figures[f].percent) markup_print(out, " <small>(%s)</small>", figures[f].unit);
        markup_raw(out, "</th>");
    }
    markup_raw(out, words ? "<th>Explained by</th></tr>\n" : "</tr>\n");
    for (size_t i = 0; i < others->count; i++) {
        const struct system_figures *system = &others->list[i];
        int own = is_this(report, system);
        markup_raw(out, own ? "<tr class=\"this\"><td><bdi>" : "<tr><td><bdi>");
        markup_text(out, film_string(system->name), REPORT_TEXT);
        markup_raw(out, own ? "</bdi> <small>this model</small></td>" : "</bdi></td>");
        for (int f = 0; f < SYSTEMS_FIGURES; f++) {
            if (!given[f]) continue;
            figure_text(f, system->figure[f], text, sizeof text);
            markup_print(out, "<td class=\"figure\">%s</td>", text);
        }
        if (words) {
            markup_raw(out, "<td><bdi>");
            markup_text(out, film_string(system->explained), REPORT_TEXT);
            markup_raw(out, "</bdi></td>");
        }
        markup_raw(out, "</tr>\n");
    }
    markup_raw(out, "</table></div>\n");
}

/* ---- Bars ---- */

/* Ends at powers of ten around the values, so that the shortest bar stays visible. */
static struct plot_axis log_axis(const char *title, const double *value, size_t count)
{
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(value[i] > 0)) continue;
        low = fmin(low, value[i]);
        high = fmax(high, value[i]);
    }
    struct plot_axis axis = {.title = title, .log = 1};
    if (high > 0) {
        axis.low = fmax(pow(10, ceil(log10(low)) - 1), 1e-300);
        axis.high = fmin(pow(10, floor(log10(high)) + 1), 1e300);
    }
    return axis;
}

static film_status draw_figure(struct report *report, const struct systems *others, int figure,
                               film_error *error)
{
    film_status status = FILM_OK;
    double x[2][SYSTEMS_MOST], y[2][SYSTEMS_MOST], all[SYSTEMS_MOST];
    film_text names[SYSTEMS_MOST];
    size_t count[2] = {0, 0};
    int highlighted = 0; /* this model has its own colour */
    struct captions captions[2] = {{.count = 0}, {.count = 0}};
    char text[60];
    for (size_t i = 0; i < others->count; i++) {
        const struct system_figures *system = &others->list[i];
        int own = is_this(report, system);
        size_t at = count[own]++;
        all[i] = system->figure[figure] / (figures[figure].percent ? 100 : 1);
        x[own][at] = (double)i;
        y[own][at] = all[i];
        highlighted |= own && isfinite(all[i]);
        names[i] = film_string(system->name);
        figure_text(figure, system->figure[figure], text, sizeof text);
        captions_put(&captions[own], names[i], REPORT_TEXT);
        captions_print(&captions[own], ": %s%s%s", text, figures[figure].percent ? "" : " ",
                       figures[figure].percent ? "" : figures[figure].unit);
        captions_next(&captions[own]);
    }
    struct plot_series series[2];
    for (int own = 0; own < 2; own++) {
        const film_text *labels = NULL;
        if (count[own]) TRY_ALLOC(labels = captions_list(&captions[own]), error);
        series[own] = (struct plot_series){.name = own ? "this model" : "other systems",
                                           .kind = PLOT_BARS,
                                           .colour = own || !highlighted,
                                           .x = x[own],
                                           .y = y[own],
                                           .count = count[own],
                                           .label = labels};
    }
    struct plot_axis axis = {.title = figures[figure].unit, .percent = figures[figure].percent};
    if (figure == SYSTEMS_EXPLAINED) axis.high = 1;
    if (figures[figure].log) axis = log_axis(figures[figure].unit, all, others->count);
    struct plot plot = {.id = figures[figure].id,
                        .title = figures[figure].title,
                        .about = figures[figure].about,
                        .x = {.title = "system"},
                        .y = axis,
                        .series = series,
                        .count = count[1] ? 2 : 1,
                        .names = names,
                        .name_count = others->count,
                        .small = 1};
    plot_write(&report->body, &plot);
done:
    captions_free(&captions[0]);
    captions_free(&captions[1]);
    return status;
}

/* Warns if the table's accuracy of this model differs from the measured one: then the table
 * probably refers to other data. */
static void check_accuracy(struct report *report, const struct systems *others,
                           const struct eval_view *view)
{
    if (!view || !has_pairs(view->corpus)) return;
    double here = 100 * json_value(view->answer, "accuracy");
    for (size_t i = 0; i < others->count; i++) {
        double given = others->list[i].figure[SYSTEMS_ACCURACY];
        if (is_this(report, &others->list[i]) && fabs(given - here) > 0.1)
            warn(report, "others",
                 "%s gives this model an accuracy of %.1f %%, but %.1f %% was measured here. The "
                 "table refers to other data, or to another model with this name.",
                 file_name(report->options->compare), given, here);
    }
}

film_status others_section(struct report *report, const struct eval_view *view, film_error *error)
{
    film_status status = FILM_OK;
    const struct systems *others = &report->others;
    if (!others->count) return FILM_OK;
    section_begin(report, "others", "Other systems",
                  "Quality and cost of other systems. The figures come from the given table; they "
                  "were not measured for this report.");
    check_accuracy(report, others, view);
    write_systems_table(report, others);
    plots_begin(report);
    for (int f = 0; f < SYSTEMS_FIGURES; f++)
        if (is_given(others, f)) TRY(draw_figure(report, others, f, error));
    plots_end(report);
    section_end(report);
done:
    return status;
}
