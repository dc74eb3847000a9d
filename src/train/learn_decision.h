/* Learning the decision (pair/decision.h) on top of a learned map.
 *
 * Everything that was learned from labels (evidence, the map) is learned once more for each fold without
 * that fold; the fold's pairs are surveyed with it, and the trees learn from those surveys. How many trees
 * and which line: one fold is kept for that, then all learn. Memory's weight comes from asking it about
 * rows it was built without. */
#ifndef TRAIN_LEARN_DECISION_H
#define TRAIN_LEARN_DECISION_H

#include "pair/evidence_fit.h"
#include "train/folds.h"
#include "train/labels.h"
#include "train/run.h"

/* What the trees, the line and memory are learned from. */
struct material {
    struct labelled_pairs pairs;
    float *weight; /* of each pair: both classes weigh the same */
    struct folds folds;
    struct evidence_rows rows;
    float *line;       /* what the line through the traits says of each pair */
    float *base;       /* line and word evidence, by a fold that did not see the pair */
    float *similarity; /* likewise */
    float *x;          /* pairs x traits, likewise */
    struct memory_row *known;
};

/* Surveys all pairs out of fold and sets the model's evidence. For learn_decision, and for
 * bench/decision_driver.c, which takes the decision apart. Free after a failure too. */
film_status material_gather(struct run *run, struct material *material, film_error *error);
void material_free(struct material *material);

/* The model's map is there; sets model->decision. */
film_status learn_decision(struct run *run, film_error *error);

#endif
