/* The pairs trees are learned from, brought together: process 0 learns them alone and tells the
 * others. */
#ifndef LEARN_TREE_ROWS_H
#define LEARN_TREE_ROWS_H

#include "learn/out_of_fold.h"

enum { TREE_ROWS_COLUMNS = 5 };

/* A row for each pair, in the order of all pairs; in process 0 only. */
struct tree_rows {
    size_t count;
    const float *x; /* count x traits */
    const float *target, *weight, *base;
    const unsigned char *fold;
    void *own[TREE_ROWS_COLUMNS]; /* of these, those that are not the material's */
};

/* All pairs, or of more than MOST about so many, drawn by SEED: the same ones by any number of
 * processes. Every process calls it. Free after a failure as well, before the material. */
film_status tree_rows_gather(const struct out_of_fold *held, const struct comm *comm, size_t most,
                             uint64_t seed, struct tree_rows *rows, film_error *error);
void tree_rows_free(struct tree_rows *rows);

#endif
