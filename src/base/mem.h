/* Allocation whose sizes cannot overflow, through one hook that tests use to make it fail. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* COUNT elements of SIZE bytes; NULL when there is no memory or the product overflows. A count of
 * zero gives a valid pointer, so that NULL always means failure. */
void *mem_array(size_t count, size_t size);
void *mem_zeroed(size_t count, size_t size);

/* As realloc: on failure the old block stays valid and NULL comes back. */
void *mem_resize(void *memory, size_t count, size_t size);

/* A 64-byte aligned array for vectorised loops; free with mem_free_aligned. */
void *mem_aligned(size_t count, size_t size);
void mem_free_aligned(void *memory);

void mem_free(void *memory);

/* Asks the system for large pages under BYTES of MEMORY, before it is first touched: random reads
 * over many megabytes spend a tenth of their time looking up small ones. Only ever a hint. */
void mem_large_pages(void *memory, size_t bytes);

/* Gives the system back what was freed, where the C library keeps it for the next one who asks:
 * after many blocks too small to have pages of their own. Only ever a hint. */
void mem_give_back(void);

/* Grows *ARRAY (of *CAPACITY elements) to hold at least NEEDED, by half again. 0: no memory. */
int mem_grow(void **array, size_t *capacity, size_t needed, size_t size);

/* A copy of LENGTH bytes with a NUL behind them. */
char *mem_string(const char *bytes, size_t length);

#endif
