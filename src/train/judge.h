/* How good a map is on pairs it was not learned from, asked once an iteration. */
#ifndef TRAIN_JUDGE_H
#define TRAIN_JUDGE_H

#include "train/labels.h"
#include "train/run.h"

/* The dev pairs' sentences in the basis of the SVD, ready for any P and s. */
struct judge {
    struct labelled_pairs pairs;
    film_similarity kind;
    size_t sentences, rank, dim;
    int threads;
    float *v;   /* sentences x rank: Sigma^-p U'x */
    float *map; /* rank x dim: P sqrt(S) */
    float *y;   /* sentences x dim */
    float *similarity;
};

film_status judge_init(struct judge *judge, const struct run *run, film_error *error);
void judge_free(struct judge *judge);

/* Balanced accuracy at the best threshold of the map y = sqrt(S) P' v. */
double judge_map(struct judge *judge, const double *p, const double *s);

#endif
