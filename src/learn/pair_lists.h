/* The corpus's labels as two lists: positive pairs and negative pairs. */
#ifndef LEARN_PAIR_LISTS_H
#define LEARN_PAIR_LISTS_H

#include "learn/rank.h"
#include "learn/corpus.h"

struct pair_lists {
    struct rank_pair *positive, *negative;
    struct rank_labels labels; /* a view of them */
};

/* From categories, a few pairs are drawn for each sentence. Free after a failure too. */
film_status pair_lists_make(struct pair_lists *lists, const struct corpus *corpus, uint64_t seed,
                            film_error *error);
void pair_lists_free(struct pair_lists *lists);

#endif
