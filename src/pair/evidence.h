/* Word evidence: how much each shared feature, each unshared feature and each item of two words
 * (pair/items.h) speaks for "the same". It is a linear model learned by logistic regression:
 *
 *     margin = scale * (bias + sum over features and items of  value * weight)
 *
 * There are several kinds: shared features of each group, unshared features of each group, and
 * items of each kind. The values of one kind are normalised to length 1. Otherwise long sentences,
 * which have many of everything, would be certain of everything (80.9 against 82.4 % on Quora).
 * Unshared words have their idf as value, all other features 1. Nothing is hashed together:
 * features have ids and items have exact keys. An item is kept if at least two training pairs have
 * it. */
#ifndef PAIR_EVIDENCE_H
#define PAIR_EVIDENCE_H

#include "base/keytab.h"
#include "pair/item_table.h"
#include "pair/items.h"

struct evidence {
    double bias;
    /* Weight of the whole sum, learned on pairs that the evidence was not learned from. */
    double scale;
    size_t features;
    /* 2 x features: [2 f] weight of feature f when shared, [2 f + 1] when unshared. Compact: NULL,
     * and the weight is a code times the scale of shared or unshared features. */
    const float *feature;
    const int8_t *feature_code;
    const float *feature_scale;
    /* The items, as learned (a hash table and weights by its slots: saves one memory access), or
     * compact. */
    struct keytab items;
    const float *item;
    struct item_table table;
    float *own; /* features, then slots, when learned here; NULL when mapped */
    /* Weights that the user set, by ascending key: that of an item, or 2 f + alone of a feature,
     * which is below all keys of items. They replace the learned ones. */
    const uint64_t *edited_key;
    const float *edited;
    size_t edited_count;
    void *edited_own; /* both, when edited here; NULL when mapped */
};

void evidence_free(struct evidence *evidence);

/* The parts of the margin, before the scale. Features: [0] shared, [1] unshared. */
struct evidence_sums {
    double squares[GROUPS][2]; /* sum of squares of the values, before normalisation */
    double feature[GROUPS][2]; /* sum of value times weight */
    double item[ITEM_KINDS];   /* likewise for items; [0] is not used */
    double margin;
};

/* Value of a feature inside its kind, before normalisation. */
static inline double evidence_base(const struct features *features, enum group group, uint32_t id,
                                   int alone)
{
    return group == GROUP_WORD && alone ? (double)features->idf[id] : 1.0;
}

/* Normalisation factor of a kind. */
double evidence_factor(double squares);

/* Returns the margin of a pair whose items were collected. */
double evidence_margin(const struct evidence *evidence, const struct reading *reading,
                       const struct items *items, struct evidence_sums *sums);

/* Returns the learned weight of a feature; AT is 2 f + alone. */
static inline float evidence_learned(const struct evidence *evidence, size_t at)
{
    return evidence->feature ? evidence->feature[at]
                             : evidence->feature_scale[at % 2] * (float)evidence->feature_code[at];
}

/* Returns the weight that the user set for this key, or WEIGHT when there is none. */
float evidence_edited(const struct evidence *evidence, uint64_t key, float weight);
/* Sets the weight of a key. */
film_status evidence_edit(struct evidence *evidence, uint64_t key, float weight, film_error *error);

/* Returns the weight of feature ID, shared or unshared. */
static inline float evidence_feature(const struct evidence *evidence, uint32_t id, int alone)
{
    size_t at = 2 * (size_t)id + (size_t)alone;
    if (evidence->edited_count)
        return evidence_edited(evidence, at, evidence_learned(evidence, at));
    return evidence_learned(evidence, at);
}

/* Returns the weight of an item, or 0 when the item is unknown. */
float evidence_item(const struct evidence *evidence, uint64_t key);

/* The number of places that evidence_at lists, some of them empty. */
uint64_t evidence_places(const struct evidence *evidence);

/* The key and the weight of the item at a place. The key is 0 for an empty place, and for an item
 * whose words cannot be told from it. */
uint64_t evidence_at(const struct evidence *evidence, uint64_t place, float *weight);

#endif
