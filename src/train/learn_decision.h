/* Learning the decision (pair/decision.h) on top of a learned map.
 *
 * Everything that was learned from labels (evidence, the map) is learned once more for each fold without
 * that fold; the fold's pairs are surveyed with it, and the trees learn from those surveys. How many trees
 * and which line: one fold is kept for that, then all learn. Memory's weight comes from asking it about
 * rows it was built without. */
#ifndef TRAIN_LEARN_DECISION_H
#define TRAIN_LEARN_DECISION_H

#include "train/run.h"

/* The model's map is there; sets model->decision. */
film_status learn_decision(struct run *run, film_error *error);

#endif
