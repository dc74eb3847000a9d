/* Disjoint sets with path halving (Tarjan and van Leeuwen). The smallest member names a set,
 * whatever the order of the joins. */
#include "base/union_find.h"
#include "base/mem.h"

film_status union_find_init(struct union_find *sets, size_t count, film_error *error)
{
    *sets = (struct union_find){0};
    if (count > UINT32_MAX - 1)
        return status_set(error, FILM_USAGE, "%zu elements are too many for 32-bit ids", count);
    sets->parent = mem_array(count, sizeof *sets->parent);
    if (!sets->parent) return status_no_memory(error);
    sets->count = (uint32_t)count;
    for (uint32_t i = 0; i < sets->count; i++) sets->parent[i] = i;
    return FILM_OK;
}

void union_find_free(struct union_find *sets)
{
    mem_free(sets->parent);
    *sets = (struct union_find){0};
}

uint32_t union_find_root(struct union_find *sets, uint32_t i)
{
    uint32_t *parent = sets->parent;
    while (parent[i] != i) {
        parent[i] = parent[parent[i]]; /* halve the path on the way up */
        i = parent[i];
    }
    return i;
}

int union_find_join(struct union_find *sets, uint32_t a, uint32_t b)
{
    a = union_find_root(sets, a);
    b = union_find_root(sets, b);
    if (a == b) return 0;
    if (a < b)
        sets->parent[b] = a;
    else
        sets->parent[a] = b;
    return 1;
}
