/* Out-of-fold features: what the decision's trees and memory are trained on. Each training pair is
 * scored by models that were trained without it (stacking).
 *
 * Everything learned from labels (evidence, the map) is learned again for each fold without that
 * fold, and then computes the features of the fold's pairs. Along the way the model receives its
 * linear model of the unlearned traits, and its word evidence, scaled by its accuracy on pairs it
 * has not seen. */
#ifndef LEARN_OUT_OF_FOLD_H
#define LEARN_OUT_OF_FOLD_H

#include "learn/evidence_fit.h"
#include "learn/memory_build.h"
#include "learn/folds.h"
#include "learn/labelled_edits.h"
#include "learn/labels.h"
#include "learn/learn.h"
#include "pair/decision.h"

/* Below this number of pairs, training regularises more and validates on every fold, not on one. */
enum { OUT_OF_FOLD_FEW = 20000 };

struct out_of_fold {
    const struct corpus *corpus;
    struct labelled_pairs pairs;
    struct folds folds;
    float *weight; /* per pair: both classes have the same total weight */
    struct evidence_rows rows;
    float *line;       /* per pair: output of the linear model of the traits */
    float *base;       /* linear model and word evidence, out-of-fold */
    float *similarity; /* out-of-fold */
    float *x;          /* pairs x traits, out-of-fold */
    size_t traits;     /* traits_total() of the model */
    struct memory_row *known;
    float *parent; /* per pair: log-odds of the model that training began from; NULL: none */
    float *tried;  /* per pair: margin by trees that did not see it, of few records; or NULL */
    struct labelled_edits edits;
    int too_few; /* gathering failed for lack of labelled pairs */
};

/* INPUT is the one that the words' map was learned from: the map is learned again without each
 * fold. DECISION comes with its encoder and receives its linear model and evidence. A map that
 * depends on labels is not read here and may be absent. Free HELD after a failure as well. */
film_status out_of_fold_gather(const struct learn_input *input, struct decision *decision,
                               struct out_of_fold *held, film_error *error);
void out_of_fold_free(struct out_of_fold *held);

/* *MAP = the map that the input's method learns on the rows of REST. FILM_BAD_INPUT when its labels
 * are too few. */
film_status out_of_fold_map(const struct learn_input *input, const struct corpus *rest, float **map,
                            film_error *error);

#endif
