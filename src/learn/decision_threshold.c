/* Chooses the operating point during training. The criteria and measures are in learn/operating.c,
 * the fit of log-odds in learn/calibrate_fit.c. */
#include "learn/decision_threshold.h"
#include "base/mem.h"
#include "learn/calibrate_fit.h"

#include <math.h>

film_status calibrate_similarity(const float *similarity, const struct labelled_pairs *pairs,
                                 struct calibration *line, film_error *error)
{
    return labels_none_same(pairs)
               ? calibrate_blind(similarity, pairs->count, line, error)
               : calibrate_fit(similarity, pairs->target, pairs->count, line, error);
}

film_status decision_threshold_check(const film_operating *wanted, int none_is_same,
                                     film_error *error)
{
    if (wanted->criterion == FILM_ACCURACY || !none_is_same) return FILM_OK;
    return status_set(error, FILM_BAD_INPUT,
                      "operating point %s: no pair is labelled the same; give a labelled dev file "
                      "or leave the operating point out",
                      operating_name(wanted->criterion));
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *decision_threshold_json(const film_operating *wanted, const struct operating_point *point)
{
    int has_target = wanted->criterion == FILM_PRECISION || wanted->criterion == FILM_RECALL;
    return json_pack("{s:s, s:o, s:f, s:b, s:f, s:o, s:o, s:f}", "criterion",
                     operating_name(wanted->criterion), "target",
                     number(has_target ? wanted->target : NAN), "threshold", point->threshold,
                     "reached", point->reached, "accuracy", point->accuracy, "precision",
                     number(point->precision), "recall", number(point->recall), "f1", point->f1);
}

/* The score at which LINE gives even odds under the prior. */
static double even_point(const struct calibration *line, double prior)
{
    return (log((1 - prior) / prior) - line->bias) / line->scale;
}

film_status decision_threshold_choose(const struct scored_pairs *pairs,
                                      const film_train_options *options,
                                      const struct calibration *even, double *threshold,
                                      struct training_log *log, film_error *error)
{
    film_status status = FILM_OK;
    struct operating_point point;
    double *wide = mem_array(pairs->count, sizeof *wide);
    TRY_ALLOC(wide, error);
    for (size_t i = 0; i < pairs->count; i++) wide[i] = (double)pairs->score[i];
    if (even && options->operating.criterion == FILM_ACCURACY)
        operating_at(even_point(even, options->prior), options->prior,
                     &(struct operating_rows){wide, pairs->target, NULL, pairs->count}, &point);
    else
        TRY(operating_choose(&options->operating, options->prior,
                             &(struct operating_rows){wide, pairs->target, NULL, pairs->count},
                             &point, error));
    json_t *about = decision_threshold_json(&options->operating, &point);
    json_object_set_new(about, "prior", json_real(options->prior));
    training_log_note(log, "operating", about);
    training_log_note(log, "balanced_accuracy", json_real(point.balanced_accuracy));
    *threshold = point.threshold;
done:
    mem_free(wide);
    return status;
}
