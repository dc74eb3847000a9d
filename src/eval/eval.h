/* Evaluates a model on a labelled file: film_eval of film_train.h. */
#ifndef EVAL_EVAL_H
#define EVAL_EVAL_H

#include "eval/knn.h"
#include "eval/retrieval.h"
#include "model/model.h"
#include "learn/corpus.h"
#include "film_train.h"

#include <jansson.h>

/* Fills in the defaults of the caller's options (NULL: all). The calls below read the result, where
 * resamples 0 means no intervals and k_last 0 means no sweep. */
film_status eval_options(film_eval_options *out, const film_eval_options *given, film_error *error);

/* RESULT owns everything it points to. */
film_status eval_file(const film_model *model, const char *path, const film_eval_options *options,
                      film_eval_result *result, film_error *error);

/* The data and results of an evaluation, valid during the call of an eval_look. */
struct eval_view {
    const struct corpus *corpus;
    uint32_t own;          /* distinct sentences of the file; they precede those of the pool */
    const uint32_t *a, *b; /* the pairs of the file, or two per triplet; none for categories */
    const float *label;
    size_t pairs;
    const double *probability;
    const unsigned char *same; /* the decisions */
    const struct knn *knn;     /* NULL without a sweep */
    film_knn variant;
    const struct retrieval *retrieval; /* NULL without a pool */
    const json_t *answer;              /* as film eval --json prints it */
    /* Categories, by distinct sentence: its own, that of its ten nearest, and their votes. NULL
     * otherwise. */
    const uint32_t *category, *voted;
    const unsigned char *votes;
};

/* Evaluates as eval_file does, then calls LOOK, whose status it returns. */
typedef film_status (*eval_look)(void *user, const struct eval_view *view, film_error *error);
film_status eval_and_look(const film_model *model, const char *path,
                          const film_eval_options *options, eval_look look, void *user,
                          film_error *error);

#endif
