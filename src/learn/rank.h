/* Learns a map by ranking: among all sentences of a batch the partner must be the nearest (softmax
 * ranking loss with in-batch negatives).
 *
 *     y = sum_w exp(g_w) x_w L_w          x a TF-IDF row, L_w (d) the vector of feature w
 *     loss = mean over the batch's positive pairs (a, b) of
 *            1/2 [-log softmax over candidates c of t cos(a, c) at c = b]   c: all b and hard
 *            negatives
 *          + 1/2 [-log softmax over all a' of t cos(a', b) at a' = a]
 *          + decision * [mean over the positive pairs of -log sigma(t (cos - border))
 *                      + mean over labelled negative pairs of -log sigma(t (border - cos))]
 *
 * There is no truncation as by an SVD: rare words, which distinguish duplicates, keep their own
 * directions. L starts as a random projection, whose cosines are those of TF-IDF with some noise,
 * so training starts from a good search and improves it. The learned exp(g_w) are multiplied in at
 * the end: the result is one linear map for embed/encoder.h.
 *
 * Candidates of the same cluster as a (union-find over the positive pairs) are masked: known
 * duplicates are not each other's negatives. Hard candidates are labelled negatives of a or b. Only
 * 6 % of Quora's positive pairs have such a negative, because the sentences of most negative pairs
 * are in no positive pair. The decision term, with a learned border, uses these pairs. It raised
 * the accuracy of a cosine threshold from 74 to 78 %, for .005 of MRR (bench/rank.md).
 *
 * A step touches only the features of the batch and costs O(entries d + B M d) for B pairs and M
 * candidates. One thread sums each feature's gradient in row order, and matrix products use fixed
 * tiles: the result does not depend on the thread count, to the last bit.
 *
 * Steps are AdaGrad's with one step size per feature (row-wise): half the memory of one per
 * element, with the same accuracy (bench/rank.md).
 *
 * Memory in bytes, D features: 4 D (d + 5) for the map and its state; for a batch of R = 2 B + H +
 * 2 O rows (H hard candidates, O negative pairs of the decision term) 4 B M + 8 d R, 36 per entry
 * and 4 (d + 4) per touched feature; 8 per labelled pair, 16 per sentence. On Quora (D = 67,682, d
 * = 200, B = 1,019, R = 3,120 with 265,000 entries of 18,400 features): 55 + 35 MB. */
#ifndef LEARN_RANK_H
#define LEARN_RANK_H

#include "la/csr.h"

#include <stdint.h>

struct rank_pair {
    uint32_t a, b; /* rows of X */
};

/* The labels. Pairs of a sentence with itself are skipped. */
struct rank_labels {
    const struct rank_pair *positive, *negative;
    size_t positives, negatives;
};

/* The history of REPORT_EVERY steps. */
struct rank_progress {
    size_t step, steps; /* completed, total */
    double epoch;       /* completed, with its fraction */
    double loss;        /* mean since the preceding entry */
    double gradient;    /* mean gradient norm, likewise */
};

struct rank_options {
    size_t dim;         /* d: 200 */
    size_t batch;       /* positive pairs per batch: 1,024 */
    size_t epochs;      /* passes over the positive pairs: 2; more overfit */
    size_t hard;        /* hard candidates per pair of the batch: 1 */
    double temperature; /* t, at most 40: 14. 10: better decisions, worse search */
    double decision;    /* weight of the decision term: 0.5. More: better decisions, worse search */
    double rate;        /* initial learning rate, decays linearly to 0: 0.05 */
    double weight_rate; /* the same for g: 0.05; 0: term weights stay as they are */
    /* AdaGrad's sums of squares start at (ground / batch)^2, so that rare features move less than
     * frequent ones: 0.1 */
    double ground;
    double dropout;      /* fraction of a row's features dropped at random: 0.1; helps search */
    uint64_t seed;       /* 1 */
    int threads;         /* 0: all cores */
    size_t report_every; /* steps: 10 */
    /* A non-zero result cancels. May be NULL. */
    int (*report)(void *user, const struct rank_progress *now);
    void *user;
};

/* Sets the values above. */
void rank_defaults(struct rank_options *options);

struct rank_learned {
    size_t features, dim;
    float *map;                             /* features x dim, term weights multiplied in */
    float *gain;                            /* features: exp(g), for inspection */
    size_t pairs, clusters, contradictions; /* contradictions: negative pairs inside a cluster */
    double border;                          /* of the decision term */
    size_t labelled;                        /* hard candidates drawn */
    size_t steps;
    struct rank_progress *history;
    size_t history_count;
};

/* X has one row per sentence. FILM_USAGE when there is no positive pair or an option is invalid.
 * After a cancellation OUT holds what was learned so far; free it as usual. */
film_status rank_learn(const struct csr *x, const struct rank_labels *labels,
                       const struct rank_options *options, struct rank_learned *out,
                       film_error *error);
void rank_learned_free(struct rank_learned *learned);

#endif
