/* The operating point: from which score on two sentences count as the same.
 *
 * It does not know what a score is: a similarity, a margin and a probability are treated alike.
 * Rows count with their weights, and the two classes are brought to a prior: however many
 * duplicates the rows hold, their share is PRIOR. What is chosen is then right for such a
 * mixture. */
#ifndef LEARN_OPERATING_H
#define LEARN_OPERATING_H

#include "base/status.h"
#include "film_train.h"

struct operating_point {
    double threshold; /* "score >= threshold" is the same */
    int reached;      /* 0: no threshold has the wanted precision; this one has the highest */
    /* At the threshold, of the mixture. Precision is NaN when nothing passes, recall without rows
     * that are the same. */
    double accuracy, precision, recall, f1;
    double balanced_accuracy; /* each class weighing half, whatever the prior */
};

/* "accuracy", "f1", "precision", "recall" */
const char *operating_name(film_criterion criterion);

/* Refuses an unknown criterion and a target that is no share. */
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
