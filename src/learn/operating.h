/* The operating point: the threshold at and above which two sentences count as the same.
 *
 * Scores may be similarities, margins or probabilities; they are treated alike. The two classes are
 * reweighted so that the positives' share is PRIOR, whatever their share of the rows. The threshold
 * is then chosen for a mixture with that prior.
 *
 * A precision or recall is a promise about new pairs, so its lower confidence bound must reach the
 * target, not the value on these rows (learn/promise.c). */
#ifndef LEARN_OPERATING_H
#define LEARN_OPERATING_H

#include "base/status.h"
#include "film_train.h"

struct operating_point {
    double threshold; /* positive means score >= threshold */
    int reached;      /* 0: no threshold is sure to reach the target; this one is the safest */
    /* At the threshold, for the mixture. Precision is NaN when no row passes, recall when no row is
     * positive. */
    double accuracy, precision, recall, f1;
    double balanced_accuracy; /* independent of the prior */
    /* For criterion precision and recall: its confidence bounds, each with 95 % confidence, and
     * the rows it is a share of. Otherwise NaN and 0. */
    double low, high;
    size_t pairs;
};

/* "accuracy", "f1", "precision", "recall" */
const char *operating_name(film_criterion criterion);

/* Refuses an unknown criterion and a target outside 0 to 1. */
film_status operating_check(const film_operating *wanted, film_error *error);

/* Returns whether the criterion promises a figure: precision or recall. */
int operating_promises(const film_operating *wanted);

/* The rows that a threshold is chosen on. */
struct operating_rows {
    const double *score;
    const float *target; /* 0.5 or more: same */
    /* The two records of each row. Rows that share a record are not independent. NULL: all are. */
    const uint32_t *a, *b;
    size_t count;
};

/* The share of the rows that are the same. */
double operating_share(const struct operating_rows *rows);

/* For accuracy and F1 the best threshold, the highest of equally good ones. For precision and
 * recall see learn/promise.h. The threshold is midway between two scores if possible. */
film_status operating_choose(const film_operating *wanted, double prior,
                             const struct operating_rows *rows, struct operating_point *out,
                             film_error *error);

/* Computes the figures of a given threshold. */
void operating_at(double threshold, double prior, const struct operating_rows *rows,
                  struct operating_point *out);

#endif
