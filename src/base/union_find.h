/* Union-find: which of n things belong together, when told pair by pair.
 *
 * A set's number is its smallest member, whatever the order of the joins, so that results built on
 * it do not depend on the order of the input. Path halving alone (no ranks) keeps find at O(log n)
 * amortised; with the smaller member as root a rank would fight the numbering. */
#ifndef BASE_UNION_FIND_H
#define BASE_UNION_FIND_H

#include "base/status.h"

#include <stdint.h>

struct union_find {
    uint32_t count;
    uint32_t *parent; /* count; parent[i] <= i, a root is its own parent */
};

/* COUNT sets of one member each. */
film_status union_find_init(struct union_find *sets, size_t count, film_error *error);
void union_find_free(struct union_find *sets);

/* The smallest member of I's set. */
uint32_t union_find_root(struct union_find *sets, uint32_t i);

/* Joins two sets; 1 when they were apart. */
int union_find_join(struct union_find *sets, uint32_t a, uint32_t b);

#endif
