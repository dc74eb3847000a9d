/* Chooses the operating point during training. The criteria and measures are in learn/operating.c,
 * the fit of log-odds in learn/calibrate_fit.c. */
#include "learn/decision_threshold.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "learn/binomial.h"
#include "learn/calibrate_fit.h"

#include <math.h>
#include <stdlib.h>

film_status calibrate_similarity(const float *similarity, const struct labelled_pairs *pairs,
                                 struct calibration *line, film_error *error)
{
    return labels_none_same(pairs)
               ? calibrate_blind(similarity, pairs->count, line, error)
               : calibrate_fit(similarity, pairs->target, pairs->count, line, error);
}

film_status decision_threshold_check(const film_train_options *options,
                                     const struct labelled_pairs *pairs, film_error *error)
{
    const film_operating *wanted = &options->operating;
    if (wanted->criterion != FILM_ACCURACY && labels_none_same(pairs))
        return status_set(error, FILM_BAD_INPUT,
                          "operating point %s: no pair is labelled the same; give a labelled dev "
                          "file or leave the operating point out",
                          operating_name(wanted->criterion));
    if (wanted->criterion == FILM_PRECISION && pairs->made_up)
        return status_set(error, FILM_BAD_INPUT,
                          "operating point precision: no pair is labelled different, so nothing is "
                          "known about false matches; label some pairs different, give a dev file "
                          "that has both, or choose recall");
    if (options->prior == FILM_PRIOR_AUTO && wanted->criterion != FILM_RECALL &&
        (pairs->made_up || labels_none_same(pairs)))
        return status_set(error, FILM_BAD_INPUT,
                          "all pairs are labelled %s, so they give no prior; set the prior to a "
                          "number",
                          pairs->made_up ? "the same" : "different");
    return FILM_OK;
}

json_t *decision_threshold_json(const film_operating *wanted, const struct operating_point *point,
                                double prior)
{
    int promised = operating_promises(wanted);
    return json_pack(
        "{s:s, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:f}", "criterion",
        operating_name(wanted->criterion), "target",
        jsonfile_number(promised ? wanted->target : NAN), "threshold",
        jsonfile_number(point->threshold), "reached", point->reached, "accuracy",
        jsonfile_number(point->accuracy), "precision", jsonfile_number(point->precision), "recall",
        jsonfile_number(point->recall), "f1", jsonfile_number(point->f1), "interval",
        promised ? json_pack("[f, f]", point->low, point->high) : json_null(), "pairs",
        promised ? json_integer((json_int_t)point->pairs) : json_null(), "prior", prior);
}

void decision_threshold_made_up(struct training_log *log, size_t made_up)
{
    static const char *const known[] = {"random_negatives", "recall", "random_called_same"};
    if (!log) return;
    for (size_t i = 0; !made_up && i < sizeof known / sizeof *known; i++)
        training_log_forget(log, known[i]); /* of pairs that others have replaced */
    if (!made_up) return;
    json_t *point = json_object_get(log->figures, "operating");
    double balanced = json_number_value(json_object_get(log->figures, "balanced_accuracy"));
    double recall = json_number_value(json_object_get(point, "recall"));
    training_log_count(log, "random_negatives", made_up);
    if (!point) return;
    training_log_note(log, "recall", jsonfile_number(recall));
    training_log_note(log, "random_called_same", jsonfile_number(1 - (2 * balanced - recall)));
    training_log_forget(log, "balanced_accuracy");
    training_log_forget(log, "balanced_accuracy_interval");
    jsonfile_put(point, "accuracy", json_null());
    jsonfile_put(point, "precision", json_null());
    jsonfile_put(point, "f1", json_null());
}

/* The score at which LINE gives even odds under the prior. */
static double even_point(const struct calibration *line, double prior)
{
    return (log((1 - prior) / prior) - line->bias) / line->scale;
}

static int higher_score_first(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a > b ? -1 : a < b;
}

/* The score with the highest expected F1 when pairs of a mixture with PRIOR are the same with the
 * probabilities that LINE gives them. With few positives this varies less than the F1 of their
 * labels. SORTED (count) is scratch space. */
static double expected_f1_point(const struct operating_rows *rows, const struct calibration *line,
                                double prior, double *sorted)
{
    double all = 0, passed = 0, best = -1, point = 0, shift = log(prior / (1 - prior));
    for (size_t i = 0; i < rows->count; i++) {
        sorted[i] = rows->score[i];
        all += calibrate_probability(line->scale * sorted[i] + line->bias + shift);
    }
    qsort(sorted, rows->count, sizeof *sorted, higher_score_first);
    for (size_t i = 0; i < rows->count; i++) {
        passed += calibrate_probability(line->scale * sorted[i] + line->bias + shift);
        double f1 = 2 * passed / (all + (double)(i + 1));
        if (f1 <= best || (i + 1 < rows->count && sorted[i + 1] == sorted[i])) continue;
        best = f1;
        point = i + 1 < rows->count ? 0.5 * (sorted[i] + sorted[i + 1]) : sorted[i];
    }
    return point;
}

/* The 95 % interval of balanced accuracy: exact intervals of the shares of right verdicts on both
 * labels, combined by the distances of their bounds (Zou & Donner 2008). */
static json_t *balanced_interval(const struct operating_rows *rows,
                                 const struct operating_point *point)
{
    double count[2] = {0, 0}, below = 0, above = 0;
    const double right[2] = {2 * point->balanced_accuracy - point->recall, point->recall};
    for (size_t i = 0; i < rows->count; i++) count[rows->target[i] >= 0.5f]++;
    for (int k = 0; k < 2; k++) {
        double hits = round(right[k] * count[k]);
        below += pow(right[k] - binomial_lower(hits, count[k], 0.025), 2);
        above += pow(binomial_upper(hits, count[k], 0.025) - right[k], 2);
    }
    double low = point->balanced_accuracy - 0.5 * sqrt(below);
    double high = point->balanced_accuracy + 0.5 * sqrt(above);
    return isfinite(low) && isfinite(high) ? json_pack("[f, f]", fmax(0, low), fmin(1, high))
                                           : json_null();
}

film_status decision_threshold_choose(const struct scored_pairs *pairs,
                                      const film_train_options *options,
                                      const struct calibration *even, double *threshold,
                                      struct training_log *log, film_error *error)
{
    film_status status = FILM_OK;
    struct operating_point point;
    double *wide = mem_array(2 * pairs->count, sizeof *wide), prior = options->prior;
    struct operating_rows rows = {wide, pairs->target, pairs->a, pairs->b, pairs->count};
    TRY_ALLOC(wide, error);
    for (size_t i = 0; i < pairs->count; i++) wide[i] = (double)pairs->score[i];
    double share = operating_share(&rows);
    if (prior == FILM_PRIOR_AUTO) prior = share > 0 && share < 1 ? share : 0.5;
    if (even && options->operating.criterion == FILM_ACCURACY)
        operating_at(even_point(even, prior), prior, &rows, &point);
    else if (even && pairs->expected && options->operating.criterion == FILM_F1)
        operating_at(expected_f1_point(&rows, even, prior, wide + pairs->count), prior, &rows,
                     &point);
    else
        TRY(operating_choose(&options->operating, prior, &rows, &point, error));
    training_log_note(log, "operating",
                      decision_threshold_json(&options->operating, &point, prior));
    training_log_note(log, "balanced_accuracy", jsonfile_number(point.balanced_accuracy));
    training_log_note(log, "balanced_accuracy_interval", balanced_interval(&rows, &point));
    *threshold = point.threshold;
done:
    mem_free(wide);
    return status;
}
