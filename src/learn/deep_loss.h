/* The loss of a batch of triplets, of which the black box (bert/deep.h) is learned. All
 * similarities are cosines.
 *
 *     hinge    mean over triplets of [cos(a, n) + margin - cos(a, p)]+
 *     N-pair   mean over triplets of log sum over c of exp(t (cos(a, c) - cos(a, p)))
 *
 * with c = p and all sentences of the batch that are not known to mean the same as a. A triplet
 * without a negative of its own takes, for the hinge, the nearest of those. */
#ifndef LEARN_DEEP_LOSS_H
#define LEARN_DEEP_LOSS_H

#include "base/status.h"

#include <stdint.h>

#define DEEP_NO_ROW UINT32_MAX

/* Rows of the batch. */
struct deep_triplet {
    uint32_t anchor, positive, negative; /* negative: DEEP_NO_ROW, the nearest */
};

struct deep_batch {
    size_t rows, dim;
    const float *vectors;    /* rows x dim, of any length */
    const uint32_t *cluster; /* of each row: rows of one cluster mean the same */
    const struct deep_triplet *triplets;
    size_t count;
};

struct deep_loss_options {
    int n_pair; /* else the hinge */
    double margin, temperature;
};

/* The loss, and its gradient in the vectors (rows x dim). */
film_status deep_loss(const struct deep_batch *batch, const struct deep_loss_options *options,
                      double *loss, float *gradient, film_error *error);

#endif
