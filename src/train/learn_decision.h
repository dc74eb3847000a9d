/* Learning the decision (pair/decision.h) on top of a learned map.
 *
 * The trees learn from pairs surveyed out of fold (train/out_of_fold.h). How many trees and which calibration:
 * one fold is kept for that, then all learn. Memory's weight comes from asking it about rows it was built
 * without. */
#ifndef TRAIN_LEARN_DECISION_H
#define TRAIN_LEARN_DECISION_H

#include "train/run.h"

/* The model's map is there; sets model->decision. */
film_status learn_decision(struct run *run, film_error *error);

#endif
