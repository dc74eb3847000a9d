/* What a training takes from earlier models: the model that it begins from, and edits that it
 * repeats. learn/parent_fit.c weighs the first, model/edits.c applies the second. */
#include "train/earlier_models.h"
#include "model/edits.h"
#include "model/parent.h"

film_status earlier_take_parent(const film_train_options *options, film_model *model,
                                film_error *error)
{
    if (options->start) return parent_take_file(model, options->start, error);
    return options->edits ? parent_take_from(model, options->edits, error) : FILM_OK;
}

film_status earlier_check_parent(const film_model *model, const struct training_plan *plan,
                                 film_error *error)
{
    if (model->parent && !plan->full && !plan->prior)
        return status_set(error, FILM_USAGE,
                          "a start model needs a full decision or training without labels; choose "
                          "another method or decision, or leave it out");
    return parent_check_fields(model, error);
}

film_status earlier_take_edits(film_model *model, const film_model *edited,
                               struct training_log *log, film_error *error)
{
    size_t taken = 0, skipped = 0;
    film_status status =
        edited ? model_take_edits(model, edited, &taken, &skipped, error) : FILM_OK;
    if (edited && status == FILM_OK) {
        training_log_count(log, "edits_taken", taken);
        training_log_count(log, "edits_skipped", skipped);
    }
    return status;
}
