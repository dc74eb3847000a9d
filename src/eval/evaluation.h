/* One evaluation: the rows, the request, and the answers of one or two models. Internal to
 * src/eval. */
#ifndef EVAL_EVALUATION_H
#define EVAL_EVALUATION_H

#include "eval/bootstrap.h"
#include "eval/categories.h"
#include "eval/knn.h"
#include "eval/retrieval.h"
#include "model/model.h"
#include "learn/corpus.h"
#include "learn/operating.h"
#include "film_train.h"

/* The part of a verdict that is kept. */
struct answered {
    double probability, log_odds;
    int same;
};

struct evaluation {
    const film_eval_options *options;
    const char *path;
    const char *names[2]; /* of the model and of the one it is compared with */
    double prior;
    film_decision decision; /* AUTO: full where the model has it */
    film_knn variant;
    int decide_by_knn;
    struct corpus corpus; /* the pool's sentences follow those of the file */
    uint32_t own;         /* distinct sentences of the file, in order of appearance */
    uint32_t *a, *b;      /* the pairs of the file, or two per triplet */
    float *label;
    size_t pairs;
    struct bootstrap bootstrap;
    struct retrieval found;
    film_eval_result result;
};

/* The answers of MODEL for the rows of an evaluation. */
struct model_answers {
    const film_model *model;
    struct answered *answered; /* pairs */
    float *vectors;            /* sentences x dim, for la/flat.h; NULL: not needed */
    float *penalty;            /* sentences */
    struct knn knn;
    int swept;
    uint32_t *category; /* own: of the file; NULL unless it has categories */
    struct categories_winners winners;
    double *probability; /* pairs */
    unsigned char *same; /* pairs: the decisions */
};

void model_answers_free(struct model_answers *answers);

/* Embeds every sentence; only for a model that has vectors. */
film_status model_answers_embed(const struct evaluation *evaluation, struct model_answers *answers,
                                film_error *error);

/* Returns the first COUNT vectors. */
struct flat model_answers_vectors(const struct model_answers *answers, size_t count);

/* Scores every pair, sweeps k if there are vectors and a range, and decides. */
film_status model_answers_pairs(const struct evaluation *evaluation, struct model_answers *answers,
                                film_error *error);

/* Measures near misses of the file at POINT, which ROWS have chosen. */
film_status model_answers_near(const struct evaluation *evaluation,
                               const struct model_answers *answers,
                               const struct operating_rows *rows, film_operating_point *point,
                               film_error *error);

static inline int evaluation_has_pairs(const struct evaluation *evaluation)
{
    return evaluation->corpus.labels == FILM_LABELS_PAIRS ||
           evaluation->corpus.labels == FILM_LABELS_TRIPLETS;
}

/* Reads the file and the pool. Call request_check before. */
film_status evaluation_read(struct evaluation *evaluation, film_error *error);
void evaluation_free(struct evaluation *evaluation);

/* Checks the options before anything is read. */
film_status request_check(struct evaluation *evaluation, film_error *error);

/* Checks the options against the labels of the file. */
film_status request_check_labels(const struct evaluation *evaluation, film_error *error);

/* Sets the prior, which may be the share in the file. Needs the pairs. */
film_status request_prior(struct evaluation *evaluation, film_error *error);

#endif
