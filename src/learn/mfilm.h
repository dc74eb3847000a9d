/* M-FILM: FILM from a stream of mini-batches, in memory that does not grow with the stream.
 *
 * The default uses one basis, U and Sigma of a sample, for all batches. A batch's sentences are v =
 * Sigma^-1 U'x and mean the same in every batch. So P is carried over and the matrix of the problem
 * is averaged (H of film_problem.h is -K made symmetric):
 *
 *     K <- (1 - rho) K + rho (anchors / batch anchors) K_J,   rho = max(1 / sqrt(J), 0.05)
 *
 * Each batch is one iteration of la/stiefel.h, whose refresh reads the batch: Lambda_J from (P, s)
 * with s = mu(k) of the K so far, then the new K, then the value and both gradients of the
 * Barzilai-Borwein difference under it, then one Cayley step with its line search. The code is that
 * of the full-batch version, so a batch that holds everything gives the same first step to the last
 * bit. The first batch determines the margin.
 *
 * mfilm_average is what the public FLRML code does, for comparison: one basis per batch, one step
 * in it from the current map, and averaged maps: L <- (1 - w) L + w L_J, w = 1 / sqrt(J). It
 * shrinks the rows of words that a batch does not contain. The hinge has the paper's sign, not that
 * of the public code.
 *
 * Memory: that of film_problem.h with a batch's anchors, and 64 bytes of history per batch. */
#ifndef LEARN_MFILM_H
#define LEARN_MFILM_H

#include "la/csr.h"
#include "learn/film.h"

struct mfilm_batch {
    const struct triplets *triplets; /* of the batch's sentences; at least one anchor */
    const float *v;                  /* mfilm_learn: sentences x rank, Sigma^-1 U'x */
    const struct csr *x;             /* mfilm_average: sentences x features */
    double weight;                   /* anchors of the whole stream / anchors of the batch */
};

/* The source of batches. A batch is valid until the next call; FILM_END follows the last. */
struct mfilm_source {
    void *self;
    film_status (*next)(void *self, struct mfilm_batch *batch, film_error *error);
};

/* SIGMA (rank) belongs to the whole stream: v has the length that a sentence would have in the SVD
 * of the whole stream. The options' iteration limit counts batches; epsilon and least_change do not
 * apply. FILM_USAGE for a stream without batches. Cancelled: as film_learn. */
film_status mfilm_learn(const struct mfilm_source *source, size_t rank, const float *sigma,
                        const struct film_learn_options *options, struct film_learned *out,
                        film_error *error);

/* MAP is features x dim, L'. RANK is that of each batch's SVD; a batch whose rank is below the
 * dimension is skipped. OUT's history has an entry per used batch; its P, s and k are those of the
 * last one. */
film_status mfilm_average(const struct mfilm_source *source, size_t rank, size_t features,
                          const struct film_learn_options *options, float *map,
                          struct film_learned *out, film_error *error);

#endif
