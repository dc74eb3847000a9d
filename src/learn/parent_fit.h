/* The weight of the model that training began from (film_train_options.start).
 *
 * Its log-odds are one more term of the margin (pair/decision.h). The weight is chosen among a few
 * by cross-validated log loss on the own labels, beside margins that were computed out of fold. A
 * prior that is worth two labels prefers PARENT_USUAL: it alone decides without labels, and fades
 * as labels come. Where the other model says nothing that the own labels do not say better, the
 * weight is 0. */
#ifndef LEARN_PARENT_FIT_H
#define LEARN_PARENT_FIT_H

#include "learn/labels.h"

/* The weight without labels, relative to the log-odds of the decision without labels. */
#define PARENT_USUAL 0.25

/* OUT[i] = the limited log-odds of the parent for each pair. FILM_BAD_INPUT if the parent remembers
 * most of the labelled pairs: having been trained on them, it would be trusted too much. */
film_status parent_scores(const struct corpus *corpus, const struct labelled_pairs *pairs,
                          const struct decision *parent, int threads, float *out,
                          film_error *error);

/* Labelled pairs: their margin without the parent, out of fold, and the scores of the parent. */
struct parent_pairs {
    const float *margin, *score, *target;
    size_t count;
};

/* *WEIGHT = the best weight. UNIT: one unit of log-odds, in units of the margin. */
film_status parent_weigh(const struct parent_pairs *pairs, double unit, double *weight,
                         film_error *error);

#endif
