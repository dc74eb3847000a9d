/* A straight line through the traits: what the decision starts from.
 *
 *     sum = bias + sum over traits t of  weight_t * (x_t - mean_t)
 *     x_t kept between low_t and high_t
 *
 * Trees are slow to draw straight lines and need many pairs for it; with a few thousand pairs the
 * line is worth more than the trees (1.5 points of Pearson on STS). Kept between bounds, a sentence
 * longer than any in training does not run off along the line. */
#ifndef PAIR_LINEAR_H
#define PAIR_LINEAR_H

#include <stddef.h>

struct linear {
    size_t count; /* of traits */
    double bias;
    const float *weight, *mean, *low, *high; /* count each */
    float *own; /* all of them, when fitted (learn/linear_fit.h); NULL when mapped */
};

enum { LINEAR_ROWS = 4 }; /* weight, mean, low, high: as they are stored */

/* Points into ROWS (LINEAR_ROWS x COUNT floats), which stay somebody else's. */
void linear_map(struct linear *linear, const float *rows, size_t count);
void linear_free(struct linear *linear);

/* What trait T adds. */
double linear_term(const struct linear *linear, size_t t, const float *x);
double linear_sum(const struct linear *linear, const float *x);

#endif
