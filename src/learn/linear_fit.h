/* Fits the line through the traits (pair/linear.h). */
#ifndef LEARN_LINEAR_FIT_H
#define LEARN_LINEAR_FIT_H

#include "base/comm.h"
#include "pair/linear.h"

/* Rows to fit: X (rows x count), TARGET in 0 .. 1, WEIGHT of each row. */
struct linear_data {
    const float *x;
    size_t rows, count;
    const float *target, *weight;
    const struct comm *comm; /* every process has rows of its own */
};

/* Logistic regression by Newton's method on traits brought to variance 1, with RIDGE on each
 * weight. USE[t] 0: trait t stays out. The same line in every process. */
film_status linear_fit(struct linear *linear, const struct linear_data *data,
                       const unsigned char *use, double ridge, int threads, film_error *error);

#endif
