/* One evaluation: the rows and what was requested about them; and what a model answers for the
 * rows, of which there may be two. Inside src/eval only. */
#ifndef EVAL_EVALUATION_H
#define EVAL_EVALUATION_H

#include "eval/bootstrap.h"
#include "eval/categories.h"
#include "eval/knn.h"
#include "eval/retrieval.h"
#include "model/model.h"
#include "learn/corpus.h"
#include "film_train.h"

/* What is kept of a verdict. */
struct answered {
    double probability, log_odds;
    int same;
};

struct evaluation {
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
    uint32_t own_here; /* those this process has; the pool's follow them in its table */
    /* NULL in a job of one process, where all three are the same. */
    uint32_t *source; /* own: their numbers in the corpus */
    uint32_t *row;    /* own: their places here, or FLAT_NONE */
    uint32_t *number; /* own_here */
    uint32_t *a, *b;  /* pairs: the file's own, or two of each triplet */
    float *label;
    size_t pairs;
    struct bootstrap bootstrap;
    struct retrieval found;
    film_eval_result result;
};

/* What MODEL answers for the rows of an evaluation. */
struct model_answers {
    const film_model *model;
    struct answered *answered; /* pairs */
    float *vectors; /* sentences here x dim, ready for la/flat.h; NULL: none are needed */
    float *penalty; /* sentences here */
    struct knn knn;
    int swept;
    uint32_t *category; /* own: of the file; NULL unless it has categories */
    struct categories_winners winners;
    double *probability; /* pairs */
    unsigned char *same; /* pairs: what was decided */
};

void model_answers_free(struct model_answers *answers);

/* Embeds every sentence; only for a model that has vectors. */
film_status model_answers_embed(const struct evaluation *evaluation, struct model_answers *answers,
                                film_error *error);

/* The first COUNT vectors of this process, as a share of all. */
struct flat_share model_answers_vectors(const struct evaluation *evaluation,
                                        const struct model_answers *answers, size_t count);

/* Scores every pair, sweeps k where there are vectors and a range, and decides. */
film_status model_answers_pairs(const struct evaluation *evaluation, struct model_answers *answers,
                                film_error *error);

static inline int evaluation_has_pairs(const struct evaluation *evaluation)
{
    return evaluation->corpus.labels == FILM_LABELS_PAIRS ||
           evaluation->corpus.labels == FILM_LABELS_TRIPLETS;
}

/* Reads the file and the pool, sorts out who has which sentence; needs the checked request. */
film_status evaluation_read(struct evaluation *evaluation, film_error *error);
void evaluation_free(struct evaluation *evaluation);

/* In a job: the texts of sentences by number, as corpus_fetch gives them. All processes call it. */
film_status evaluation_texts(const struct evaluation *evaluation, const uint32_t *numbers,
                             size_t count, struct strtab *texts, uint32_t *at, film_error *error);

/* What was asked for, before anything is read. */
film_status request_check(struct evaluation *evaluation, film_error *error);

/* What the labels of this file allow. */
film_status request_check_labels(const struct evaluation *evaluation, film_error *error);

/* The prior, which may be the file's own; needs the pairs. */
film_status request_prior(struct evaluation *evaluation, film_error *error);

#endif
