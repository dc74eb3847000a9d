/* Sorting: ids, and any array. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts IDS in ascending order; SCRATCH has room for COUNT elements. */
void sort_ids(uint32_t *ids, uint32_t *scratch, size_t count);

/* qsort and qsort_r that keep equal elements in their order. Those of the C library do so only
 * while they get memory, so a result could depend on it. */
void sort_array(void *array, size_t count, size_t size, int (*compare)(const void *, const void *));
void sort_array_r(void *array, size_t count, size_t size,
                  int (*compare)(const void *, const void *, void *), void *user);

#endif
