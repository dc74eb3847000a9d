/* Learning a map by ranking: of all sentences of a batch the partner must be the nearest.
 *
 *     y = sum_w exp(g_w) x_w L_w          x a TF-IDF row, L_w (d) the vector of feature w
 *     loss = mean over the batch's positive pairs (a, b) of
 *            1/2 [-log softmax over candidates c of t cos(a, c) at c = b]   c: all b's and hard
 *                                                                           ones
 *          + 1/2 [-log softmax over all a' of t cos(a', b) at a' = a]
 *          + decision * [mean over the positive pairs of -log sigma(t (cos - border))
 *                      + mean over labelled negative pairs of -log sigma(t (border - cos))]
 *
 * Nothing is cut off beforehand as by an SVD: rare words, which is where duplicates are found, keep
 * their own directions. L starts as a random projection, whose cosines are those of TF-IDF with
 * some noise, so training begins at a good search and improves on it. The learned exp(g_w) are
 * folded in at the end: the result is one linear map for embed/encoder.h.
 *
 * Candidates of the same cluster as a (union-find over the positive pairs) are masked out: known
 * duplicates are not each other's negatives. Hard candidates are labelled negatives of a or b. But
 * only 6 % of Quora's positive pairs have a labelled negative of their own: the sentences of most
 * negative pairs are in no positive one. The decision, with a learned border, is what makes them
 * count: it raised the accuracy of a cosine threshold from 74 to 78 %, for .005 of MRR
 * (bench/rank.md).
 *
 * Only features of the batch are touched, so a step costs O(entries d + B M d), B pairs, M
 * candidates. Every feature's gradient is summed by one thread in the order of the rows and matrix
 * products are cut into fixed tiles: the bytes of the result do not depend on the thread count.
 *
 * Steps are AdaGrad's with one step size per feature: half the memory of one per element, and as
 * good (bench/rank.md).
 *
 * Memory in bytes, D features: 4 D (d + 5) for the map and its state; for a batch of R = 2 B + H +
 * 2 O rows (H hard candidates, O opposed pairs) 4 B M + 12 d R, 36 per entry and 4 (d + 4) per
 * feature it touches; 8 per labelled pair, 16 per sentence. On Quora (D = 67,682, d = 200, B =
 * 1,019, R = 3,120 with 265,000 entries of 18,400 features): 55 + 37 MB.
 *
 * In a job of N processes each holds the X of its own sentences and d / N columns of the map with
 * their state: the update, which is most of the memory and half of the work, needs nobody else. All
 * make the same draws from the labels, which everyone has; each computes the losses of B / N pairs
 * and O / N opposed ones. A process that owns R' of the batch's rows, with E' entries, and has d'
 * columns and P = B / N + 2 O / N rows of pairs, hands to the others in a step, in which T features
 * are touched, in bytes:
 *     gathered  4 R' + 8 E' + 4 M d'                 its rows; its columns of the candidates'
 *                                                    vectors
 *     exchanged 4 (B + 2 O - P) d' + 4 P (d - d')    its columns of the other vectors, to whoever
 *                                                    has the pair; the gradient by its own back
 *     shared    4 M d                                gradient by the candidates' vectors
 *     summed    4 B + 40 + 16 T                      softmax sums by column; losses; of each
 *                                                    feature the gradient by g and the square of
 *                                                    that by L_w: sums over all columns
 *     broadcast 4, by process 0                      whether to stop
 * Once: 8 gathered and 8 summed in the beginning, 4 D d' gathered in the end, when the map is put
 * together in every process (4 D d bytes). On Quora with N = 2 a process hands out 3.5 MB in a
 * step. In the memory above, d becomes d' for the map, the features touched and a third of 12 d R,
 * and B M becomes B M / N. Checkpoints: process 0 gathers the columns (4 D d bytes more there) and
 * deals them out again.
 *
 * Sums over processes are rounded in another order than those of one. Quora's losses differ by
 * 3e-6 of them after 152 steps; a small corpus may see 1e-3, since a term weight's first step
 * has the length of the rate even where its gradient is nothing but rounding (that of a
 * sentence's only word is zero). The same N gives the same bytes. */
#ifndef LEARN_RANK_H
#define LEARN_RANK_H

#include "base/comm.h"
#include "base/checkpoint_state.h"
#include "la/csr.h"

#include <stdint.h>

struct rank_pair {
    uint32_t a, b; /* rows of X; in a job counted through, those of process 0 first */
};

/* What is known about the sentences. Pairs of a sentence with itself are passed over. */
struct rank_labels {
    const struct rank_pair *positive, *negative;
    size_t positives, negatives;
};

/* What is kept of every REPORT_EVERY steps. */
struct rank_progress {
    size_t step, steps; /* done, of all */
    double epoch;       /* done, with its fraction */
    double loss;        /* mean since the last one */
    double gradient;    /* its length, likewise */
};

struct rank_options {
    size_t dim;         /* d: 200 */
    size_t batch;       /* positive pairs of a batch: 1,024 */
    size_t epochs;      /* passes over the positive pairs: 2; more overfit */
    size_t hard;        /* hard candidates per pair of the batch: 1 */
    double temperature; /* t, at most 40: 14. 10: better decisions, worse search */
    double decision;    /* weight of the pair decision: 0.5. More: better decisions, worse search */
    double rate;        /* first step size, falling to 0 in a straight line: 0.05 */
    double weight_rate; /* the same for g: 0.05; 0: term weights stay as they are */
    double ground;  /* AdaGrad's sums of squares start at (ground / batch)^2, so that what is seen
                         * once or twice moves less than what is seen often: 0.1 */
    double dropout; /* share of a row's features left out at random: 0.1; helps search a little */
    uint64_t seed;  /* 1 */
    int threads;    /* 0: all cores */
    size_t report_every; /* steps: 10 */
    /* Writes down from time to time, and when cancelled, where learning stands, or lets it go on
     * from there, to the same bytes as without the pause. May be NULL. */
    const struct checkpointer *checkpointer;
    /* Non-zero cancels. May be NULL. */
    int (*report)(void *user, const struct rank_progress *now);
    void *user;
    const struct comm *comm; /* of the job: comm_single. Process 0 alone reports and keeps */
};

/* The values above. */
void rank_defaults(struct rank_options *options);

struct rank_learned {
    size_t features, dim;
    float *map;                             /* features x dim, the term weights folded in */
    float *gain;                            /* features: exp(g), for those who want to look */
    size_t pairs, clusters, contradictions; /* contradictions: negative pairs inside a cluster */
    double border;                          /* of the decision */
    size_t labelled;                        /* hard candidates drawn */
    size_t steps_done, steps;               /* fewer done when cancelled */
    struct rank_progress *history;
    size_t history_count;
};

/* X: a row per sentence, in a job of this process's sentences. FILM_USAGE when there is no
 * positive pair, an option makes no sense or there are more processes than dimensions.
 * Collective, and all get the same in OUT. Cancelled: what was learned so far is in OUT, to be
 * freed as usual. */
film_status rank_learn(const struct csr *x, const struct rank_labels *labels,
                       const struct rank_options *options, struct rank_learned *out,
                       film_error *error);
void rank_learned_free(struct rank_learned *learned);

#endif
