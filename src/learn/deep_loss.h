/* The loss of a batch of triplets that trains the black box (bert/deep.h). All similarities are
 * cosines.
 *
 *     hinge    mean over triplets of [cos(a, n) + margin - cos(a, p)]+             (32 of the
 *     paper)
 *     N-pair   mean over triplets of log sum over c of exp(t (cos(a, c) - cos(a, p)))
 *
 * where c is p or any sentence of the batch that is not a known duplicate of a. For the hinge, a
 * triplet without its own negative takes the nearest of those. */
#ifndef LEARN_DEEP_LOSS_H
#define LEARN_DEEP_LOSS_H

#include "base/status.h"

#include <stdint.h>

#define DEEP_NO_ROW UINT32_MAX

/* Rows of the batch. NEGATIVE may be DEEP_NO_ROW: then the nearest one is taken. */
struct deep_triplet {
    uint32_t anchor, positive, negative;
};

struct deep_batch {
    size_t rows, dim;
    const float *vectors;    /* rows x dim, not normalised */
    const uint32_t *cluster; /* per row; rows of one cluster are duplicates */
    const struct deep_triplet *triplets;
    size_t count;
};

struct deep_loss_options {
    int n_pair; /* N-pair loss instead of the hinge */
    double margin, temperature;
};

/* Computes the loss and its gradient with respect to the vectors (rows x dim). */
film_status deep_loss(const struct deep_batch *batch, const struct deep_loss_options *options,
                      double *loss, float *gradient, film_error *error);

#endif
