/* Completes training options with defaults and refuses invalid ones before anything is read. */
#ifndef TRAIN_OPTIONS_H
#define TRAIN_OPTIONS_H

#include "base/status.h"
#include "film_train.h"

/* OUT = the caller's options (NULL: none) with every default filled in. All of src/train reads
 * these: there a 0 means 0. */
film_status options_complete(film_train_options *out, const film_train_options *given,
                             film_error *error);

film_status options_check(const film_train_options *options, film_error *error);

/* After a decomposition the dimension is at most its rank. METHOD may be AUTO when it is not known
 * yet. */
film_status options_check_dim(const film_train_options *options, film_method method,
                              film_error *error);

#endif
