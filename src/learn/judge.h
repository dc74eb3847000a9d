/* Validation during training: measures a map on the dev pairs once per iteration. */
#ifndef LEARN_JUDGE_H
#define LEARN_JUDGE_H

#include "learn/labels.h"
#include "learn/learn.h"
#include "film_train.h"

/* The dev sentences in the basis of the SVD, ready for any P and s. In a job each process computes
 * the similarities of its share of the pairs and sends them to the others: 4 bytes per pair and
 * iteration. */
struct judge {
    const struct comm *comm;
    struct labelled_pairs pairs; /* of all processes */
    size_t first, own;           /* the range of pairs of this process */
    film_similarity kind;
    size_t sentences, rank, dim; /* SENTENCES counts those of its own pairs */
    uint32_t *place;             /* index of a dev sentence among them */
    int threads;
    float *v;                /* sentences x rank: Sigma^-p U'x */
    float *map;              /* rank x dim: P sqrt(S) */
    float *y;                /* sentences x dim */
    float *similarity, *all; /* of its own pairs; of all pairs */
};

/* Prepares for maps of DIM dimensions on SVD; the pairs are the input's dev rows. */
film_status judge_init(struct judge *judge, const struct learn_input *input, const struct svd *svd,
                       size_t dim, film_error *error);
void judge_free(struct judge *judge);

/* Returns the balanced accuracy at the best threshold of the map y = sqrt(S) P' v. It is the same
 * in every process of a job. */
double judge_map(struct judge *judge, const double *p, const double *s);

#endif
