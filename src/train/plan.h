/* What is learned: the method, and what the user left open. */
#ifndef TRAIN_PLAN_H
#define TRAIN_PLAN_H

#include "base/status.h"
#include "film_train.h"

struct training_plan {
    film_method method; /* as the model names it; never AUTO */
    film_method words;  /* of the words' map: with a BERT encoder another, as words have a map of
                            their own where a decision reads them */
    size_t dim;         /* of the method's map */
    size_t words_dim;   /* of the words' map */
    unsigned features;  /* groups of them */
    int full;           /* the full decision is learned */
};

/* FILM_BAD_INPUT for what cannot be done with LABELS, FILM_USAGE for options that contradict
 * each other. */
film_status plan_make(struct training_plan *plan, const film_train_options *options,
                      film_labels labels, film_error *error);

#endif
