/* Trains the black box with triplets in mini-batches and Adam (bert/deep.h, learn/deep_loss.h).
 *
 * Every labelled pair makes one triplet per epoch. In a positive pair, one sentence (drawn at
 * random) is the anchor, the other its positive; the negative is the nearest in the batch. A
 * negative pair gives anchor and negative; the positive is a known duplicate of the anchor, or else
 * the anchor itself under a different dropout. Without that rule most negative pairs, which are the
 * difficult cases, would be useless: in Quora only 6 % of them have a sentence in a positive pair.
 *
 * A batch is divided into a fixed number of parts. One thread computes each part, and the gradients
 * are added in order: the result does not depend on the number of threads, to the last bit.
 *
 * Memory: the matrix and the pooled planes of each sentence of a batch, about 0.3 MB for 32 x 256
 * and the default maps; PARTS + 3 times the weights. */
#ifndef LEARN_DEEP_LEARN_H
#define LEARN_DEEP_LEARN_H

#include "bert/deep.h"
#include "learn/deep_loss.h"
#include "learn/rank.h"

struct deep_progress {
    size_t step, steps;
    double epoch, loss; /* completed epochs as a fraction; mean loss since the last stored report */
};

/* The source of the sentences' matrices: OUT (count x tokens x dim). */
struct deep_source {
    void *user;
    film_status (*matrices)(void *user, const uint32_t *sentences, size_t count, float *out,
                            film_error *error);
};

struct deep_options {
    struct deep_loss_options loss; /* hinge, margin 0.3; temperature 14 */
    double dropout;                /* 0.1 */
    double rate;                   /* initial learning rate, decays linearly to 0: 0.001 */
    size_t batch;                  /* pairs per batch: 64 */
    size_t epochs;                 /* 1 */
    size_t report_every;           /* steps per stored mean loss: 5 */
    uint64_t seed;
    int threads;
    /* Called after every step; a non-zero result cancels. May be NULL. */
    int (*report)(void *user, const struct deep_progress *now);
    void *user;
};
void deep_defaults(struct deep_options *options);

struct deep_learned {
    size_t steps, contradictions; /* negative pairs inside a cluster; skipped */
    struct deep_progress *history;
    size_t history_count;
};
void deep_learned_free(struct deep_learned *learned);

/* Trains DEEP's weights, which it owns and which are initialised. SENTENCES is their number.
 * FILM_USAGE when no pair is positive. When cancelled, the weights are those of the last step. */
film_status deep_learn(struct deep *deep, const struct deep_source *source, size_t sentences,
                       const struct rank_labels *labels, const struct deep_options *options,
                       struct deep_learned *out, film_error *error);

#endif
