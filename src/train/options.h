/* Training options that make no sense are refused before anything is read. */
#ifndef TRAIN_OPTIONS_H
#define TRAIN_OPTIONS_H

#include "base/status.h"
#include "film_train.h"

/* The caller's options (NULL: none) with every default in place, as all of src/train reads them:
 * there a 0 is a 0. */
film_status options_complete(film_train_options *out, const film_train_options *given,
                             film_error *error);

film_status options_check(const film_train_options *options, film_error *error);

/* Where a decomposition comes first, its rank is the most there is. METHOD may be AUTO: not
 * known yet. */
film_status options_check_dim(const film_train_options *options, film_method method,
                              film_error *error);

#endif
