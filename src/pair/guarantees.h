/* What a decision guarantees: differences that alone are never "the same", and traits that may only
 * speak against it. */
#ifndef PAIR_GUARANTEES_H
#define PAIR_GUARANTEES_H

#include "pair/decision.h"

/* The kinds of comparison.only, each with the trait that is 1 where it holds. */
enum { GUARANTEES = 4 };
struct guarantee {
    unsigned kind;            /* ONLY_NUMBER, ... */
    const char *name, *trait; /* in files and messages; the trait's id */
};
extern const struct guarantee guarantees[GUARANTEES];

/* Returns -1 where a decision with GUARANTEES may only fall in trait TRAIT, otherwise 0. */
int guarantees_direction(unsigned kinds, size_t trait);

/* Checks the weights of the line and all trees against these directions. */
int guarantees_hold(const struct decision *decision);

#endif
