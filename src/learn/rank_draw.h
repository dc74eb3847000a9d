/* Draws the batches of the ranking loss: pairs in random order, hard candidates. */
#ifndef LEARN_RANK_DRAW_H
#define LEARN_RANK_DRAW_H

#include "base/rng.h"
#include "learn/rank_batch.h"

struct rank_draw {
    size_t sentences;
    struct rank_pair *pairs; /* positive, in the epoch's order, sides swapped at random */
    size_t pair_count;
    struct rank_pair *opposed; /* negative pairs between two clusters, drawn round-robin */
    size_t opposed_count, opposed_next;
    uint32_t *cluster; /* sentences: smallest member */
    /* sentences + 1: labelled negatives of i start at negative_of[negative[i]] */
    size_t *negative;
    uint32_t *negative_of; /* negatives of another cluster, in both directions */
    size_t clusters, contradictions, labelled_drawn;
    struct rng rng;
};

film_status rank_draw_init(struct rank_draw *draw, size_t sentences,
                           const struct rank_labels *labels, uint64_t seed, film_error *error);
void rank_draw_free(struct rank_draw *draw);

/* Shuffles the pairs for a new epoch. */
void rank_draw_shuffle(struct rank_draw *draw);

/* The sentences of a batch: pairs FIRST .. FIRST + PAIRS - 1, HARD candidates of each (fewer where
 * a pair has none), OPPOSED labelled negative pairs. (Filling missing hard candidates from other
 * pairs' negatives doubled the time and gained nothing.) OUT->row must have room for all. */
void rank_draw_batch(struct rank_draw *draw, size_t first, size_t pairs, size_t hard,
                     size_t opposed, struct rank_rows *out);

#endif
