/* The operating point: the threshold at and above which two sentences count as the same.
 *
 * Scores may be similarities, margins or probabilities; they are treated alike. Rows have weights,
 * and the two classes are reweighted so that the positives' share is PRIOR, whatever their share of
 * the rows. The threshold is then optimal for a mixture with that prior. */
#ifndef LEARN_OPERATING_H
#define LEARN_OPERATING_H

#include "base/status.h"
#include "film_train.h"

struct operating_point {
    double threshold; /* positive means score >= threshold */
    int reached;      /* 0: no threshold reaches the target precision; this one has the highest */
    /* At the threshold, for the mixture. Precision is NaN when no row passes, recall when no row is
     * positive. */
    double accuracy, precision, recall, f1;
    double balanced_accuracy; /* independent of the prior */
};

/* "accuracy", "f1", "precision", "recall" */
const char *operating_name(film_criterion criterion);

/* Refuses an unknown criterion and a target outside 0 to 1. */
film_status operating_check(const film_operating *wanted, film_error *error);

/* The rows that a threshold is chosen on. */
struct operating_rows {
    const double *score;
    const float *target;  /* 0.5 or more: same */
    const double *weight; /* NULL: equal weights */
    size_t count;
};

/* Of equally good thresholds it chooses the highest; for precision, the lowest that reaches the
 * target. The threshold is midway between two scores if possible. */
film_status operating_choose(const film_operating *wanted, double prior,
                             const struct operating_rows *rows, struct operating_point *out,
                             film_error *error);

/* Computes the figures of a given threshold. */
void operating_at(double threshold, double prior, const struct operating_rows *rows,
                  struct operating_point *out);

#endif
