/* A linear model over the traits, with clipped inputs: the starting point of the decision.
 *
 *     sum = bias + sum over traits t of  weight_t * (x_t - mean_t)
 *     x_t is clipped to low_t .. high_t
 *
 * Trees approximate linear functions slowly and need many pairs for it. With a few thousand pairs,
 * the line is worth more than the trees (1.5 points of Pearson correlation on STS). Clipping
 * prevents extrapolation to sentences longer than any in training. */
#ifndef PAIR_LINEAR_H
#define PAIR_LINEAR_H

#include <stddef.h>

struct linear {
    size_t count; /* number of traits */
    double bias;
    const float *weight, *mean, *low, *high; /* count each */
    /* All four arrays, when fitted (learn/linear_fit.h); NULL when mapped. */
    float *own;
};

/* The rows as stored: weight, mean, low, high. */
enum { LINEAR_ROWS = 4 };

/* Points LINEAR at ROWS (LINEAR_ROWS x COUNT floats), which the caller owns. */
void linear_map(struct linear *linear, const float *rows, size_t count);
void linear_free(struct linear *linear);

/* Returns the contribution of trait T. */
double linear_term(const struct linear *linear, size_t t, const float *x);
double linear_sum(const struct linear *linear, const float *x);

#endif
