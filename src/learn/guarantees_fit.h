/* Which guarantees the labels allow (pair/guarantees.h). */
#ifndef LEARN_GUARANTEES_FIT_H
#define LEARN_GUARANTEES_FIT_H

#include "base/comm.h"
#include "pair/comparison.h"

/* Labelled pairs: those of this process. */
struct guarantees_rows {
    const float *x; /* count x traits */
    const float *target, *weight;
    size_t count;
    const struct comm *comm;
};

/* *ALLOWED = a set of ONLY_NUMBER, ONLY_NEGATION, ONLY_OPPOSITE and ONLY_EXCHANGE. A kind of
 * difference is not guaranteed when the labelled pairs that differ in nothing else show that it
 * keeps the meaning: significantly more than half of their weight is on the same ones.
 * Collective. */
film_status guarantees_allow(const struct guarantees_rows *rows, unsigned *allowed,
                             film_error *error);

#endif
