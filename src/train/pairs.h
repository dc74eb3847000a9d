/* Adds labelled pairs in memory to a corpus. */
#ifndef TRAIN_PAIRS_H
#define TRAIN_PAIRS_H

#include "film_train.h"
#include "learn/corpus.h"

/* CORPUS is empty or holds labelled pairs. */
film_status pairs_add(struct corpus *corpus, const film_pair *pairs, size_t count,
                      film_error *error);

#endif
