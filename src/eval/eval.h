/* A model against a labelled file: film_eval of film.h. */
#ifndef EVAL_EVAL_H
#define EVAL_EVAL_H

#include "model/model.h"

film_status eval_file(const film_model *model, const char *path, const film_eval_options *options,
                      char **json, film_error *error);

#endif
