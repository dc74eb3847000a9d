/* Turns labelled rows in memory, of whole files or of one batch, into triplets. */
#ifndef LEARN_CORPUS_TRIPLETS_H
#define LEARN_CORPUS_TRIPLETS_H

#include "learn/triplets.h"
#include "learn/corpus.h"
#include "film_train.h"

struct triplet_recipe {
    const film_solver_options *solver; /* triplets per anchor of each kind */
    float range[2];                    /* lowest and highest score; only for scores */
    const float *v, *sigma; /* sentences x rank, and rank: for hard negatives; may be NULL */
    size_t rank;
    uint64_t seed;
    int threads;
    film_progress progress;
};

film_status corpus_triplets(const struct corpus *corpus, const struct triplet_recipe *recipe,
                            struct triplets *out, film_error *error);

void corpus_score_range(const struct corpus *corpus, float range[2]);

/* Returns 1 for positive and 0 for negative. The upper fifth of the score range is positive, the
 * lower half negative; scores between them return -1. */
int corpus_same(film_labels labels, float label, const float range[2]);

#endif
