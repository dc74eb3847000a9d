/* The training loss of the paper on triplets, as it is plotted: not what the solver minimises.
 *
 *     hinge     = mean over triplets (i, j, k) of max(0, y_i'y_k - y_i'y_j + m)               (32)
 *     satisfied = share of the triplets with y_i'y_j - y_i'y_k >= m, whose term is 0
 *
 * A file with more than FILM_HINGE_TRIPLETS triplets is measured on those of every n-th anchor.
 * Memory: 12 bytes per measured triplet, and 4 (d + 1) per sentence in them. In a job each process
 * sends the vectors of its sentences in the sample to the others, at most 12 d FILM_HINGE_TRIPLETS
 * bytes per measurement in all; 16 more are summed. */
#ifndef LEARN_FILM_HINGE_LOSS_H
#define LEARN_FILM_HINGE_LOSS_H

#include "base/status.h"

#include <stdint.h>

enum { FILM_HINGE_TRIPLETS = 16384 };

struct film_problem;

struct film_hinge_loss {
    uint32_t *ids;     /* sentences of the sample, of all processes, ascending */
    size_t sentences;  /* number of ids */
    size_t first, own; /* the range of ids whose rows of V this process has */
    uint32_t *triplet; /* 3 x count: indices into ids; the triplets of this process's anchors */
    size_t count, all; /* measured triplets: of this process, of all */
    float *y;          /* sentences x d */
    float *own_y;      /* own x d; y itself in a job of one process */
    size_t *sizes;     /* bytes of own_y, by process; NULL when nothing is exchanged */
};

/* Measures y = sqrt(S) P' D v at P (r x d) and S (d). The sample is drawn at the first call.
 * Collective. */
film_status film_hinge_loss_measure(struct film_problem *problem, const double *p, const double *s,
                                    double *hinge, double *satisfied, film_error *error);
void film_hinge_loss_free(struct film_hinge_loss *loss);

#endif
