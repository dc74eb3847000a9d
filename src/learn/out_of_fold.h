/* What the decision's trees and memory are learned from: every training pair, surveyed by what was
 * learned without it.
 *
 * Everything that was learned from labels (evidence, the map) is learned once more for each fold
 * without that fold, and the fold's pairs are surveyed with it. On the way the model gets its line
 * through the unlearned traits and its word evidence, scaled by how far it is right about pairs it
 * has not seen.
 *
 * In a job every process knows which pairs there are and has the rest of its share of them
 * alone. */
#ifndef LEARN_OUT_OF_FOLD_H
#define LEARN_OUT_OF_FOLD_H

#include "learn/evidence_fit.h"
#include "learn/memory_build.h"
#include "learn/folds.h"
#include "learn/labels.h"
#include "learn/learn.h"
#include "pair/decision.h"

/* Fewer pairs than this are learned from with more care. */
enum { OUT_OF_FOLD_FEW = 20000 };

struct out_of_fold {
    struct labelled_pairs pairs; /* all */
    struct folds folds;
    struct labelled_share share;
    float *weight; /* of each pair of the share: both classes weigh the same */
    struct evidence_rows rows;
    float *line;       /* what the line through the traits says of each */
    float *base;       /* line and word evidence, by a fold that did not see the pair */
    float *similarity; /* likewise */
    float *x;          /* pairs x traits, likewise */
    struct memory_row *known;
    int too_few; /* why gathering failed: too few labelled pairs */
};

/* INPUT is what the words' map was learned from: it is learned again without each fold. DECISION
 * has its encoder and gets its line and evidence. Free after a failure as well. */
film_status out_of_fold_gather(const struct learn_input *input, struct decision *decision,
                               struct out_of_fold *held, film_error *error);
void out_of_fold_free(struct out_of_fold *held);

#endif
