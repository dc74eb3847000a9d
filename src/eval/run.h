/* One evaluation: what its steps work on. Inside src/eval only. */
#ifndef EVAL_RUN_H
#define EVAL_RUN_H

#include "eval/bootstrap.h"
#include "eval/knn.h"
#include "eval/retrieval.h"
#include "model/model.h"
#include "text/corpus.h"

#include <jansson.h>

struct run {
    const film_model *model;
    const film_eval_options *options;
    const char *path;
    const char *names[2]; /* of the model and of the one it is compared with */
    double prior;
    film_decision decision; /* AUTO: full where the model has it */
    enum knn_variant variant;
    int decide_by_knn;
    struct corpus corpus;
    uint32_t own; /* distinct sentences of the file; those behind it in the table are the pool's */
    uint32_t *a, *b; /* pairs: the file's own, or two of each triplet */
    float *label;
    size_t pairs;
    /* Of the model, from here on. */
    film_verdict *verdicts;
    float *vectors; /* sentences x dim, ready for near/flat.h */
    float *penalty; /* sentences */
    struct knn knn;
    int swept;
    double *probability; /* pairs */
    unsigned char *same; /* pairs: what was decided */
    struct retrieval found;
    struct bootstrap bootstrap;
    json_t *answer, *ci;
};

static inline int run_has_pairs(const struct run *run)
{
    return run->corpus.labels == FILM_LABELS_PAIRS || run->corpus.labels == FILM_LABELS_TRIPLETS;
}

/* What was asked for, before anything is read. */
film_status request_check(struct run *run, film_error *error);

/* What the labels of this file allow. */
film_status request_check_labels(const struct run *run, film_error *error);

/* The prior, which may be the file's own; needs the pairs. */
film_status request_prior(struct run *run, film_error *error);

#endif
