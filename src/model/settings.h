/* The settings of a model as JSON: stored next to the tensors, and printed by film info. */
#ifndef MODEL_SETTINGS_H
#define MODEL_SETTINGS_H

#include "model/model.h"
#include "film.h"

film_status settings_write(const film_model *model, char **json, film_error *error);

/* Reads everything that is not a tensor: tokenizer, groups, calibration, settings. */
film_status settings_read(const char *json, const char *path, film_model *model, film_error *error);

#endif
