/* Labelled pairs in memory as rows of a corpus. */
#ifndef TRAIN_PAIRS_H
#define TRAIN_PAIRS_H

#include "film_train.h"
#include "learn/corpus.h"

/* Adds PAIRS to CORPUS, which holds labelled pairs or nothing yet. */
film_status pairs_add(struct corpus *corpus, const film_pair *pairs, size_t count,
                      film_error *error);

#endif
