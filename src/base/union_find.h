/* Disjoint sets (union-find) over n items.
 *
 * A set is numbered by its smallest member, whatever the order of the joins, so results do not
 * depend on the order of the input. Path halving without ranks keeps find at O(log n) amortised.
 * Ranks would conflict with the rule that the smallest member is the root. */
#ifndef BASE_UNION_FIND_H
#define BASE_UNION_FIND_H

#include "base/status.h"

#include <stdint.h>

struct union_find {
    uint32_t count;
    uint32_t *parent; /* count; parent[i] <= i, a root is its own parent */
};

/* Initialises COUNT sets of one member each. */
film_status union_find_init(struct union_find *sets, size_t count, film_error *error);
void union_find_free(struct union_find *sets);

/* Returns the smallest member of the set of I. */
uint32_t union_find_root(struct union_find *sets, uint32_t i);

/* Joins two sets. Returns 1 when they were separate. */
int union_find_join(struct union_find *sets, uint32_t a, uint32_t b);

#endif
