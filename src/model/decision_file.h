/* The full decision in a model file: its tensors, and how they are checked on opening. */
#ifndef MODEL_DECISION_FILE_H
#define MODEL_DECISION_FILE_H

#include "base/safetensors.h"
#include "pair/decision.h"

/* line, trees.feature/.cut/.leaf/.cover, evidence.*, memory.* */
enum { DECISION_TENSORS = 17 };

/* Arrays that exist only while a file is written. */
struct decision_arrays {
    uint8_t *questions, *apart; /* the keys of memory, ascending */
    uint32_t *cluster;          /* of the questions in that order */
};
void decision_arrays_free(struct decision_arrays *arrays);

/* Appends the tensors of a full decision to TENSORS; *COUNT grows. */
film_status decision_tensors(const struct decision *decision, struct decision_arrays *arrays,
                             struct safetensors_tensor *tensors, size_t *count, film_error *error);

/* Finds and checks the tensors. The settings must have been read: decision->full says whether there
 * are any. */
film_status decision_open(struct decision *decision, const struct safetensors *file,
                          const char *path, film_error *error);

#endif
