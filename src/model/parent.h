/* The model that training began from: its file is a tensor of the model, so that the model answers
 * alone. The bytes are kept as they are: a distilled copy would have to be learned from pairs that
 * resemble those to come, and there are none before the first label. */
#ifndef MODEL_PARENT_H
#define MODEL_PARENT_H

#include "model/model.h"

/* Makes the model in the file PATH the parent of MODEL. FILM_BAD_INPUT for a file that cannot be
 * one: a model with a network, or with a parent of its own. */
film_status parent_take_file(film_model *model, const char *path, film_error *error);

/* Gives MODEL the parent of OTHER, if it has one. */
film_status parent_take_from(film_model *model, const film_model *other, film_error *error);

/* Refuses the parent if it compares records with other fields than MODEL, or records while MODEL
 * compares sentences. */
film_status parent_check_fields(const film_model *model, film_error *error);

/* The tensors in the model file; none where a cancelled training left a threshold only. */
enum { PARENT_TENSORS = 2 };
size_t parent_tensors(const film_model *model, struct safetensors_tensor *tensors);
film_status parent_open(film_model *model, const char *path, film_error *error);

#endif
