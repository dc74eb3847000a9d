/* Figures as JSON: what film eval --json prints. A number that is not defined is null. */
#ifndef EVAL_ANSWER_H
#define EVAL_ANSWER_H

#include "eval/knn.h"
#include "eval/measures.h"
#include "eval/retrieval.h"

#include <jansson.h>

json_t *answer_number(double value);

/* [low, high], or null when there is no interval. */
json_t *answer_interval(const double interval[2]);

/* Every measure by its name, null where it does not apply. */
void answer_measures(json_t *answer, const double value[MEASURES]);
void answer_intervals(json_t *ci, const double interval[MEASURES][2]);

/* knn, best_k, elbow_k, knn_variant; without a sweep (NULL) an empty list and nulls. */
void answer_knn(json_t *answer, const struct knn *knn, enum knn_variant variant);

json_t *answer_retrieval(const struct retrieval *retrieval);

#endif
