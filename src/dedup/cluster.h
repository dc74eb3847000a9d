/* Average-linkage clustering of scored pairs, under label constraints.
 *
 * Single linkage chains: a is like b, b like c, ... and a has nothing in common with z. Here pairs
 * at or above the threshold are processed by decreasing probability. Their clusters are merged if
 * the MEAN probability between the members of both also reaches the threshold. So in every cluster,
 * the mean over all pairs reaches the threshold. Pairs that were not scored before are scored when
 * a mean needs them, and only while they can change the outcome.
 *
 * Labels come first: pairs labelled "same" are merged, pairs labelled "different" never are. A
 * label "same" that would merge a pair labelled "different" is ignored and counted.
 *
 * Items in different connected components cannot be merged, so components are processed in
 * parallel, and the result does not depend on the number of threads. */
#ifndef DEDUP_CLUSTER_H
#define DEDUP_CLUSTER_H

#include "base/status.h"
#include "dedup/record_set.h"

/* A mean uses at most this number of members of a cluster, spread evenly over a larger one. */
enum { CLUSTER_SAMPLE = 24 };

/* Scored pairs by their smaller item: row a has the other items, ascending (CSR). */
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

/* Finds the probability of A and B (A < B). Returns 1 when the pair was scored, else 0. */
int cluster_pairs_find(const struct cluster_pairs *pairs, uint32_t a, uint32_t b,
                       float *probability);

/* Scores a pair (A < B) on demand. Several threads call it, each with a number below `threads`. */
struct cluster_scorer {
    film_status (*score)(void *user, int thread, uint32_t a, uint32_t b, float *probability,
                         film_error *error);
    void *user;
};

struct cluster_problem {
    const struct cluster_pairs *pairs;     /* labelled pairs have 1 or 0 */
    const struct record_set_label *labels; /* between items */
    size_t label_count;
    double threshold;
    struct cluster_scorer scorer;
    int threads;
    film_progress progress;
};

struct cluster_figures {
    /* Size of the largest connected component: the largest cluster of single linkage. */
    uint32_t connected;
    uint64_t demanded; /* pairs scored on demand */
    /* Ignored labels "same". */
    uint64_t contradictions;
};

/* CLUSTER[i] = the smallest item of the cluster of i. FIGURES may be NULL. */
film_status cluster_run(const struct cluster_problem *problem, uint32_t *cluster,
                        struct cluster_figures *figures, film_error *error);

#endif
