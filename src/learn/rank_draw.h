/* What goes into a batch of the ranking loss: pairs in random order, hard candidates. */
#ifndef LEARN_RANK_DRAW_H
#define LEARN_RANK_DRAW_H

#include "base/rng.h"
#include "learn/rank_batch.h"

struct rank_draw {
    size_t sentences;        /* of all processes */
    struct rank_pair *pairs; /* positive, in the order of the epoch, sides swapped at random */
    size_t pair_count;
    struct rank_pair *opposed; /* negative pairs of two clusters, drawn in turn */
    size_t opposed_count, opposed_next;
    uint32_t *cluster; /* sentences: smallest member */
    size_t *negative;  /* sentences + 1: labelled negatives of i are negative_of[negative[i]] .. */
    uint32_t *negative_of; /* those of another cluster, both directions */
    size_t clusters, contradictions, labelled_drawn;
    struct rng rng;
};

film_status rank_draw_init(struct rank_draw *draw, size_t sentences,
                           const struct rank_labels *labels, uint64_t seed, film_error *error);
void rank_draw_free(struct rank_draw *draw);

/* A new order of the pairs. */
void rank_draw_shuffle(struct rank_draw *draw);

/* The sentences of a batch: pairs FIRST .. FIRST + PAIRS, HARD candidates of each (fewer
 * where a pair has none), OPPOSED labelled negative pairs. (Filling the
 * slots of pairs without hard ones from other pairs' negatives doubled the time and gained
 * nothing.) OUT->row has room for all. */
void rank_draw_batch(struct rank_draw *draw, size_t first, size_t pairs, size_t hard,
                     size_t opposed, struct rank_rows *out);

#endif
