/* Why a sum of trees is what it is: the sum split exactly into a constant and terms of one or two
 * features.
 *
 * In a tree with root feature f, the part of f alone is the mean of the leaves under the branch
 * taken, minus the mean of all leaves; means are weighted by cover, so over the training data the
 * part has mean 0. The rest, leaf minus the branch's mean, belongs to {f, feature of the child
 * passed}, or to f alone when the child splits on f too or not at all; its mean over the training
 * data is 0 within each branch. The tree's own mean goes to the bias. A term is therefore the
 * difference it makes against the average training pair, and
 *
 *     trees_sum = bias + the sum of all terms     (up to the rounding of double)
 *
 * What a child's feature does by itself is not taken out of the term of two: the tree has seen it
 * only behind its root. */
#ifndef PAIR_TREE_TERMS_H
#define PAIR_TREE_TERMS_H

#include "pair/trees.h"

/* low < high; high is -1 for a term of one feature. */
struct tree_term {
    int32_t low, high;
};

struct tree_parts; /* what each tree adds to which terms */

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
    double *weight; /* one per term of the plan (and one more that stays 0) */
};

film_status tree_terms_init(struct tree_terms *terms, const struct tree_terms_plan *plan,
                            film_error *error);
void tree_terms_free(struct tree_terms *terms);

/* TERMS->weight[i] = what plan->term[i] contributes for row X. PLAN was made from these TREES. */
void trees_terms(const struct tree_terms_plan *plan, const struct trees *trees, const float *x,
                 struct tree_terms *terms);

#endif
