/* Word evidence: how much each shared feature, each feature of one sentence alone and each item of
 * two words (pair/items.h) speaks for "the same". A sum of exact weights, learned by logistic
 * regression:
 *
 *     margin = scale * (bias + sum over features and items of  value * weight)
 *
 * There are kinds: features of each group that are shared, features of each group that one sentence
 * has alone, items of each kind. The values of one kind have length 1 together: long sentences have
 * many of everything, and would otherwise be certain of everything (80.9 against 82.4 % on Quora).
 * Words of one sentence alone count by their idf, other features alike. Nothing is hashed together:
 * features have ids, and items an exact key each, of which those are kept that at least two
 * training pairs have. */
#ifndef PAIR_EVIDENCE_H
#define PAIR_EVIDENCE_H

#include "base/keytab.h"
#include "pair/items.h"

struct evidence {
    double bias;
    double
        scale; /* of the whole sum: how far to trust it, found on pairs it was not learned from */
    size_t features;
    const float *feature; /* 2 x features: of feature f, [2 f] shared and [2 f + 1] alone */
    struct keytab items;
    const float *item; /* by the key's slot: one look at memory less than by a number */
    float *own;        /* features, then slots, when learned here; NULL when mapped */
};

void evidence_free(struct evidence *evidence);

/* The margin's parts, before the scale. Of features: [0] shared, [1] of one sentence alone. */
struct evidence_sums {
    double squares[GROUPS][2]; /* of the values, before they are brought to length 1 */
    double feature[GROUPS][2]; /* weight times value: what it adds to the margin */
    double item[ITEM_KINDS];   /* likewise of items; [0] is not used */
    double margin;
};

/* What a feature counts inside its kind, before all are brought to length 1. */
static inline double evidence_base(const struct features *features, enum group group, uint32_t id,
                                   int alone)
{
    return group == GROUP_WORD && alone ? (double)features->idf[id] : 1.0;
}

/* The factor that brings a kind to length 1. */
double evidence_factor(double squares);

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
