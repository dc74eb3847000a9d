/* Word evidence: how much each shared feature, each feature of one sentence alone and each item of two
 * words (pair/items.h) speaks for "the same". A sum of exact weights, learned by logistic regression:
 *
 *     margin = bias + sum over shared features f of  shared[f]
 *                   + sum over features f of one sentence alone of  alone[f]
 *                   + sum over items k of  item[k]
 *
 * Nothing is hashed together: features have ids, and items an exact key each, of which those are kept that
 * at least two training pairs have. */
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

/* The margin's parts: of features, and of items by kind. */
struct evidence_sums {
    double shared, alone;     /* of features */
    double item[ITEM_KINDS];  /* [0] is not used */
    double strongest_against; /* the lowest weight of one item, or 0 */
    double strongest_for;     /* the highest */
};

/* The margin of a pair whose items were collected. SUMS may be NULL. */
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
