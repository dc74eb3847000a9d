/* Learns the decision (pair/decision.h) on top of a learned map.
 *
 * The trees are trained on out-of-fold features (learn/out_of_fold.h). One fold serves as
 * validation data for early stopping and calibration; then the trees are trained on all pairs.
 * Memory is weighted by its predictions for rows it was built without. */
#ifndef LEARN_LEARN_DECISION_H
#define LEARN_LEARN_DECISION_H

#include "learn/out_of_fold.h"

/* INPUT is the one that the words' map was learned from. DECISION has its encoder, including that
 * map, and what out_of_fold_gather learned with HELD; it receives everything else. */
film_status learn_decision(const struct learn_input *input, struct out_of_fold *held,
                           struct decision *decision, film_error *error);

#endif
