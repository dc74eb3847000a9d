/* Quality: the probabilities of an evaluation, and warnings about its figures. */
#include "base/mem.h"
#include "eval/measures.h"
#include "report/parts.h"

#include <math.h>

/* ---- Pairs ---- */

static double log_odds(double probability)
{
    double p = fmin(fmax(probability, MEASURES_CLIP), 1 - MEASURES_CLIP);
    return log(p / (1 - p));
}

/* Writes what all curves and histograms follow from: the pairs by rising probability, as [mean
 * probability, labelled the same, labelled different, decided rightly]. Pairs that no drawing can
 * tell apart are one entry. */
static film_status write_pairs(struct writer *to, const struct eval_view *view, film_error *error)
{
    const double near = 0.02;
    struct measures sorted = {0};
    film_status status =
        measures_init(&sorted, 0, view->probability, view->label, view->same, view->pairs, error);
    if (status != FILM_OK) return status;
    put_open(to, "pairs", '[');
    for (size_t i = 0, end; i < sorted.count; i = end) {
        double sum = 0, same = 0, right = 0, first = log_odds(sorted.score[i]);
        for (end = i; end < sorted.count && log_odds(sorted.score[end]) - first < near; end++) {
            int label = sorted.label[end] >= 0.5f;
            sum += sorted.score[end];
            same += label;
            right += sorted.same[end] == label;
        }
        double count = (double)(end - i);
        put_numbers(to, NULL, (double[]){sum / count, same, count - same, right}, 4);
    }
    writer_close(to, ']');
    measures_free(&sorted);
    return FILM_OK;
}

/* ---- Scores ---- */

static void write_scores(struct writer *to, const struct eval_view *view)
{
    enum { MOST = 800, LONGEST = 120 };
    const struct strtab *sentences = &view->corpus->sentences;
    size_t stride = (view->pairs + MOST - 1) / MOST;
    put_json(to, "every", json_integer((json_int_t)stride));
    put_open(to, "scores", '[');
    for (size_t i = 0; i < view->pairs; i += stride)
        put_json(to, NULL,
                 json_pack("[o, o, o, o]", number_json((double)view->label[i]),
                           number_json(view->probability[i]),
                           text_json(strtab_get(sentences, view->a[i]), LONGEST),
                           text_json(strtab_get(sentences, view->b[i]), LONGEST)));
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
    if (view && view->corpus->skipped)
        warn(report, "data", "Bad rows skipped in %s: %llu.", file_name(report->options->eval),
             (unsigned long long)view->corpus->skipped);
    put_open(to, "quality", '{');
    if (view && has_pairs(view->corpus)) {
        warn_of_figures(report, view);
        status = write_pairs(to, view, error);
    } else if (view && view->corpus->labels == FILM_LABELS_SCORES) {
        write_scores(to, view);
    }
    writer_close(to, '}');
    return status;
}
