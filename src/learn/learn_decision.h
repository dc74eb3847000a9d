/* Learns the decision (pair/decision.h) on top of a learned map.
 *
 * The trees are trained on out-of-fold features (learn/out_of_fold.h). One fold serves as
 * validation data for early stopping and calibration; then the trees are trained on all pairs.
 * Memory is weighted by its predictions for rows it was built without. */
#ifndef LEARN_LEARN_DECISION_H
#define LEARN_LEARN_DECISION_H

#include "learn/learn.h"
#include "pair/decision.h"

/* INPUT is the one that the words' map was learned from. DECISION comes with its encoder, including
 * that map, and receives everything else. Sets *TOO_FEW when it fails for lack of labelled
 * pairs. */
film_status learn_decision(const struct learn_input *input, struct decision *decision, int *too_few,
                           film_error *error);

#endif
