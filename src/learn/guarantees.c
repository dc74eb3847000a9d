/* Counts labelled pairs with only one kind of difference, and lists the traits whose direction is
 * known. The guarantee itself is a term of pair/decision.c. */
#include "learn/guarantees.h"
#include "pair/traits.h"

#include <math.h>

static const struct {
    const char *id;
    unsigned kind; /* the trait is free when this kind is not guaranteed; 0: never free */
} lowering[] = {{"only_numbers", ONLY_NUMBER},
                {"only_negation", ONLY_NEGATION},
                {"only_opposites", ONLY_OPPOSITE},
                {"only_exchange", 0},
                {"exchanged_roles", 0},
                {"unit_changes", 0},
                {"opposites", ONLY_OPPOSITE},
                {"unshared_quantities_max", ONLY_NUMBER}};

enum { KINDS = 3 }; /* the first of the list are guaranteed */

unsigned guarantees_allowed(const struct tree_rows *rows)
{
    unsigned allowed = 0;
    for (size_t k = 0; k < KINDS; k++) {
        size_t trait = trait_find(lowering[k].id);
        double count = 0, same = 0;
        for (size_t i = 0; i < rows->count; i++) {
            if (rows->x[i * rows->traits + trait] == 0) continue;
            count++;
            same += rows->target[i] >= 0.5f;
        }
        /* two standard deviations of a fair coin */
        if (same - count / 2 <= sqrt(count)) allowed |= lowering[k].kind;
    }
    return allowed;
}

void guarantees_directions(unsigned guarantees, int *direction, size_t traits)
{
    for (size_t t = 0; t < traits; t++) direction[t] = 0;
    for (size_t i = 0; i < sizeof lowering / sizeof *lowering; i++)
        if (!lowering[i].kind || lowering[i].kind & guarantees)
            direction[trait_find(lowering[i].id)] = -1;
}
