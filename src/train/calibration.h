/* Calibrates the scores of a trained model to probabilities and chooses its operating point. */
#ifndef TRAIN_CALIBRATION_H
#define TRAIN_CALIBRATION_H

#include "model/model.h"
#include "train/training_rows.h"

/* Fits the model's calibration and chooses its threshold on the dev rows, or on the training rows
 * when nothing was learned from labels. */
film_status calibrate_model(film_model *model, const struct training_rows *rows,
                            const film_train_options *options, struct training_log *log,
                            film_error *error);

#endif
