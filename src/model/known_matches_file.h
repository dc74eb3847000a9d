/* Known matches of records (pair/known_matches.h) in a model file. */
#ifndef MODEL_KNOWN_MATCHES_FILE_H
#define MODEL_KNOWN_MATCHES_FILE_H

#include "base/safetensors.h"
#include "pair/known_matches.h"

enum { KNOWN_MATCHES_TENSORS = 5 };

/* Appends the tensors to TENSORS and returns their number; 0 without known matches. */
size_t known_matches_tensors(const struct known_matches *matches,
                             struct safetensors_tensor *tensors);

/* Finds and checks the tensors, if the file has them. */
film_status known_matches_open(struct known_matches *matches, const struct safetensors *file,
                               const char *path, film_error *error);

#endif
