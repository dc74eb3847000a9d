/* Learning the decision (pair/decision.h) on top of a learned map.
 *
 * The trees learn from pairs surveyed out of fold (learn/out_of_fold.h). How many trees and
 * which calibration: one fold is kept for that, then all learn. Memory's weight comes from
 * asking it about rows it was built without. */
#ifndef LEARN_LEARN_DECISION_H
#define LEARN_LEARN_DECISION_H

#include "learn/learn.h"
#include "pair/decision.h"

/* INPUT is what the words' map was learned from. DECISION has its encoder, with that map, and
 * gets the rest. *TOO_FEW is set when it failed because there are too few labelled pairs. */
film_status learn_decision(const struct learn_input *input, struct decision *decision, int *too_few,
                           film_error *error);

#endif
