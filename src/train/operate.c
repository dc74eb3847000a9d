/* Choosing the operating point when a model is trained. Scores are whatever the model compares a threshold
 * with. */
#include "base/mem.h"
#include "eval/answer.h"
#include "learn/operating.h"
#include "train/run.h"

#include <math.h>

film_status run_check_operating(const struct run *run, int none_is_same, film_error *error)
{
    const film_operating *wanted = &run->options->operating;
    if (wanted->criterion == FILM_ACCURACY || !none_is_same) return FILM_OK;
    return status_set(
        error, FILM_BAD_INPUT,
        "operating point %s: no pair is labelled the same to choose the threshold on; "
        "give a labelled dev file, or leave it out",
        operating_name(wanted->criterion));
}

/* Where the line says that both answers are equally likely under the prior. */
static double even_point(const struct calibration *line, double prior)
{
    return (log((1 - prior) / prior) - line->bias) / line->scale;
}

film_status run_operate(struct run *run, const float *score, const float *target, size_t count,
                        const struct calibration *even, double *threshold, film_error *error)
{
    film_status status = FILM_OK;
    const film_train_options *options = run->options;
    struct operating_point point;
    double *wide = mem_array(count, sizeof *wide);
    TRY_ALLOC(wide, error);
    for (size_t i = 0; i < count; i++) wide[i] = (double)score[i];
    if (even && options->operating.criterion == FILM_ACCURACY)
        operating_at(even_point(even, options->prior), options->prior, wide, target, NULL, count,
                     &point);
    else
        TRY(operating_choose(&options->operating, options->prior, wide, target, NULL, count, &point,
                             error));
    json_t *about = answer_operating(&options->operating, &point);
    json_object_set_new(about, "prior", json_real(options->prior));
    run_note(run, "operating", about);
    run_note(run, "balanced_accuracy", json_real(point.balanced_accuracy));
    *threshold = point.threshold;
done:
    mem_free(wide);
    return status;
}
