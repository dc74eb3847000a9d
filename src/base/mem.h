/* Allocation with overflow-checked sizes, through one hook that tests use to make it fail. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* Allocates COUNT elements of SIZE bytes. Returns NULL when there is no memory or the product
 * overflows. A count of zero gives a valid pointer, so NULL always means failure. */
void *mem_array(size_t count, size_t size);
void *mem_zeroed(size_t count, size_t size);

/* As realloc: on failure it returns NULL and the old block stays valid. */
void *mem_resize(void *memory, size_t count, size_t size);

/* A 64-byte aligned array for vectorised loops; free it with mem_free_aligned. */
void *mem_aligned(size_t count, size_t size);
void mem_free_aligned(void *memory);

void mem_free(void *memory);

/* Requests large pages for BYTES of MEMORY. Call it before the memory is first touched. Random
 * reads over many megabytes spend a tenth of their time on misses of small pages. This is only a
 * hint. */
void mem_large_pages(void *memory, size_t bytes);

/* Returns freed memory to the system where the C library would keep it. Call it after freeing many
 * blocks too small to have pages of their own. This is only a hint. */
void mem_give_back(void);

/* Grows *ARRAY (of *CAPACITY elements) by at least half, so that it holds NEEDED elements. Returns
 * 0 when out of memory. */
int mem_enlarge(void **array, size_t *capacity, size_t needed, size_t size);
static inline int mem_grow(void **array, size_t *capacity, size_t needed, size_t size)
{
    return needed <= *capacity || mem_enlarge(array, capacity, needed, size);
}

/* A copy of LENGTH bytes, NUL-terminated. */
char *mem_string(const char *bytes, size_t length);

#endif
