/* One evaluation: what its steps work on. Inside src/eval only. */
#ifndef EVAL_RUN_H
#define EVAL_RUN_H

#include "eval/bootstrap.h"
#include "eval/knn.h"
#include "eval/retrieval.h"
#include "model/model.h"
#include "learn/corpus.h"
#include "film_train.h"

#include <jansson.h>

/* What is kept of a verdict. */
struct answered {
    double probability, log_odds;
    int same;
};

struct run {
    const film_model *model;
    const struct comm *comm;
    const film_eval_options *options;
    const char *path;
    const char *names[2]; /* of the model and of the one it is compared with */
    double prior;
    film_decision decision; /* AUTO: full where the model has it */
    film_knn variant;
    int decide_by_knn;
    struct corpus corpus;
    uint32_t own;      /* distinct sentences of the file, numbered as they appear */
    uint32_t own_here; /* those this process has; behind them in its table are the pool's */
    /* NULL in a job of one process, where all three are the same. */
    uint32_t *source; /* own: their numbers in the corpus */
    uint32_t *row;    /* own: their places here, or FLAT_NONE */
    uint32_t *number; /* own_here */
    uint32_t *a, *b;  /* pairs: the file's own, or two of each triplet */
    float *label;
    size_t pairs;
    /* Of the model, from here on. */
    struct answered *answered; /* pairs */
    float *vectors;            /* sentences here x dim, ready for la/flat.h */
    float *penalty;            /* sentences here */
    struct knn knn;
    int swept;
    double *probability; /* pairs */
    unsigned char *same; /* pairs: what was decided */
    struct retrieval found;
    struct bootstrap bootstrap;
    film_eval_result result;
};

static inline int run_has_pairs(const struct run *run)
{
    return run->corpus.labels == FILM_LABELS_PAIRS || run->corpus.labels == FILM_LABELS_TRIPLETS;
}

/* Reads the file and the pool, sorts out who has which sentence; needs the checked request. */
film_status run_read(struct run *run, film_error *error);
void run_free_sentences(struct run *run);

/* In a job: the texts of sentences by number, as corpus_fetch gives them. All processes call it. */
film_status run_texts(const struct run *run, const uint32_t *numbers, size_t count,
                      struct strtab *texts, uint32_t *at, film_error *error);

/* What was asked for, before anything is read. */
film_status request_check(struct run *run, film_error *error);

/* What the labels of this file allow. */
film_status request_check_labels(const struct run *run, film_error *error);

/* The prior, which may be the file's own; needs the pairs. */
film_status request_prior(struct run *run, film_error *error);

#endif
