/* Exact decomposition of a sum of trees into a constant and terms of one or two features.
 *
 * In a tree with root feature f, the term of f alone is the mean of the leaves under the branch
 * taken, minus the mean of all leaves. Means are weighted by cover, so the term has mean 0 over the
 * training data. The remainder, leaf minus the mean of the branch, belongs to {f, feature of the
 * child}; or to f alone when the child splits on f too or does not split. Its mean over the
 * training data is 0 within each branch. The mean of the tree goes to the bias. So a term is the
 * difference from the average training pair, and
 *
 *     trees_sum = bias + the sum of all terms     (up to rounding of double)
 *
 * The main effect of the child's feature is not separated from the term of two: the tree has
 * observed it only below its root. */
#ifndef PAIR_TREE_TERMS_H
#define PAIR_TREE_TERMS_H

#include "pair/trees.h"

/* low < high; high is -1 for a term of one feature. */
struct tree_term {
    int32_t low, high;
};

/* The contributions of each tree to the terms. */
struct tree_parts;

/* Made once per forest. Terms are sorted: a feature alone, then with each higher feature. */
struct tree_terms_plan {
    size_t count;
    struct tree_term *term;   /* count */
    struct tree_parts *parts; /* one per tree */
    double bias;
};

/* TREES must have passed trees_check or come from training. */
film_status tree_terms_plan_init(struct tree_terms_plan *plan, const struct trees *trees,
                                 film_error *error);
void tree_terms_plan_free(struct tree_terms_plan *plan);

/* The cover-weighted mean of the sum, as in the plan. */
double trees_bias(const struct trees *trees);

/* Scratch space for one thread. */
struct tree_terms {
    double *weight; /* one per term of the plan, plus one that stays 0 */
};

film_status tree_terms_init(struct tree_terms *terms, const struct tree_terms_plan *plan,
                            film_error *error);
void tree_terms_free(struct tree_terms *terms);

/* terms->weight[i] = contribution of plan->term[i] for row X. PLAN was made from these TREES. */
void trees_terms(const struct tree_terms_plan *plan, const struct trees *trees, const float *x,
                 struct tree_terms *terms);

#endif
