/* The rows that the trees are trained on. */
#ifndef LEARN_TREE_ROWS_H
#define LEARN_TREE_ROWS_H

#include "learn/out_of_fold.h"

enum { TREE_ROWS_COLUMNS = 6 };

/* One row per pair, in the order of the pairs. */
struct tree_rows {
    size_t count, traits;
    const float *x; /* count x traits */
    const float *target, *weight, *base;
    const unsigned char *fold;
    const float *parent;          /* as in struct out_of_fold */
    float *tried;                 /* as in struct out_of_fold; filled by the training */
    void *own[TREE_ROWS_COLUMNS]; /* the columns that do not belong to struct out_of_fold */
};

/* Takes all pairs or, when there are more than MOST, a random sample of about MOST, drawn by SEED.
 * Free after a failure as well, before HELD. */
film_status tree_rows_take(const struct out_of_fold *held, size_t most, uint64_t seed,
                           struct tree_rows *rows, film_error *error);
void tree_rows_free(struct tree_rows *rows);

#endif
