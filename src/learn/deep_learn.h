/* Learning the black box: triplets in mini-batches, Adam (bert/deep.h, learn/deep_loss.h).
 *
 * Every labelled pair makes a triplet each epoch. Of a pair that means the same, one sentence
 * (drawn) is the anchor, the other its positive, and the negative is the nearest in the batch. Of a
 * pair that does not, they are anchor and negative; the positive is one known to mean the same as
 * the anchor, or else the anchor itself with other numbers dropped out: without that the pairs told
 * apart, which are where the decision is difficult, would mostly count for nothing (of Quora's, 6 %
 * have a sentence in a positive pair).
 *
 * A batch is cut into a fixed number of parts, each computed by one thread, whose gradients are
 * added in their order: the bytes of the result do not depend on the number of threads.
 *
 * Memory: of each sentence of a batch its matrix and the pooled planes, about 0.3 MB for 32 x
 * 256 and the default maps; PARTS + 3 times the weights. */
#ifndef LEARN_DEEP_LEARN_H
#define LEARN_DEEP_LEARN_H

#include "base/checkpoint_state.h"
#include "bert/deep.h"
#include "learn/deep_loss.h"
#include "learn/rank.h"

struct deep_progress {
    size_t step, steps;
    double epoch, loss; /* done, with its fraction; mean since the last that was kept */
};

/* Where the sentences' matrices come from: OUT (count x tokens x dim). */
struct deep_source {
    void *user;
    film_status (*matrices)(void *user, const uint32_t *sentences, size_t count, float *out,
                            film_error *error);
};

struct deep_options {
    struct deep_loss_options loss; /* hinge, margin 0.3; temperature 14 */
    double dropout;                /* 0.1 */
    double rate;                   /* first step size, falling to 0 in a straight line: 0.001 */
    size_t batch;                  /* pairs of a batch: 64 */
    size_t epochs;                 /* 1 */
    size_t report_every;           /* steps of which the mean loss is kept: 5 */
    uint64_t seed;
    int threads;
    const struct checkpointer *checkpointer; /* may be NULL */
    /* After every step. Non-zero cancels. May be NULL. */
    int (*report)(void *user, const struct deep_progress *now);
    void *user;
};
void deep_defaults(struct deep_options *options);

struct deep_learned {
    size_t steps, steps_done, contradictions; /* negative pairs of one cluster: left out */
    struct deep_progress *history;
    size_t history_count;
};
void deep_learned_free(struct deep_learned *learned);

/* Learns DEEP's weights, which are its own and started. SENTENCES: how many there are.
 * FILM_USAGE where no pair means the same. Cancelled: they are as far as it came. */
film_status deep_learn(struct deep *deep, const struct deep_source *source, size_t sentences,
                       const struct rank_labels *labels, const struct deep_options *options,
                       struct deep_learned *out, film_error *error);

#endif
