/* The result of an evaluation: film_eval_result, and the JSON that film eval --json prints.
 * Undefined numbers are NaN in the struct and null in JSON. */
#ifndef EVAL_ANSWER_H
#define EVAL_ANSWER_H

#include "eval/knn.h"
#include "eval/measures.h"
#include "eval/retrieval.h"
#include "learn/operating.h"
#include "film_train.h"

#include <jansson.h>

enum { ANSWER_THRESHOLDS = 16 };

/* Everything that a result points to, in one block. */
struct answer_owned {
    film_operating_point operating;
    film_comparison against;
    film_retrieval retrieval;
    film_class_result *classes; /* a block of its own */
    char names[2][301], sentence[1000];
    film_threshold_point thresholds[ANSWER_THRESHOLDS];
    film_knn_point points[];
};

/* Makes a result without figures, with room for a sweep of POINTS. Free it with
 * film_eval_result_free.
 * */
film_status answer_init(film_eval_result *result, size_t points, film_error *error);

/* Frees what a result owns; NULL is allowed. */
void answer_free(struct answer_owned *owned);

/* Returns a result without figures and without a sweep. */
film_eval_result answer_nothing(void);

/* Returns where RESULT stores a measure. */
film_figure *answer_figure(film_eval_result *result, enum measure measure);

/* Counts the decisions of pairs labelled 0 or 1. */
void answer_confusion(film_eval_result *result, const float *label, const unsigned char *same,
                      size_t count);

/* Fills the table of thresholds at the prior of the result; USED is the threshold in use. */
void answer_thresholds(film_eval_result *result, const struct measures *measures, double used);

/* Copies the sweep into the result. */
void answer_knn(film_eval_result *result, const struct knn *knn, film_knn variant);

/* The whole result. NULL: out of memory. */
json_t *answer_object(const film_eval_result *result);

#endif
