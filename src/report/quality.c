/* The section Quality: compares probabilities with labels in curves and histograms. */
#include "base/mem.h"
#include "eval/measures.h"
#include "report/captions.h"

#include <math.h>
#include <stdio.h>

static double loss_of(double probability, float label)
{
    double p = fmin(fmax(probability, MEASURES_CLIP), 1 - MEASURES_CLIP);
    return label >= 0.5f ? -log(p) : -log(1 - p);
}

/* ---- ROC, precision and recall ---- */

enum { MOST_POINTS = 600 };

struct curves {
    double fpr[MOST_POINTS], tpr[MOST_POINTS], precision[MOST_POINTS], recall[MOST_POINTS];
    size_t roc, pr;
    double false_rate, true_rate, hit_rate; /* of the decisions; the last is their precision */
};

/* Skips points that are closer to the previous one than a line is wide. */
static void add_point(double *x, double *y, size_t *count, double at_x, double at_y, int last)
{
    double far = *count ? fabs(at_x - x[*count - 1]) + fabs(at_y - y[*count - 1]) : 1;
    if ((far < 0.004 && !last) || *count == MOST_POINTS) return;
    x[*count] = at_x;
    y[(*count)++] = at_y;
}

static void trace(const struct measures *sorted, struct curves *curves)
{
    double above[2] = {0, 0}, total[2] = {0, 0};
    for (size_t i = 0; i < sorted->count; i++) total[sorted->label[i] >= 0.5f]++;
    add_point(curves->fpr, curves->tpr, &curves->roc, 0, 0, 0);
    for (size_t i = sorted->count; i > 0;) { /* pairs with equal probabilities form one point */
        double score = sorted->score[i - 1];
        for (; i > 0 && sorted->score[i - 1] == score; i--) above[sorted->label[i - 1] >= 0.5f]++;
        add_point(curves->fpr, curves->tpr, &curves->roc, above[0] / total[0], above[1] / total[1],
                  i == 0);
        add_point(curves->recall, curves->precision, &curves->pr, above[1] / total[1],
                  above[1] / (above[0] + above[1]), i == 0);
    }
}

/* Computes the rates of the actual decisions: false and true positive rate, precision. */
static void decided(const struct eval_view *view, struct curves *curves)
{
    double count[2][2] = {{0, 0}, {0, 0}};
    for (size_t i = 0; i < view->pairs; i++) count[view->same[i]][view->label[i] >= 0.5f]++;
    curves->true_rate = count[1][1] / (count[1][1] + count[0][1]);
    curves->false_rate = count[1][0] / (count[1][0] + count[0][0]);
    curves->hit_rate = count[1][1] / (count[1][1] + count[1][0]);
}

static film_status curves_make(struct curves *curves, const struct eval_view *view,
                               film_error *error)
{
    struct measures sorted = {0};
    film_status status =
        measures_init(&sorted, 0, view->probability, view->label, view->same, view->pairs, error);
    if (status != FILM_OK) return status;
    trace(&sorted, curves);
    decided(view, curves);
    measures_free(&sorted);
    return FILM_OK;
}

static const struct plot_axis share_axis = {.percent = 1, .low = 0, .high = 1};

static void draw_roc(struct report *report, const struct eval_view *view,
                     const struct curves *curves)
{
    static const double corner[] = {0, 1};
    struct plot_series series[] = {
        {.name = "random guessing", .kind = PLOT_LINE, .x = corner, .y = corner, .count = 2},
        {.name = "model",
         .kind = PLOT_LINE,
         .colour = 1,
         .x = curves->fpr,
         .y = curves->tpr,
         .count = curves->roc},
        {.name = "threshold",
         .kind = PLOT_POINTS,
         .colour = 2,
         .x = &curves->false_rate,
         .y = &curves->true_rate,
         .count = 1}};
    char about[160];
    snprintf(about, sizeof about,
             "AUC %.3f: the probability that a duplicate ranks above a non-duplicate.",
             json_value(view->answer, "auc"));
    struct plot plot = {.id = "roc",
                        .title = "ROC",
                        .about = about,
                        .x = share_axis,
                        .y = share_axis,
                        .series = series,
                        .count = 3};
    plot.x.title = "false positive rate (share of different pairs)";
    plot.y.title = "true positive rate (share of same pairs)";
    plot_write(&report->body, &plot);
}

