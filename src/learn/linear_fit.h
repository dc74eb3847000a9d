/* Fits the linear model of the traits (pair/linear.h). */
#ifndef LEARN_LINEAR_FIT_H
#define LEARN_LINEAR_FIT_H

#include "base/comm.h"
#include "pair/linear.h"

/* The data: X (rows x count), TARGET in 0 .. 1, and one WEIGHT per row. */
struct linear_data {
    const float *x;
    size_t rows, count;
    const float *target, *weight;
    const struct comm *comm; /* every process has its own rows */
};

/* Ridge-penalised logistic regression by Newton's method on traits scaled to variance 1, with RIDGE
 * on each weight. USE[t] == 0 excludes trait t. Every process gets the same model. */
film_status linear_fit(struct linear *linear, const struct linear_data *data,
                       const unsigned char *use, double ridge, int threads, film_error *error);

#endif
