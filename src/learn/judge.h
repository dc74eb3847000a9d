/* How good a map is on pairs it was not learned from, asked once an iteration. */
#ifndef LEARN_JUDGE_H
#define LEARN_JUDGE_H

#include "learn/labels.h"
#include "learn/learn.h"
#include "film_train.h"

/* The dev pairs' sentences in the basis of the SVD, ready for any P and s. In a job each process
 * looks at its share of the pairs and tells the others their similarities: 4 bytes for each of
 * its pairs, every time. */
struct judge {
    const struct comm *comm;
    struct labelled_pairs pairs; /* of all processes */
    size_t first, own;           /* this one's pairs */
    film_similarity kind;
    size_t sentences, rank, dim; /* the sentences of its own pairs */
    uint32_t *place;             /* of a dev sentence among them */
    int threads;
    float *v;                /* sentences x rank: Sigma^-p U'x */
    float *map;              /* rank x dim: P sqrt(S) */
    float *y;                /* sentences x dim */
    float *similarity, *all; /* own; of all pairs */
};

/* For maps of DIM dimensions on SVD; the pairs are the input's dev rows. */
film_status judge_init(struct judge *judge, const struct learn_input *input, const struct svd *svd,
                       size_t dim, film_error *error);
void judge_free(struct judge *judge);

/* Balanced accuracy at the best threshold of the map y = sqrt(S) P' v; the same in every process
 * of a job. */
double judge_map(struct judge *judge, const double *p, const double *s);

#endif
