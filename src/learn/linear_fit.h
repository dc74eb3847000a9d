/* Fits the linear model of the traits (pair/linear.h). */
#ifndef LEARN_LINEAR_FIT_H
#define LEARN_LINEAR_FIT_H

#include "base/status.h"
#include "pair/linear.h"

/* What is known beside the traits: a fixed OFFSET per row, COUNT further COLUMNS per row with a
 * ridge of their own, whose weights WEIGHT receives, and a ridge on the bias. Traits that have a
 * weight in CLIP are clipped as there, so that both lines can be added. Newton's steps are then
 * also shortened until the loss falls. */
struct linear_beside {
    const float *offset, *columns;
    size_t count;
    double ridge, bias_ridge, *weight;
    const struct linear *clip;
};

/* The data: X (rows x count), TARGET in 0 .. 1, and one WEIGHT per row. */
struct linear_data {
    const float *x;
    size_t rows, count;
    const float *target, *weight;
    const struct linear_beside *beside; /* NULL: nothing */
};

/* Ridge-penalised logistic regression by Newton's method on traits scaled to variance 1, with RIDGE
 * on each weight. USE[t] == 0 excludes trait t. */
film_status linear_fit(struct linear *linear, const struct linear_data *data,
                       const unsigned char *use, double ridge, int threads, film_error *error);

#endif
