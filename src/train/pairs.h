/* Adds labelled pairs and plain sentences in memory to a corpus. */
#ifndef TRAIN_PAIRS_H
#define TRAIN_PAIRS_H

#include "film_train.h"
#include "learn/corpus.h"

/* CORPUS is empty, has no labels or holds labelled pairs. */
film_status pairs_add(struct corpus *corpus, const film_pair *pairs, size_t count,
                      film_error *error);

/* Adds sentences without labels: rows of a corpus without labels, otherwise sentences only. */
film_status sentences_add(struct corpus *corpus, const film_text *sentences, size_t count,
                          film_error *error);

#endif
