/* Decides what is learned: the method, and the options the user left open. */
#ifndef TRAIN_PLAN_H
#define TRAIN_PLAN_H

#include "base/status.h"
#include "learn/corpus.h"
#include "film_train.h"

struct training_plan {
    film_method method; /* as stored in the model; never AUTO */
    /* The method of the words' map. With a BERT encoder it differs from METHOD, because a decision
     * reads words through a map of their own. */
    film_method words;
    size_t dim;        /* of the method's map */
    size_t words_dim;  /* of the words' map */
    unsigned features; /* feature groups */
    int full;          /* the full decision is learned */
    int prior;         /* the decision is the one without labels (learn/prior.h) */
};

/* FILM_BAD_INPUT for a method that the labels do not allow, FILM_USAGE for contradictory
 * options. */
film_status plan_make(struct training_plan *plan, const film_train_options *options,
                      const struct corpus *corpus, film_error *error);

#endif
