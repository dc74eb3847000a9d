/* M-FILM: FILM from a stream of batches, in memory that does not grow with the stream.
 *
 * The default keeps one basis, U and Sigma of a sample, for all batches: a batch's sentences come
 * as v = Sigma^-1 U'x and mean the same in every batch, so P is carried over and the matrix of the
 * problem is averaged (H of film_problem.h is -K made symmetric):
 *
 *     K <- (1 - rho) K + rho (anchors / batch anchors) K_J,   rho = max(1 / sqrt(J), 0.05)
 *
 * Each batch is one iteration of la/stiefel.h, whose refresh brings the batch: Lambda_J from (P, s)
 * with s = mu(k) of the K so far, then the new K, then the value and both gradients of the
 * Barzilai-Borwein difference under it, then one Cayley step with its line search. Nothing of this
 * is written a second time, so the first step on a batch that holds everything is the full-batch
 * step to the last bit. The margin is that of the first batch.
 *
 * mfilm_average is the published way, kept for comparison: a basis per batch, one step in it from
 * the present map, and maps averaged: L <- (1 - w) L + w L_J, w = 1 / sqrt(J). It shrinks the rows
 * of words a batch has not seen. The hinge has the paper's sign, not that of the public code.
 *
 * Memory: that of film_problem.h with a batch's anchors; 40 bytes per batch of history. */
#ifndef LEARN_MFILM_H
#define LEARN_MFILM_H

#include "la/csr.h"
#include "learn/film.h"

struct mfilm_batch {
    const struct triplets *triplets; /* of the batch's sentences, with at least one anchor in all */
    const float *v;                  /* mfilm_learn: sentences x rank, Sigma^-1 U'x */
    const struct csr *x;             /* mfilm_average: sentences x features */
    double
        weight; /* anchors of the whole stream / anchors of the batch, in a job of all its parts */
};

/* Where batches come from. A batch lives until the next call; FILM_END after the last. */
struct mfilm_source {
    void *self;
    film_status (*next)(void *self, struct mfilm_batch *batch, film_error *error);
};

/* In a job (the options' owners, without starts) each process's source gives its part of every
 * batch, perhaps without anchors, and all of them end together.
 *
 * SIGMA (rank) belongs to the whole stream: v has the length a sentence would have in the SVD of
 * all of it. Of the options' solver, the limit on iterations holds for batches; epsilon and
 * least_change do not apply. A stream without batches: FILM_USAGE. Cancelled: as film_learn. */
film_status mfilm_learn(const struct mfilm_source *source, size_t rank, const float *sigma,
                        const struct film_learn_options *options, struct film_learned *out,
                        film_error *error);

/* MAP is features x dim, L'. RANK of each batch's SVD; a batch of lower rank than the dimensions is
 * passed over. OUT's history has an entry per batch used, its P, s and k are those of the last. */
film_status mfilm_average(const struct mfilm_source *source, size_t rank, size_t features,
                          const struct film_learn_options *options, float *map,
                          struct film_learned *out, film_error *error);

#endif