static void draw_precision(struct report *report, const struct eval_view *view,
                           const struct curves *curves)
{
    struct plot_series series[] = {{.name = "model",
                                    .kind = PLOT_LINE,
                                    .colour = 1,
                                    .x = curves->recall,
                                    .y = curves->precision,
                                    .count = curves->pr},
                                   {.name = "threshold",
                                    .kind = PLOT_POINTS,
                                    .colour = 2,
                                    .x = &curves->true_rate,
                                    .y = &curves->hit_rate,
                                    .count = 1}};
    char about[160];
    snprintf(about, sizeof about, "With the duplicates of this file. Average precision %.3f.",
             json_value(view->answer, "average_precision"));
    struct plot plot = {.id = "precision-recall",
                        .title = "Precision and recall",
                        .about = about,
                        .x = share_axis,
                        .y = share_axis,
                        .series = series,
                        .count = 2};
    plot.x.title = "recall (share of same pairs found)";
    plot.y.title = "precision (share of correct finds)";
    plot_write(&report->body, &plot);
}

/* ---- What a threshold gives ---- */

static void write_share(struct markup *out, const json_t *point, const char *key)
{
    double value = json_value(point, key);
    if (isfinite(value))
        markup_print(out, "<td class=\"figure\">%.1f %%</td>", 100 * value);
    else
        markup_raw(out, "<td class=\"figure\">-</td>");
}

static void write_thresholds(struct report *report, const struct eval_view *view)
{
    static const char *const heads[] = {"threshold", "precision", "recall", "called the same", ""};
    struct markup *out = &report->body;
    const json_t *points = json_object_get(view->answer, "thresholds");
    size_t i;
    json_t *point;
    if (!json_array_size(points)) return;
    markup_print(out,
                 "<div class=\"beside\"><h3>By threshold</h3><p><small>If %.3g %% of the pairs are "
                 "duplicates. A pair is the same if its probability reaches the "
                 "threshold.</small></p>",
                 100 * json_value(view->answer, "prior"));
    table_begin(out, "thresholds", heads, 5);
    json_array_foreach((json_t *)(uintptr_t)points, i, point)
    {
        int used = json_is_true(json_object_get(point, "used"));
        markup_print(out, "<tr%s><td class=\"figure\">%.2f</td>", used ? " class=\"this\"" : "",
                     json_value(point, "threshold"));
        write_share(out, point, "precision");
        write_share(out, point, "recall");
        write_share(out, point, "called_same");
        markup_raw(out, used ? "<td>in use</td></tr>\n" : "<td></td></tr>\n");
    }
    table_end(out);
    markup_raw(out, "</div>\n");
}

/* ---- Calibration ---- */

static void draw_calibration(struct report *report, const struct eval_view *view)
{
    enum { BINS = MEASURES_CALIBRATION_BINS };
    double sum[BINS] = {0}, same[BINS] = {0}, count[BINS] = {0}, corner[] = {0, 1};
    double predicted[BINS], observed[BINS];
    char about[160];
    for (size_t i = 0; i < view->pairs; i++) {
        int bin = (int)fmin(fmax(view->probability[i], 0) * BINS, BINS - 1);
        sum[bin] += view->probability[i];
        same[bin] += view->label[i] >= 0.5f;
        count[bin]++;
    }
    for (int bin = 0; bin < BINS; bin++) { /* NaN draws no point for an empty bin */
        predicted[bin] = count[bin] > 0 ? sum[bin] / count[bin] : (double)NAN;
        observed[bin] = count[bin] > 0 ? same[bin] / count[bin] : (double)NAN;
    }
    struct plot_series series[] = {
        {.name = "perfect calibration", .kind = PLOT_LINE, .x = corner, .y = corner, .count = 2},
        {.kind = PLOT_LINE, .colour = 1, .x = predicted, .y = observed, .count = BINS},
        {.name = "model",
         .kind = PLOT_POINTS,
         .colour = 1,
         .x = predicted,
         .y = observed,
         .count = BINS}};
    snprintf(about, sizeof about,
             "Are 80 %% of the pairs with probability 80 %% the same? Mean error %.1f points.",
             100 * json_value(view->answer, "ece"));
    struct plot plot = {.id = "calibration",
                        .title = "Calibration",
                        .about = about,
                        .x = share_axis,
                        .y = share_axis,
                        .series = series,
                        .count = 3};
    plot.x.title = "predicted probability";
    plot.y.title = "share labelled the same";
    plot_write(&report->body, &plot);
}

