/* A sum of small regression trees, as plain arrays that can lie in a mapped file.
 *
 * A tree has three places for a split (root, left child, right child) and four leaves:
 *
 *                 split 0
 *          split 1       split 2         x[feature] < cut goes left
 *        leaf 0  leaf 1  leaf 2  leaf 3
 *
 * Where a place has no split (feature -1) everything goes left: a left child without a split uses
 * leaf 0 alone, a tree without any is the constant leaf 0. Deeper trees are not wanted: two
 * features at a time can still be told to a person (pair/tree_terms.h).
 *
 * Every feature value is finite. There are no missing values, so no default direction is stored; a
 * NaN would go right wherever there is a split. */
#ifndef PAIR_TREES_H
#define PAIR_TREES_H

#include "base/comm.h"

#include <stddef.h>
#include <stdint.h>

enum { TREE_SPLITS = 3, TREE_LEAVES = 4 };

/* One tree by itself. */
struct tree {
    int32_t feature[TREE_SPLITS]; /* -1: no split here */
    float cut[TREE_SPLITS];       /* 0 where there is no split */
    float leaf[TREE_LEAVES];
    float cover[TREE_LEAVES]; /* the training weight that reached each leaf */
};

/* Many, place by place (all roots, then all left children, ...): the comparisons of neighbouring
 * trees are then one vector instruction. */
struct trees {
    size_t count;
    const int32_t *feature; /* 3 x count */
    const float *cut;       /* 3 x count */
    const float *leaf;      /* 4 x count */
    const float *cover;     /* 4 x count */
    void *block; /* what trees_init allocated; NULL when the arrays are somebody else's */
};

/* COUNT constant trees of value 0, to be filled with trees_set. */
film_status trees_init(struct trees *trees, size_t count, film_error *error);
void trees_free(struct trees *trees);
/* Those of process 0 to all others; theirs are empty before. */
film_status trees_share(struct trees *trees, const struct comm *comm, film_error *error);
void trees_set(struct trees *trees, size_t number, const struct tree *tree);
void trees_get(const struct trees *trees, size_t number, struct tree *tree);

/* For arrays that cannot be trusted: after it every other call is safe for rows of FEATURE_COUNT
 * values. WHERE begins the message (the file's name). Numbers must be finite, covers not negative,
 * and what no row can reach (a split or a cover to the right of a missing split) must be empty. */
film_status trees_check(const struct trees *trees, size_t feature_count, const char *where,
                        film_error *error);

/* The sum for one row (at least one value, even when no tree splits). The order of additions is
 * fixed and the same on every machine. */
double trees_sum(const struct trees *trees, const float *x);

/* OUT[i] = trees_sum of row i of X (rows x features), the same bits, for any number of threads;
 * several times faster per row. */
film_status trees_sum_rows(const struct trees *trees, const float *x, size_t rows, size_t features,
                           int threads, double *out, film_error *error);

/* Which of its leaves tree NUMBER takes for the row, 0 to 3. */
unsigned trees_leaf(const struct trees *trees, size_t number, const float *x);

#endif
