/* A model's settings as JSON: what is stored beside the tensors, and what film info shows. */
#ifndef MODEL_SETTINGS_H
#define MODEL_SETTINGS_H

#include "model/model.h"
#include "model/trait_columns.h"
#include "film.h"

film_status settings_write(const film_model *model, char **json, film_error *error);

/* Fills in everything that is not a tensor: tokenizer, groups, calibration, settings. COLUMNS: the
 * traits of a full decision, which its tensors are numbered by; free them also after a failure. */
film_status settings_read(const char *json, const char *path, film_model *model,
                          struct trait_columns *columns, film_error *error);

#endif