/* ---- Histograms, one bar per label and bin ---- */

struct histogram {
    const char *id, *title, *about, *x;
    double width; /* of a bin; the last bin includes larger values */
    int percent, log;
};

enum { MOST_BINS = 30 };

static void draw_histogram(struct report *report, const struct eval_view *view,
                           const struct histogram *wanted, size_t bins, int of_loss)
{
    double count[2][MOST_BINS] = {{0}}, x[2][MOST_BINS];
    for (size_t i = 0; i < view->pairs; i++) {
        double value =
            of_loss ? loss_of(view->probability[i], view->label[i]) : view->probability[i];
        size_t bin = (size_t)fmin(value / wanted->width, (double)bins - 1);
        count[view->label[i] >= 0.5f][bin]++;
    }
    for (size_t i = 0; i < bins; i++) {
        x[0][i] = ((double)i + 0.73) * wanted->width;
        x[1][i] = ((double)i + 0.27) * wanted->width;
    }
    double bar = 0.46 * wanted->width;
    struct plot_series series[] = {{.name = "labelled the same",
                                    .kind = PLOT_BARS,
                                    .colour = 1,
                                    .x = x[1],
                                    .y = count[1],
                                    .count = bins,
                                    .width = bar},
                                   {.name = "labelled different",
                                    .kind = PLOT_BARS,
                                    .colour = 2,
                                    .x = x[0],
                                    .y = count[0],
                                    .count = bins,
                                    .width = bar}};
    struct plot_mark mark = {log(2), "random guessing"};
    struct plot plot = {
        .id = wanted->id,
        .title = wanted->title,
        .about = wanted->about,
        .x = {.title = wanted->x,
              .percent = wanted->percent,
              .low = 0,
              .high = wanted->width * (double)bins},
        .y = {.title = wanted->log ? "pairs (logarithmic)" : "pairs", .log = wanted->log},
        .series = series,
        .count = 2,
        .marks = &mark,
        .mark_count = of_loss ? 1 : 0};
    if (wanted->log) {
        plot.y.low = 0.7;
        plot.y.high = (double)view->pairs;
    }
    plot_write(&report->body, &plot);
}

/* ---- Coverage: accuracy if uncertain pairs are left to people ---- */

static film_status draw_coverage(struct report *report, const struct eval_view *view,
                                 film_error *error)
{
    enum { STEPS = 100 };
    film_status status = FILM_OK;
    struct measures sorted = {0};
    double *sureness = mem_array(view->pairs, sizeof *sureness), x[STEPS], y[STEPS], right = 0;
    size_t steps = 0;
    TRY_ALLOC(sureness, error);
    for (size_t i = 0; i < view->pairs; i++) sureness[i] = -fabs(view->probability[i] - 0.5);
    TRY(measures_init(&sorted, 0, sureness, view->label, view->same, view->pairs, error));
    for (size_t i = 0; i < view->pairs; i++) { /* most certain first */
        right += sorted.same[i] == (sorted.label[i] >= 0.5f);
        if ((i + 1) * STEPS / view->pairs == i * STEPS / view->pairs || steps == STEPS) continue;
        x[steps] = (double)(i + 1) / (double)view->pairs;
        y[steps++] = right / (double)(i + 1);
    }
    struct plot_series series = {
        .name = "accuracy", .kind = PLOT_LINE, .colour = 3, .x = x, .y = y, .count = steps};
    struct plot plot = {
        .id = "coverage",
        .title = "Accuracy on the most certain pairs",
        .about = "The model decides the most certain pairs; people decide the others.",
        .x = {.title = "share of pairs decided by the model", .percent = 1, .low = 0, .high = 1},
        .y = {.title = "accuracy", .percent = 1},
        .series = &series,
        .count = 1};
    plot_write(&report->body, &plot);
done:
    measures_free(&sorted);
    mem_free(sureness);
    return status;
}

