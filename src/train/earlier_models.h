/* What a training takes from earlier models. */
#ifndef TRAIN_EARLIER_MODELS_H
#define TRAIN_EARLIER_MODELS_H

#include "learn/training_log.h"
#include "model/model.h"
#include "train/plan.h"

/* Takes the model to begin from: the one asked for, or that of the model whose edits are repeated,
 * so that learning again goes on as it began. */
film_status earlier_take_parent(const film_train_options *options, film_model *model,
                                film_error *error);

/* Refuses a model to begin from that the plan or the fields do not allow. */
film_status earlier_check_parent(const film_model *model, const struct training_plan *plan,
                                 film_error *error);

/* Repeats the edits of EDITED; NULL: none. */
film_status earlier_take_edits(film_model *model, const film_model *edited,
                               struct training_log *log, film_error *error);

#endif
