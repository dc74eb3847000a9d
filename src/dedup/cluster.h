/* Pairs with probabilities to clusters, by a rule that does not chain.
 *
 * Joining whatever a pair connects (single linkage) chains: a is like b, b like c, ... and a has
 * nothing to do with z. Here pairs at or above the threshold are taken by falling probability, and
 * the two clusters they touch are joined when the MEAN probability between the members of one and
 * of the other reaches the threshold too. So in every cluster the mean over all its pairs reaches
 * it: a pair is the same when its members are, on average, the same. Pairs that were never scored
 * are scored when a mean needs them, and only as long as they can change the answer.
 *
 * Labels go first: what is labelled the same is joined, what is labelled different never is. A
 * label of "same" that would join a pair labelled different is left out and counted.
 *
 * What a chain of pairs does not connect cannot be joined, so connected parts are worked on in
 * parallel, and the result does not depend on the number of threads. */
#ifndef DEDUP_CLUSTER_H
#define DEDUP_CLUSTER_H

#include "base/status.h"
#include "dedup/record_set.h"

/* Members of a cluster that a mean looks at: of a larger one, so many, spread over it. */
enum { CLUSTER_SAMPLE = 24 };

/* Scored pairs by their smaller item: row a holds the others, rising. */
struct cluster_pairs {
    uint32_t count;  /* items */
    uint64_t *start; /* count + 1 */
    uint32_t *other;
    float *probability;
};

struct cluster_pair {
    uint32_t a, b; /* a < b */
    float probability;
};

/* Takes pairs in any order, each once. */
film_status cluster_pairs_make(struct cluster_pairs *out, const struct cluster_pair *pairs,
                               size_t pair_count, uint32_t items, film_error *error);
void cluster_pairs_free(struct cluster_pairs *pairs);

/* The probability of A and B (A < B) when it was scored: 1, else 0. */
int cluster_pairs_find(const struct cluster_pairs *pairs, uint32_t a, uint32_t b,
                       float *probability);

/* Scores a pair (A < B) that was not; called by several threads, each with a number below
 * `threads`. */
struct cluster_scorer {
    film_status (*score)(void *user, int thread, uint32_t a, uint32_t b, float *probability,
                         film_error *error);
    void *user;
};

struct cluster_problem {
    const struct cluster_pairs *pairs;     /* labelled ones with 1 or 0 */
    const struct record_set_label *labels; /* between items */
    size_t label_count;
    double threshold;
    struct cluster_scorer scorer;
    int threads;
    film_progress progress;
};

struct cluster_figures {
    uint32_t connected; /* items of the largest connected part: what single linkage would make */
    uint64_t demanded;  /* pairs scored because a mean needed them */
    uint64_t contradictions; /* labels of "same" left out */
};

/* CLUSTER[i] = the smallest item of i's cluster. FIGURES may be NULL. */
film_status cluster_run(const struct cluster_problem *problem, uint32_t *cluster,
                        struct cluster_figures *figures, film_error *error);

#endif
