/* Gradient-boosted trees of depth 1 or 2.
 *
 *     margin of row i = base[i] + trees_sum(out, x_i)
 *
 * The same data, options and seed give the same trees with any number of threads. */
#ifndef LEARN_BOOSTING_H
#define LEARN_BOOSTING_H

#include "base/status.h"
#include "pair/trees.h"

#include <stdint.h>

/* Rows to train on or to validate with. Every value is finite; weights are not negative. */
struct boosting_data {
    const float *x; /* rows x features; NULL: ROW */
    size_t rows;
    const float *target;     /* BOOSTING_LOGISTIC: 0 to 1, soft labels allowed */
    const float *weight;     /* NULL: 1 each */
    const float *base;       /* base margin that the trees are added to; NULL: 0 */
    const float *const *row; /* the features of each row, where X is NULL */
};

static inline const float *boosting_row(const struct boosting_data *data, size_t i, size_t features)
{
    return data->x ? data->x + i * features : data->row[i];
}

enum boosting_objective {
    BOOSTING_LOGISTIC, /* margin = log-odds of the target; loss = log loss */
    BOOSTING_SQUARED   /* margin = the target itself; loss = mean squared error */
};

struct boosting_options {
    enum boosting_objective objective;
    size_t rounds; /* maximum number of trees */
    int depth;     /* 1 or 2: what pair/trees.h can store */
    double rate;   /* learning rate (shrinkage) */
    double lambda; /* L2 penalty on the leaves */
    /* Least sum of second derivatives in a child: for BOOSTING_LOGISTIC weight * p(1 - p). */
    double min_child_weight;
    double subsample;    /* fraction of the rows per tree, drawn anew for each */
    double column_share; /* fraction of the features per tree */
    uint64_t seed;
    int threads;         /* as threads_count */
    const int *monotone; /* per feature: 1 increasing, -1 decreasing, 0 free; NULL: all free */
    const struct boosting_data *validation; /* NULL: no early stopping, every round is used */
    size_t patience; /* early stopping: rounds without a better validation loss; 0: never stop */
    const film_progress *progress; /* reported after every round; may cancel */
};

void boosting_defaults(struct boosting_options *options);

/* The course of the training. */
struct boosting_history {
    size_t rounds;      /* completed */
    size_t kept;        /* trees in the result: with validation rows, up to the best round */
    double *train;      /* loss after each round, weighted mean over the rows */
    double *validation; /* NULL without validation rows */
};
void boosting_history_free(struct boosting_history *history);

/* Trains TREES and sets their covers from the weights of all training rows. HISTORY may be NULL.
 * After a failure both are empty. */
film_status boosting_fit(const struct boosting_data *data, size_t features,
                         const struct boosting_options *options, struct trees *trees,
                         struct boosting_history *history, film_error *error);

#endif
