/* Trains a model from files: reads rows, learns a map and a decision, calibrates. */
#ifndef TRAIN_TRAIN_H
#define TRAIN_TRAIN_H

#include "model/model.h"
#include "film_train.h"

film_status train_files(const char *const *paths, size_t count, const film_train_options *options,
                        film_model **out, film_error *error);

#endif
