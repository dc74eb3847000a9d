/* Quality: the curves and histograms of an evaluation, and warnings about its figures. */
#include "base/mem.h"
#include "eval/measures.h"
#include "report/parts.h"

#include <math.h>

static double loss_of(double probability, float label)
{
    double p = fmin(fmax(probability, MEASURES_CLIP), 1 - MEASURES_CLIP);
    return label >= 0.5f ? -log(p) : -log(1 - p);
}

/* ---- ROC, precision and recall ---- */

/* Writes the ROC curve, or precision over recall, from the highest probability down. Points that
 * are closer to the previous one than a line is wide are skipped. */
static void write_curve(struct writer *to, const char *key, const struct measures *sorted, int roc)
{
    const double near = 0.004;
    double above[2] = {0, 0}, total[2] = {0, 0}, last[2] = {-1, -1}, origin[2] = {0, 0};
    for (size_t i = 0; i < sorted->count; i++) total[sorted->label[i] >= 0.5f]++;
    put_open(to, key, '[');
    if (roc) put_point(to, origin, 2);
    for (size_t i = sorted->count; i > 0;) { /* pairs with equal probabilities form one point */
        double score = sorted->score[i - 1];
        for (; i > 0 && sorted->score[i - 1] == score; i--) above[sorted->label[i - 1] >= 0.5f]++;
        double found = above[1] / total[1];
        double point[2] = {roc ? above[0] / total[0] : found,
                           roc ? found : above[1] / (above[0] + above[1])};
        if (i && fabs(point[0] - last[0]) + fabs(point[1] - last[1]) < near) continue;
        put_point(to, point, 2);
        last[0] = point[0];
        last[1] = point[1];
    }
    writer_close(to, ']');
}

/* The rates of the actual decisions. */
static void write_decided(struct writer *to, const struct eval_view *view)
{
    double count[2][2] = {{0, 0}, {0, 0}};
    for (size_t i = 0; i < view->pairs; i++) count[view->same[i]][view->label[i] >= 0.5f]++;
    put_open(to, "decided", '{');
    put_number(to, "true_rate", count[1][1] / (count[1][1] + count[0][1]));
    put_number(to, "false_rate", count[1][0] / (count[1][0] + count[0][0]));
    put_number(to, "precision", count[1][1] / (count[1][1] + count[1][0]));
    writer_close(to, '}');
}

/* ---- Calibration and histograms ---- */

static void write_calibration(struct writer *to, const struct eval_view *view)
{
    enum { BINS = MEASURES_CALIBRATION_BINS };
    double sum[BINS] = {0}, same[BINS] = {0}, count[BINS] = {0};
    for (size_t i = 0; i < view->pairs; i++) {
        int bin = (int)fmin(fmax(view->probability[i], 0) * BINS, BINS - 1);
        sum[bin] += view->probability[i];
        same[bin] += view->label[i] >= 0.5f;
        count[bin]++;
    }
    put_open(to, "calibration", '[');
    for (int bin = 0; bin < BINS; bin++)
        if (count[bin] > 0)
            put_point(to, (double[]){sum[bin] / count[bin], same[bin] / count[bin], count[bin]}, 3);
    writer_close(to, ']');
}

/* Pairs by label and bin; the last bin includes larger values. */
static void write_histogram(struct writer *to, const char *key, const struct eval_view *view,
                            double width, size_t bins, int of_loss)
{
    enum { MOST_BINS = 30 };
    double count[2][MOST_BINS] = {{0}};
    for (size_t i = 0; i < view->pairs; i++) {
        double p = view->probability[i], value = of_loss ? loss_of(p, view->label[i]) : p;
        count[view->label[i] >= 0.5f][(size_t)fmin(value / width, (double)bins - 1)]++;
    }
    put_open(to, key, '{');
    put_number(to, "width", width);
    put_numbers(to, "same", count[1], bins);
    put_numbers(to, "different", count[0], bins);
    writer_close(to, '}');
}

/* Accuracy if uncertain pairs are left to people. */
static film_status write_coverage(struct writer *to, const struct eval_view *view,
                                  film_error *error)
{
    enum { STEPS = 100 };
    film_status status = FILM_OK;
    struct measures sorted = {0};
    double *sureness = mem_array(view->pairs, sizeof *sureness), right = 0;
    TRY_ALLOC(sureness, error);
    for (size_t i = 0; i < view->pairs; i++) sureness[i] = -fabs(view->probability[i] - 0.5);
    TRY(measures_init(&sorted, 0, sureness, view->label, view->same, view->pairs, error));
    put_open(to, "coverage", '[');
    for (size_t i = 0; i < view->pairs; i++) { /* most certain first */
        right += sorted.same[i] == (sorted.label[i] >= 0.5f);
        if ((i + 1) * STEPS / view->pairs == i * STEPS / view->pairs) continue;
        double seen = (double)(i + 1);
        put_point(to, (double[]){seen / (double)view->pairs, right / seen}, 2);
    }
    writer_close(to, ']');
done:
    measures_free(&sorted);
    mem_free(sureness);
    return status;
}

