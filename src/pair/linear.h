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

#include "base/comm.h"

struct linear {
    size_t count; /* of traits */
    double bias;
    const float *weight, *mean, *low, *high; /* count each */
    float *own;                              /* all of them, when fitted here; NULL when mapped */
};

enum { LINEAR_ROWS = 4 }; /* weight, mean, low, high: as they are stored */

/* Points into ROWS (LINEAR_ROWS x COUNT floats), which stay somebody else's. */
void linear_map(struct linear *linear, const float *rows, size_t count);
void linear_free(struct linear *linear);

/* What trait T adds. */
double linear_term(const struct linear *linear, size_t t, const float *x);
double linear_sum(const struct linear *linear, const float *x);

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
