/* Sorting small arrays of ids. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts IDS in ascending order; SCRATCH has room for COUNT elements. */
void sort_ids(uint32_t *ids, uint32_t *scratch, size_t count);

#endif
