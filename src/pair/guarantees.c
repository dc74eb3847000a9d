/* The guarantees of a decision: their names, the directions of traits, and the check that line and
 * trees keep to these. The term itself is in pair/decision.c. */
#include "pair/guarantees.h"

#include <math.h>
#include <string.h>

const struct guarantee guarantees[GUARANTEES] = {{ONLY_NUMBER, "number", "only_numbers"},
                                                 {ONLY_NEGATION, "negation", "only_negation"},
                                                 {ONLY_OPPOSITE, "opposite", "only_opposites"},
                                                 {ONLY_EXCHANGE, "exchange", "only_exchange"}};

/* Traits that fall as well. Constraining every trait with an obvious direction costs 1.3 points on
 * Quora, because traits correct each other. */
static const struct {
    unsigned kind; /* the trait is free when this kind is not guaranteed */
    const char *trait;
} falling[] = {{ONLY_EXCHANGE, "exchanged_roles"},
               {ONLY_NUMBER, "unit_changes"},
               {ONLY_NUMBER, "unshared_quantities_max"},
               {ONLY_OPPOSITE, "opposites"}};

int guarantees_direction(unsigned kinds, size_t trait)
{
    if (trait >= traits_count()) return 0; /* of a field */
    const char *id = trait_at(trait)->id;
    for (size_t i = 0; i < GUARANTEES; i++)
        if (kinds & guarantees[i].kind && strcmp(id, guarantees[i].trait) == 0) return -1;
    for (size_t i = 0; i < sizeof falling / sizeof *falling; i++)
        if (kinds & falling[i].kind && strcmp(id, falling[i].trait) == 0) return -1;
    return 0;
}

/* Returns whether tree T never rises in the trait of any of its splits that falls. */
static int tree_holds(const struct trees *trees, size_t t, unsigned kinds)
{
    float low[3], high[3]; /* of the leaves below each split; the root is first */
    for (int s = 1; s < TREE_SPLITS; s++) {
        const float *leaf = trees->leaf + (size_t)(2 * (s - 1)) * trees->count + t;
        float left = leaf[0], right = leaf[trees->count];
        int32_t feature = trees->feature[(size_t)s * trees->count + t];
        if (feature < 0) right = left;
        if (feature >= 0 && right > left && guarantees_direction(kinds, (size_t)feature)) return 0;
        low[s] = fminf(left, right);
        high[s] = fmaxf(left, right);
    }
    int32_t root = trees->feature[t];
    return root < 0 || high[2] <= low[1] || !guarantees_direction(kinds, (size_t)root);
}

int guarantees_hold(const struct decision *decision)
{
    const struct linear *line = &decision->line;
    unsigned kinds = decision->guarantees;
    for (size_t t = 0; t < line->count; t++)
        if (line->weight[t] > 0 && guarantees_direction(kinds, t)) return 0;
    for (size_t t = 0; t < decision->trees.count; t++)
        if (!tree_holds(&decision->trees, t, kinds)) return 0;
    return 1;
}
