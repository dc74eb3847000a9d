/* Validation during training: measures a map on the dev pairs once per iteration. */
#ifndef LEARN_JUDGE_H
#define LEARN_JUDGE_H

#include "learn/labels.h"
#include "learn/learn.h"
#include "film_train.h"

/* The dev sentences in the basis of the SVD, ready for any P and s. */
struct judge {
    struct labelled_pairs pairs;
    film_similarity kind;
    size_t sentences, rank, dim;
    int threads;
    float *v;          /* sentences x rank: Sigma^-p U'x */
    float *map;        /* rank x dim: P sqrt(S) */
    float *y;          /* sentences x dim */
    float *similarity; /* of the pairs */
};

/* Prepares for maps of DIM dimensions on SVD; the pairs are the input's dev rows. */
film_status judge_init(struct judge *judge, const struct learn_input *input, const struct svd *svd,
                       size_t dim, film_error *error);
void judge_free(struct judge *judge);

/* Returns the balanced accuracy at the best threshold of the map y = sqrt(S) P' v. */
double judge_map(struct judge *judge, const double *p, const double *s);

#endif