/* ---- Scores ---- */

static void write_scores(struct writer *to, const struct eval_view *view)
{
    enum { MOST = 800 };
    size_t stride = (view->pairs + MOST - 1) / MOST;
    put_count(to, "every", stride);
    put_open(to, "scores", '[');
    for (size_t i = 0; i < view->pairs; i += stride) {
        put_open(to, NULL, '[');
        put_number(to, NULL, (double)view->label[i]);
        put_number(to, NULL, view->probability[i]);
        put_text(to, NULL, strtab_get(&view->corpus->sentences, view->a[i]), 120);
        put_text(to, NULL, strtab_get(&view->corpus->sentences, view->b[i]), 120);
        writer_close(to, ']');
    }
    writer_close(to, ']');
}

/* ---- Warnings ---- */

/* Returns the calibration error after moving the prior of the probabilities to SHARE. */
static double moved_error(const struct eval_view *view, double share)
{
    enum { BINS = MEASURES_CALIBRATION_BINS };
    double prior = json_value(view->answer, "prior"), gap[BINS] = {0}, sum = 0;
    double shift = log(share / (1 - share)) - log(prior / (1 - prior));
    for (size_t i = 0; i < view->pairs; i++) {
        double p = fmin(fmax(view->probability[i], 1e-12), 1 - 1e-12);
        p = 1 / (1 + exp(-(log(p / (1 - p)) + shift)));
        gap[(int)fmin(p * BINS, BINS - 1)] += p - (view->label[i] >= 0.5f);
    }
    for (int bin = 0; bin < BINS; bin++) sum += fabs(gap[bin]);
    return sum / (double)view->pairs;
}

/* Names the share of duplicates as the cause only if correcting it halves the error. */
static void warn_of_calibration(struct report *report, const struct eval_view *view)
{
    double same = 0, ece = json_value(view->answer, "ece");
    if (!(ece >= 0.05)) return;
    for (size_t i = 0; i < view->pairs; i++) same += view->label[i] >= 0.5f;
    double share = same / (double)view->pairs;
    double moved = share > 0 && share < 1 ? moved_error(view, share) : ece;
    if (moved <= 0.5 * ece)
        warn(report, "quality",
             "The probabilities are off by %.1f points on average: they assume %.3g %% duplicates, "
             "and this file has %.1f %%. With that prior they are off by %.1f points. Set the "
             "prior to the share expected in use.",
             100 * ece, 100 * json_value(view->answer, "prior"), 100 * share, 100 * moved);
    else
        warn(report, "quality",
             "The probabilities are off by %.1f points on average on this file. Rely on the "
             "decisions, not on the probabilities.",
             100 * ece);
}

static void warn_of_figures(struct report *report, const struct eval_view *view)
{
    double accuracy = json_value(view->answer, "accuracy");
    double best = json_value(view->answer, "best_accuracy");
    const json_t *interval = json_object_get(json_object_get(view->answer, "ci"), "accuracy");
    double high = json_number_value(json_array_get(interval, 1)); /* 0 without an interval */
    warn_of_calibration(report, view);
    if (best - accuracy > 0.015 && best > high) /* the best of many thresholds is always higher */
        warn(report, "quality",
             "Threshold %.2f would decide %.1f %% of this file correctly instead of %.1f %%. Train "
             "with a dev file, or choose another operating point.",
             json_value(view->answer, "best_threshold"), 100 * best, 100 * accuracy);
    if (view->pairs < 200)
        warn(report, "quality", "Only %zu pairs were evaluated. All figures are very uncertain.",
             view->pairs);
}

film_status quality_part(struct report *report, const struct eval_view *view, film_error *error)
{
    film_status status = FILM_OK;
    struct writer *to = &report->data;
    struct measures sorted = {0};
    if (view && view->corpus->skipped)
        warn(report, "data", "Bad rows skipped in %s: %llu.", file_name(report->options->eval),
             (unsigned long long)view->corpus->skipped);
    put_open(to, "quality", '{');
    if (view && has_pairs(view->corpus)) {
        warn_of_figures(report, view);
        TRY(measures_init(&sorted, 0, view->probability, view->label, view->same, view->pairs,
                          error));
        write_curve(to, "roc", &sorted, 1);
        write_curve(to, "precision_recall", &sorted, 0);
        write_decided(to, view);
        write_calibration(to, view);
        write_histogram(to, "probabilities", view, 0.05, 20, 0);
        write_histogram(to, "losses", view, 0.2, 25, 1);
        TRY(write_coverage(to, view, error));
    } else if (view && view->corpus->labels == FILM_LABELS_SCORES) {
        write_scores(to, view);
    }
    writer_close(to, '}');
done:
    measures_free(&sorted);
    return status;
}
