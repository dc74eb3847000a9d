/* Word evidence: how much each shared feature, each feature of one sentence alone and each item of two
 * words (pair/items.h) speaks for "the same". A sum of exact weights, learned by logistic regression:
 *
 *     margin = bias + sum over kinds k of  1 / sqrt(n_k) * sum over the n_k things of that kind of  weight
 *
 * The kinds: features of each group that are shared, features of each group that one sentence has alone,
 * items of each kind. Long sentences have many of everything; without the root they would be certain
 * of everything (80.9 against 82.4 % on Quora). Nothing is hashed together: features have ids, and items
 * an exact key each, of which those are kept that at least two training pairs have. */
#ifndef PAIR_EVIDENCE_H
#define PAIR_EVIDENCE_H

#include "base/keytab.h"
#include "pair/items.h"

struct evidence {
    double bias;
    size_t features;
    const float *feature; /* 2 x features: of feature f, [2 f] shared and [2 f + 1] alone */
    struct keytab items;
    const float *item; /* by the item's number */
    float *own;        /* features, then items, when learned here; NULL when mapped */
};

void evidence_free(struct evidence *evidence);

/* The margin's parts. */
struct evidence_sums {
    double shared[GROUPS], alone[GROUPS];             /* of features, before the root */
    size_t shared_count[GROUPS], alone_count[GROUPS]; /* how many there are */
    double item[ITEM_KINDS]; /* of items, before the root; [0] is not used */
    double lowest, highest;  /* weight of one item, or 0 */
};

/* What one of COUNT features counts. */
float evidence_value(size_t count);

/* The margin of a pair whose items were collected. */
double evidence_margin(const struct evidence *evidence, const struct reading *reading,
                       const struct items *items, struct evidence_sums *sums);

/* The weight of feature ID in the pair: shared or alone. */
static inline float evidence_feature(const struct evidence *evidence, uint32_t id, int alone)
{
    return evidence->feature[2 * (size_t)id + (size_t)alone];
}

/* The weight of an item, 0 when it is not known. */
float evidence_item(const struct evidence *evidence, const struct item *item);

#endif
