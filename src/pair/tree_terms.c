/* Decomposes a sum of depth-2 trees exactly into a constant and terms of one or two traits
 * (functional ANOVA). trees.c evaluates the sum. */
#include "pair/tree_terms.h"
#include "base/sort.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Terms are numbered; number `count` of the plan collects the zeros of trees without a split, so
 * that the evaluation needs no branch. */
struct tree_parts {
    uint32_t root_term, child_term[2]; /* child: of the left, of the right branch */
    double root[2];                    /* by branch */
    double rest[TREE_LEAVES];
};

/* Weighted mean of two values. Without any training rows, both have equal weight: this affects only
 * how an unseen row is divided into reasons. */
static double weighted_mean(double a, double b, double a_weight, double b_weight)
{
    double weight = a_weight + b_weight;
    return weight > 0 ? (a * a_weight + b * b_weight) / weight : 0.5 * (a + b);
}

/* Computes the mean of the leaves under each branch; returns the mean of all. */
static double branch_means(const struct tree *tree, double branch[2])
{
    double cover[2];
    for (int side = 0; side < 2; side++) {
        double a = (double)tree->leaf[2 * side], b = (double)tree->leaf[2 * side + 1];
        cover[side] = (double)tree->cover[2 * side] + (double)tree->cover[2 * side + 1];
        branch[side] = tree->feature[1 + side] < 0
                           ? a
                           : weighted_mean(a, b, (double)tree->cover[2 * side],
                                           (double)tree->cover[2 * side + 1]);
    }
    if (tree->feature[0] < 0) return branch[0];
    return weighted_mean(branch[0], branch[1], cover[0], cover[1]);
}

double trees_bias(const struct trees *trees)
{
    double bias = 0, branch[2];
    for (size_t t = 0; t < trees->count; t++) {
        struct tree tree;
        trees_get(trees, t, &tree);
        bias += branch_means(&tree, branch);
    }
    return bias;
}

/* ---- Terms by number ---- */

static struct tree_term term_of(const struct tree *tree, int side)
{
    int32_t root = tree->feature[0], child = side < 0 ? -1 : tree->feature[1 + side];
    if (child < 0 || child == root) return (struct tree_term){root, -1};
    return root < child ? (struct tree_term){root, child} : (struct tree_term){child, root};
}

static int in_order(const void *left, const void *right)
{
    const struct tree_term *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    return a->high < b->high ? -1 : a->high > b->high;
}

/* Sets plan->term to the distinct terms, sorted. */
static film_status list_terms(struct tree_terms_plan *plan, const struct trees *trees,
                              film_error *error)
{
    size_t found = 0, kept = 0;
    struct tree_term *term = mem_array(trees->count, 3 * sizeof *term);
    if (!term) return status_no_memory(error);
    for (size_t t = 0; t < trees->count; t++) {
        struct tree tree;
        trees_get(trees, t, &tree);
        for (int side = -1; side < 2 && tree.feature[0] >= 0; side++)
            term[found++] = term_of(&tree, side);
    }
    if (found) sort_array(term, found, sizeof *term, in_order);
    for (size_t i = 0; i < found; i++)
        if (!kept || in_order(&term[kept - 1], &term[i])) term[kept++] = term[i];
    plan->term = term;
    plan->count = kept;
    return FILM_OK;
}

static uint32_t term_number(const struct tree_terms_plan *plan, const struct tree *tree, int side)
{
    if (tree->feature[0] < 0) return (uint32_t)plan->count;
    struct tree_term wanted = term_of(tree, side);
    const struct tree_term *found =
        bsearch(&wanted, plan->term, plan->count, sizeof wanted, in_order);
    return (uint32_t)(found - plan->term);
}

static struct tree_parts parts_of(const struct tree_terms_plan *plan, const struct tree *tree)
{
    struct tree_parts parts = {.root_term = term_number(plan, tree, -1)};
    double branch[2], mean = branch_means(tree, branch);
    for (int side = 0; side < 2 && tree->feature[0] >= 0; side++) {
        parts.root[side] = branch[side] - mean;
        for (int i = 2 * side; i < 2 * side + 2 && tree->feature[1 + side] >= 0; i++)
            parts.rest[i] = (double)tree->leaf[i] - branch[side];
    }
    for (int side = 0; side < 2; side++) parts.child_term[side] = term_number(plan, tree, side);
    return parts;
}

film_status tree_terms_plan_init(struct tree_terms_plan *plan, const struct trees *trees,
                                 film_error *error)
{
    film_status status = FILM_OK;
    memset(plan, 0, sizeof *plan);
    if (trees->count >= UINT32_MAX / 3)
        return status_set(error, FILM_BAD_INPUT, "%zu trees are too many", trees->count);
    TRY(list_terms(plan, trees, error));
    TRY_ALLOC(plan->parts = mem_array(trees->count, sizeof *plan->parts), error);
    for (size_t t = 0; t < trees->count; t++) {
        struct tree tree;
        trees_get(trees, t, &tree);
        plan->parts[t] = parts_of(plan, &tree);
    }
    plan->bias = trees_bias(trees);
done:
    if (status != FILM_OK) tree_terms_plan_free(plan);
    return status;
}

void tree_terms_plan_free(struct tree_terms_plan *plan)
{
    mem_free(plan->term);
    mem_free(plan->parts);
    memset(plan, 0, sizeof *plan);
}

/* ---- Evaluation ---- */

film_status tree_terms_init(struct tree_terms *terms, const struct tree_terms_plan *plan,
                            film_error *error)
{
    terms->weight = mem_zeroed(plan->count + 1, sizeof *terms->weight);
    return terms->weight ? FILM_OK : status_no_memory(error);
}

void tree_terms_free(struct tree_terms *terms)
{
    mem_free(terms->weight);
    terms->weight = NULL;
}

void trees_terms(const struct tree_terms_plan *plan, const struct trees *trees, const float *x,
                 struct tree_terms *terms)
{
    double *weight = terms->weight;
    memset(weight, 0, (plan->count + 1) * sizeof *weight);
    for (size_t t = 0; t < trees->count; t++) {
        const struct tree_parts *parts = &plan->parts[t];
        unsigned leaf = trees_leaf(trees, t, x), side = leaf / 2;
        weight[parts->root_term] += parts->root[side];
        weight[parts->child_term[side]] += parts->rest[leaf];
    }
}
