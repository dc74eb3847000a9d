/* The training loss of the paper on triplets, as it is plotted: not what the solver minimises.
 *
 *     hinge     = mean over triplets (i, j, k) of max(0, y_i'y_k - y_i'y_j + m)               (32)
 *     satisfied = share of the triplets with y_i'y_j - y_i'y_k >= m, whose term is 0
 *
 * A file with more than FILM_HINGE_TRIPLETS triplets is measured on those of every n-th anchor.
 * Memory: 12 bytes per measured triplet, and 4 (d + 1) per sentence in them. */
#ifndef LEARN_FILM_HINGE_LOSS_H
#define LEARN_FILM_HINGE_LOSS_H

#include "base/status.h"

#include <stdint.h>

enum { FILM_HINGE_TRIPLETS = 16384 };

struct film_problem;

struct film_hinge_loss {
    uint32_t *ids;     /* sentences of the sample, ascending */
    size_t sentences;  /* number of ids */
    uint32_t *triplet; /* 3 x count: indices into ids */
    size_t count;      /* measured triplets */
    float *y;          /* sentences x d */
};

/* Measures y = sqrt(S) P' D v at P (r x d) and S (d). The sample is drawn at the first call. */
film_status film_hinge_loss_measure(struct film_problem *problem, const double *p, const double *s,
                                    double *hinge, double *satisfied, film_error *error);
void film_hinge_loss_free(struct film_hinge_loss *loss);

#endif
