/* The labels of pools as rows of a corpus. */
#ifndef TRAIN_POOL_LABELS_H
#define TRAIN_POOL_LABELS_H

#include "learn/corpus.h"

/* Adds the labelled pairs of every pool to CORPUS, which holds labelled pairs or nothing yet. A pool
 * without labels is FILM_BAD_INPUT: it was named to be learned from. */
film_status pool_labels_add(struct corpus *corpus, const char *const *pools, size_t count,
                            film_error *error);

#endif
