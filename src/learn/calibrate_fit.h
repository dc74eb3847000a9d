/* Platt scaling: fits scale, bias and threshold (pair/calibrate.h) to labels. */
#ifndef LEARN_CALIBRATE_FIT_H
#define LEARN_CALIBRATE_FIT_H

#include "base/status.h"
#include "pair/calibrate.h"

/* Both classes have the same total weight, whatever their counts: the prior is 0.5. TARGET is 0 to
 * 1 and may be a scaled score; for the threshold, 0.5 and above is positive. */
film_status calibrate_fit(const float *similarity, const float *target, size_t count,
                          struct calibration *out, film_error *error);

/* The same with a fixed OFFSET per pair (NULL: none): log-odds = scale * similarity + bias +
 * offset. The threshold ignores the offset. */
film_status calibrate_fit_beside(const float *similarity, const float *offset, const float *target,
                                 size_t count, struct calibration *out, film_error *error);

/* Pairs with two scores each. */
struct two_scores {
    const float *score, *other;
    const float *offset; /* as in calibrate_fit_beside, but not NULL */
    const float *target;
    size_t count;
};

/* Two scores at once: log-odds = scale * (score + weight * other) + bias + offset. The weight is
 * never negative; it is 0, and the rest as without it, where OTHER says nothing more. OUT's
 * threshold is one of score + weight * other. */
film_status calibrate_fit_both(const struct two_scores *pairs, struct calibration *out,
                               double *weight, film_error *error);

/* The threshold with the best balanced accuracy, and that accuracy. */
film_status calibrate_threshold(const float *similarity, const float *target, size_t count,
                                double *threshold, double *balanced_accuracy, film_error *error);

/* Without labels: RANDOM holds similarities of sentences from different rows, so nearly all of them
 * are negative. The threshold is their 99.9 % quantile, but at least 0.5. */
film_status calibrate_blind(const float *random, size_t count, struct calibration *out,
                            film_error *error);

#endif