/* ---- Scores ---- */

enum { MOST_SCATTER = 800 };

static film_status draw_scatter(struct report *report, const struct eval_view *view,
                                film_error *error)
{
    film_status status = FILM_OK;
    struct captions captions = {0};
    size_t stride = (view->pairs + MOST_SCATTER - 1) / MOST_SCATTER, count = 0;
    double *x = mem_array(MOST_SCATTER, sizeof *x), *y = mem_array(MOST_SCATTER, sizeof *y);
    const film_text *labels;
    char about[200];
    TRY_ALLOC(x && y, error);
    for (size_t i = 0; i < view->pairs; i += stride, count++) {
        x[count] = (double)view->label[i];
        y[count] = view->probability[i];
        captions_print(&captions, "%.3g, %.3f: ", x[count], y[count]);
        captions_put(&captions, strtab_get(&view->corpus->sentences, view->a[i]), 120);
        captions_print(&captions, " / ");
        captions_put(&captions, strtab_get(&view->corpus->sentences, view->b[i]), 120);
        captions_next(&captions);
    }
    TRY_ALLOC(labels = captions_list(&captions), error);
    struct plot_series series = {.name = "pairs",
                                 .kind = PLOT_POINTS,
                                 .colour = 1,
                                 .x = x,
                                 .y = y,
                                 .count = count,
                                 .label = labels};
    snprintf(about, sizeof about, "Pearson %.3f, Spearman %.3f%s.",
             json_value(view->answer, "pearson"), json_value(view->answer, "spearman"),
             stride > 1 ? "; a sample of the pairs" : "");
    struct plot plot = {.id = "scatter",
                        .title = "Score and probability",
                        .about = about,
                        .x = {.title = "score in the file"},
                        .y = {.title = "predicted probability", .percent = 1, .low = 0, .high = 1},
                        .series = &series,
                        .count = 1};
    plot_write(&report->body, &plot);
done:
    captions_free(&captions);
    mem_free(x);
    mem_free(y);
    return status;
}

/* Pairs: first what a user decides by, then curves for a closer look. */
static film_status draw_pair_plots(struct report *report, const struct eval_view *view,
                                   film_error *error)
{
    static const struct histogram losses = {
        "log-loss",
        "Log loss",
        "Figure 3 of the paper. Pairs on the right were decided with high certainty, but wrongly. "
        "The last bin includes larger values.",
        "log loss of the pair (nats)",
        0.2,
        0,
        1};
    static const struct histogram sureness = {
        "probabilities",
        "Distribution of probabilities",
        "A good model puts most pairs near 0 % or 100 %, on the side of their label.",
        "predicted probability",
        0.05,
        1,
        0};
    film_status status = FILM_OK;
    struct curves *curves = mem_zeroed(1, sizeof *curves);
    TRY_ALLOC(curves, error);
    TRY(curves_make(curves, view, error));
    plots_begin(report);
    write_thresholds(report, view);
    draw_precision(report, view, curves);
    draw_calibration(report, view);
    TRY(draw_coverage(report, view, error));
    plots_end(report);
    markup_raw(&report->body, "<details><summary>More curves <small>- distribution of "
                              "probabilities, log loss, ROC</small></summary>\n");
    plots_begin(report);
    draw_histogram(report, view, &sureness, 20, 0);
    draw_histogram(report, view, &losses, 25, 1);
    draw_roc(report, view, curves);
    plots_end(report);
    markup_raw(&report->body, "</details>\n");
done:
    mem_free(curves);
    return status;
}

film_status quality_section(struct report *report, const struct eval_view *view, film_error *error)
{
    film_status status = FILM_OK;
    section_begin(report, "quality", "Quality",
                  "Measured on the evaluation file, as film eval does.");
    if (!view) {
        not_shown(report, "Quality: precision, recall, calibration",
                  report->options->eval ? "The file has no labels."
                                        : "This needs a labelled evaluation file.");
    } else if (has_pairs(view->corpus)) {
        TRY(draw_pair_plots(report, view, error));
    } else if (view->corpus->labels == FILM_LABELS_SCORES) {
        plots_begin(report);
        TRY(draw_scatter(report, view, error));
        plots_end(report);
    }
    section_end(report);
done:
    return status;
}
