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
    int reached;      /* 0: no threshold has the wanted precision; this one has the highest */
    /* At the threshold, for the mixture. Precision is NaN when no row passes, recall when no row is
     * positive. */
    double accuracy, precision, recall, f1;
    double balanced_accuracy; /* independent of the prior */
};

/* "accuracy", "f1", "precision", "recall" */
const char *operating_name(film_criterion criterion);

/* Refuses an unknown criterion and a target outside 0 to 1. */
film_status operating_check(const film_operating *wanted, film_error *error);

/* What a threshold is chosen on. */
struct operating_rows {
    const double *score;
    const float *target;  /* 0.5 and above: the same */
    const double *weight; /* how much each row counts; NULL: all alike */
    size_t count;
};

/* Of thresholds that are equally good the highest is taken; for precision the lowest that has it.
 * It lies midway between two scores where it can. */
film_status operating_choose(const film_operating *wanted, double prior,
                             const struct operating_rows *rows, struct operating_point *out,
                             film_error *error);

/* What a threshold is like, whoever chose it. */
void operating_at(double threshold, double prior, const struct operating_rows *rows,
                  struct operating_point *out);

#endif
