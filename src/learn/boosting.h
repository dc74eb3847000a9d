/* Boosted trees of depth 1 or 2, trained by XGBoost. This is the only file that knows XGBoost: what
 * comes out are tables (pair/trees.h) that our own code reads, so a trained model does not need it.
 *
 *     margin of row i = base[i] + trees_sum(out, x_i)
 *
 * Same data, options, seed and thread count: the same trees. Other thread counts may differ, as
 * XGBoost adds up its histograms per thread. */
#ifndef LEARN_BOOSTING_H
#define LEARN_BOOSTING_H

#include "base/status.h"
#include "pair/trees.h"

#include <stdint.h>

/* Rows to learn from or to judge by. Every value is finite; a weight is not negative. */
struct boosting_data {
    const float *x; /* rows x features */
    size_t rows;
    const float *target; /* BOOSTING_LOGISTIC: 0 to 1, soft ones allowed */
    const float *weight; /* NULL: 1 each */
    const float *base;   /* the margin the trees are added to; NULL: 0 */
};

enum boosting_objective {
    BOOSTING_LOGISTIC, /* margin = log-odds of the target; loss = log loss */
    BOOSTING_SQUARED   /* margin = the target itself; loss = mean squared error */
};

struct boosting_options {
    enum boosting_objective objective;
    size_t rounds; /* trees at most */
    int depth;     /* 1 or 2: what pair/trees.h can hold */
    double rate;   /* a tree's share of the step it would take */
    double lambda; /* ridge on the leaves */
    /* Least sum of second derivatives in a child: for BOOSTING_LOGISTIC weight * p(1 - p). */
    double min_child_weight;
    double subsample;    /* share of the rows a tree sees, drawn anew for each */
    double column_share; /* share of the features a tree may use */
    uint64_t seed;
    int threads;         /* as openmp_use */
    const int *monotone; /* one per feature: 1 never falls, -1 never rises, 0 free; NULL: free */
    const struct boosting_data *validation; /* NULL: every round is kept */
    size_t patience; /* stop after so many rounds without a better validation loss; 0: never */
    const film_progress *progress; /* told after every round; may cancel */
};

void boosting_defaults(struct boosting_options *options);

/* How it went. */
struct boosting_history {
    size_t rounds;      /* done */
    size_t kept;        /* trees in the result: with validation rows, those of the best round */
    double *train;      /* loss after each round, weighted mean over the rows */
    double *validation; /* NULL without validation rows */
};
void boosting_history_free(struct boosting_history *history);

/* Learns TREES and sets their covers from all training rows by weight. HISTORY may be NULL. When
 * it was cancelled (FILM_CANCELLED) both hold the rounds done so far; after any other error both
 * are empty. */
film_status boosting_fit(const struct boosting_data *data, size_t features,
                         const struct boosting_options *options, struct trees *trees,
                         struct boosting_history *history, film_error *error);

#endif
