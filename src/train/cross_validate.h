/* Scores labelled pairs by models that have not seen them. The whole training is repeated without
 * each fold: vocabulary, map, evidence, trees and calibration. A figure measured on these scores
 * includes every choice that training makes. The folds inside a training (learn/out_of_fold.h)
 * share more than that, and their figures are too good for a promise. */
#ifndef TRAIN_CROSS_VALIDATE_H
#define TRAIN_CROSS_VALIDATE_H

#include "learn/corpus.h"
#include "learn/near_misses.h"
#include "model/model.h"
#include "film_train.h"

struct cross_validated {
    float *score, *target; /* log-odds; 0 or 1, or a scaled score */
    uint32_t *a, *b;       /* the two sentences, numbered across all folds */
    size_t count, made_up; /* MADE_UP: random negatives among them */
    /* For a promised precision of sentences; otherwise NULL and empty. */
    unsigned char *is_near; /* count: see near_misses_mark */
    struct near_misses near;
};

/* Trains a model on REST and empties it. */
typedef film_status (*cross_validate_train)(struct corpus *rest, const film_train_options *options,
                                            film_model **out, film_error *error);

/* Five folds or, with many rows, the first of five. A fold that leaves too few labels to train on
 * is skipped. Free OUT after a failure as well. */
film_status cross_validate(const struct corpus *corpus, const film_train_options *options,
                           cross_validate_train train, struct cross_validated *out,
                           film_error *error);
void cross_validated_free(struct cross_validated *held);

#endif
