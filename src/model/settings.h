/* The settings of a model as JSON: stored next to the tensors, and printed by film info. */
#ifndef MODEL_SETTINGS_H
#define MODEL_SETTINGS_H

#include "model/model.h"
#include "model/trait_columns.h"
#include "film.h"

film_status settings_write(const film_model *model, char **json, film_error *error);

/* Reads everything that is not a tensor: tokenizer, groups, calibration, settings. COLUMNS gets the
 * traits by which the tensors of a full decision are numbered; free it also after a failure. */
film_status settings_read(const char *json, const char *path, film_model *model,
                          struct trait_columns *columns, film_error *error);

#endif
