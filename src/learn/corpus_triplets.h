/* Labelled rows in memory, all of a file or a batch of it, to triplets. */
#ifndef LEARN_CORPUS_TRIPLETS_H
#define LEARN_CORPUS_TRIPLETS_H

#include "learn/triplets.h"
#include "learn/corpus.h"
#include "film_train.h"

struct triplet_recipe {
    const film_solver_options *solver; /* how many of each kind */
    float range[2];                    /* lowest and highest score; only for scores */
    const float *v, *sigma; /* own sentences x rank and rank: for hard negatives, or NULL */
    size_t rank;
    uint64_t seed;
    int threads;
    film_progress progress;
};

/* In a job: the triplets whose anchors are this process's sentences, with the numbers of all.
 * Together they are the triplets one process would make, but for neighbours that are equally
 * near within rounding. */
film_status corpus_triplets(const struct corpus *corpus, const struct triplet_recipe *recipe,
                            struct triplets *out, film_error *error);

void corpus_score_range(const struct corpus *corpus, float range[2]);

/* 1 same, 0 different. Scores: the upper fifth of their range is "same", the lower half
 * "different"; what lies between says neither and gives -1. */
int corpus_same(film_labels labels, float label, const float range[2]);

#endif
