/* A sum of regression trees of depth 2, stored as plain arrays that can be mapped from a file.
 *
 * A tree has three splits (root, left child, right child) and four leaves:
 *
 *                 split 0
 *          split 1       split 2         x[feature] < cut goes left
 *        leaf 0  leaf 1  leaf 2  leaf 3
 *
 * Where there is no split (feature -1), every row goes left: a left child without a split uses leaf
 * 0 only, and a tree without splits is the constant leaf 0. The trees are not deeper because a term
 * of two features can still be explained to a person (pair/tree_terms.h).
 *
 * Feature values must be finite. There are no missing values, so no default direction is stored; a
 * NaN would go right at every split. */
#ifndef PAIR_TREES_H
#define PAIR_TREES_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { TREE_SPLITS = 3, TREE_LEAVES = 4 };

/* A single tree. */
struct tree {
    int32_t feature[TREE_SPLITS]; /* -1: no split */
    float cut[TREE_SPLITS];       /* 0 where there is no split */
    float leaf[TREE_LEAVES];
    float cover[TREE_LEAVES]; /* training weight that reached each leaf */
};

/* A forest, stored position by position (all roots, then all left children, ...), so that one
 * vector instruction compares several trees. */
struct trees {
    size_t count;
    const int32_t *feature; /* 3 x count */
    const float *cut;       /* 3 x count */
    const float *leaf;      /* 4 x count */
    const float *cover;     /* 4 x count */
    /* The allocation of trees_init; NULL when the arrays belong to somebody else. */
    void *block;
};

/* Allocates COUNT constant trees of value 0, to be filled with trees_set. */
film_status trees_init(struct trees *trees, size_t count, film_error *error);
void trees_free(struct trees *trees);
void trees_set(struct trees *trees, size_t number, const struct tree *tree);
void trees_get(const struct trees *trees, size_t number, struct tree *tree);

/* Checks untrusted arrays; afterwards all other functions are safe for rows of FEATURE_COUNT
 * values. WHERE begins the message (the name of the file). Numbers must be finite and covers not
 * negative. Parts that no row can reach (right of a missing split) must be empty. */
film_status trees_check(const struct trees *trees, size_t feature_count, const char *where,
                        film_error *error);

/* Returns the sum for one row (of at least one value, even when no tree splits). The order of
 * additions is fixed and the same on every machine. */
double trees_sum(const struct trees *trees, const float *x);

/* OUT[i] = trees_sum of row i of X (rows x features), bit for bit, with any number of threads.
 * Several times faster per row. */
film_status trees_sum_rows(const struct trees *trees, const float *x, size_t rows, size_t features,
                           int threads, double *out, film_error *error);

/* The same for ROWS <= TREE_ROWS rows, in the calling thread. COLUMNS is scratch: TREE_ROWS x
 * features finite numbers. */
enum { TREE_ROWS = 32 };
void trees_sum_block(const struct trees *trees, const float *x, size_t rows, size_t features,
                     float *columns, double *out);

/* Returns the leaf of tree NUMBER for the row, 0 to 3. */
unsigned trees_leaf(const struct trees *trees, size_t number, const float *x);

#endif
