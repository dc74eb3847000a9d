/* Splits a file into two that share no question. */
#ifndef TRAIN_SPLIT_H
#define TRAIN_SPLIT_H

#include "base/status.h"
#include "film_train.h"

film_status split_file(const char *path, const char *train_path, const char *dev_path,
                       const film_split_options *options, film_split_result *result,
                       film_error *error);

#endif
