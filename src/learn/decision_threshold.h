/* Chooses how scores become verdicts during training: the calibration of similarities to log-odds,
 * and the threshold for the requested operating point. A score is any number that the model
 * compares with a threshold. */
#ifndef LEARN_DECISION_THRESHOLD_H
#define LEARN_DECISION_THRESHOLD_H

#include "learn/labels.h"
#include "learn/training_log.h"
#include "pair/calibrate.h"
#include "learn/operating.h"

/* Calibrates SIMILARITY to log-odds. Without a positive pair it uses the distribution of unrelated
 * pairs. */
film_status calibrate_similarity(const float *similarity, const struct labelled_pairs *pairs,
                                 struct calibration *line, film_error *error);

struct scored_pairs {
    const float *score, *target;
    const uint32_t *a, *b; /* their records; NULL: unknown */
    size_t count;
    int expected; /* criterion F1: the expected F1 by EVEN, not that of the labels */
};

/* Chooses the threshold by the options' operating point and logs its measures. For accuracy, EVEN
 * (may be NULL) is a calibration of the scores; the threshold is then where it gives even odds.
 * That is more stable than the few rows near the best threshold (84.6 against 84.3 % on Quora's
 * dev). */
film_status decision_threshold_choose(const struct scored_pairs *pairs,
                                      const film_train_options *options,
                                      const struct calibration *even, double *threshold,
                                      struct training_log *log, film_error *error);

/* Refuses a criterion when the pairs have no labels to choose a threshold by, and a precision or an
 * automatic prior when they have no negatives. */
film_status decision_threshold_check(const film_train_options *options,
                                     const struct labelled_pairs *pairs, film_error *error);

/* Replaces the figures that depend on negatives where MADE_UP random pairs were used in their
 * place: what remains is the recall, and the share of random pairs called the same. */
void decision_threshold_made_up(struct training_log *log, size_t made_up);

/* {"criterion", "target", "threshold", "reached", "accuracy", "precision", "recall", "f1",
 * "interval", "pairs", "prior"}; undefined values are null. */
json_t *decision_threshold_json(const film_operating *wanted, const struct operating_point *point,
                                double prior);

#endif
