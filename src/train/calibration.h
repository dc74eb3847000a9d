/* From scores to probabilities, and the operating point of a trained model. */
#ifndef TRAIN_CALIBRATION_H
#define TRAIN_CALIBRATION_H

#include "model/model.h"
#include "train/training_rows.h"

/* The model's lines from scores to log-odds and its threshold, on the rows that are judged: the
 * dev rows, or where nothing was learned from labels the training rows themselves. */
film_status calibrate_model(film_model *model, const struct training_rows *rows,
                            const film_train_options *options, struct training_log *log,
                            film_error *error);

#endif
