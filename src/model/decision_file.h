/* The full decision in a model file: which tensors it has, how they are checked when opened. */
#ifndef MODEL_DECISION_FILE_H
#define MODEL_DECISION_FILE_H

#include "model/model.h"

/* line, evidence.feature/.keys/.item, trees.feature/.cut/.leaf/.cover, memory.* */
enum { DECISION_TENSORS = 16 };

/* Adds the decision's tensors to TENSORS; returns how many. None where there is no full
 * decision. */
size_t decision_tensors(const struct decision *decision, struct safetensors_tensor *tensors);

/* Finds and checks them. The settings have been read: decision->full says whether there are any. */
film_status decision_open(struct decision *decision, const struct safetensors *file,
                          const char *path, film_error *error);

#endif
