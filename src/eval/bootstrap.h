/* How far a figure may be off by chance: percentile intervals of the bootstrap.
 *
 * Rows are drawn again with replacement, as many as there are; the interval holds the middle 95 %
 * of the figures so found. Resample r draws with a generator of its own made from the seed and r,
 * so the interval is the same for every thread count. */
#ifndef EVAL_BOOTSTRAP_H
#define EVAL_BOOTSTRAP_H

#include "eval/measures.h"

struct bootstrap {
    size_t resamples;
    uint64_t seed;
    int threads;
    film_progress progress;
};

/* INTERVAL[m] = {low, high}; NaN for measures outside the set and those defined in no resample. */
film_status bootstrap_measures(const struct bootstrap *bootstrap, const struct measures *measures,
                               double interval[MEASURES][2], film_error *error);

/* The same for the difference of two models that answered the same rows (measures_init with the
 * rows in the same order), FIRST minus SECOND: both are measured on each resample, so that what is
 * hard for both does not widen the interval. */
film_status bootstrap_difference(const struct bootstrap *bootstrap, const struct measures *first,
                                 const struct measures *second, double interval[MEASURES][2],
                                 film_error *error);

/* The interval of a share: how many of RIGHT (0 or 1 each) are 1. */
film_status bootstrap_share(const struct bootstrap *bootstrap, const unsigned char *right,
                            size_t count, double interval[2], film_error *error);

#endif
