/* Where scores become verdicts, when a model is trained: the line from similarities to log-odds,
 * and the threshold of the operating point that was asked for. Scores are whatever the model
 * compares a threshold with. */
#ifndef LEARN_DECISION_THRESHOLD_H
#define LEARN_DECISION_THRESHOLD_H

#include "learn/labels.h"
#include "learn/training_log.h"
#include "pair/calibrate.h"
#include "learn/operating.h"

/* The line from SIMILARITY to log-odds. Without a pair that is the same, from what unrelated
 * pairs look like. */
film_status calibrate_similarity(const float *similarity, const struct labelled_pairs *pairs,
                                 struct calibration *line, film_error *error);

struct scored_pairs {
    const float *score, *target;
    size_t count;
};

/* Chooses the threshold among scores by the options' operating point and notes how good it is.
 * For the accuracy, EVEN (may be NULL) is a line from scores to log-odds to trust instead of the
 * few rows about the best threshold: where it says even odds (84.6 against 84.3 % on Quora's
 * dev). */
film_status decision_threshold_choose(const struct scored_pairs *pairs,
                                      const film_train_options *options,
                                      const struct calibration *even, double *threshold,
                                      struct training_log *log, film_error *error);

/* Refuses a criterion where there is nothing to choose by. */
film_status decision_threshold_check(const film_operating *wanted, int none_is_same,
                                     film_error *error);

/* {"criterion", "target", "threshold", "reached", "accuracy", "precision", "recall", "f1"}; what
 * is not defined is null. */
json_t *decision_threshold_json(const film_operating *wanted, const struct operating_point *point);

#endif
