/* Which guarantees the labels allow (pair/guarantees.h). */
#ifndef LEARN_GUARANTEES_FIT_H
#define LEARN_GUARANTEES_FIT_H

#include "pair/comparison.h"

/* Labelled pairs. */
struct guarantees_rows {
    const float *x; /* count x traits */
    const float *target, *weight;
    size_t count;
};

/* Returns a set of ONLY_NUMBER, ONLY_NEGATION, ONLY_OPPOSITE and ONLY_EXCHANGE. A kind of
 * difference is not guaranteed when the labelled pairs that differ in nothing else show that it
 * keeps the meaning: significantly more than half of their weight is on the same ones. */
unsigned guarantees_allow(const struct guarantees_rows *rows);

#endif
