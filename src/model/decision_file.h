/* The full decision in a model file: its tensors, and how they are checked on opening. */
#ifndef MODEL_DECISION_FILE_H
#define MODEL_DECISION_FILE_H

#include "model/model.h"
#include "model/trait_columns.h"

/* line, evidence.feature/.keys/.item, trees.feature/.cut/.leaf/.cover, memory.* */
enum { DECISION_TENSORS = 18 };

/* Appends the tensors of the decision to TENSORS and returns their number; 0 without a full
 * decision. */
size_t decision_tensors(const struct decision *decision, struct safetensors_tensor *tensors);

/* Finds and checks the tensors. The settings must have been read: decision->full says whether there
 * are any, COLUMNS which traits they refer to. */
film_status decision_open(struct decision *decision, const struct safetensors *file,
                          const struct trait_columns *columns, const char *path, film_error *error);

#endif
