/* Confidence intervals of figures: percentile intervals of the bootstrap.
 *
 * A resample draws as many rows as there are, with replacement. The interval contains the middle
 * 95 % of the figures of all resamples. Resample r has its own generator, seeded with the seed and
 * r, so the interval is the same for every thread count. */
#ifndef EVAL_BOOTSTRAP_H
#define EVAL_BOOTSTRAP_H

#include "eval/measures.h"

struct bootstrap {
    size_t resamples;
    uint64_t seed;
    int threads;
    film_progress progress;
};

/* INTERVAL[m] = {low, high}; NaN for measures outside the set or undefined in every resample. */
film_status bootstrap_measures(const struct bootstrap *bootstrap, const struct measures *measures,
                               double interval[MEASURES][2], film_error *error);

/* The interval of the difference FIRST minus SECOND of two models on the same rows (measures_init
 * with the rows in the same order). Both are measured on each resample, so rows that are hard for
 * both do not widen the interval. */
film_status bootstrap_difference(const struct bootstrap *bootstrap, const struct measures *first,
                                 const struct measures *second, double interval[MEASURES][2],
                                 film_error *error);

/* The interval of a proportion: the share of ones in RIGHT (0 or 1 each). */
film_status bootstrap_share(const struct bootstrap *bootstrap, const unsigned char *right,
                            size_t count, double interval[2], film_error *error);

#endif
