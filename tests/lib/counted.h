/* An allocator that counts its blocks and calls. */
#ifndef COUNTED_H
#define COUNTED_H

#include "testing.h"

#include <stdlib.h>

struct counted {
    long blocks, calls;
};

static inline void *count_allocate(void *user, size_t size)
{
    struct counted *counted = user;
    __atomic_add_fetch(&counted->blocks, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&counted->calls, 1, __ATOMIC_RELAXED);
    return malloc(size);
}

static inline void *count_reallocate(void *user, void *memory, size_t size)
{
    struct counted *counted = user;
    if (!memory) __atomic_add_fetch(&counted->blocks, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&counted->calls, 1, __ATOMIC_RELAXED);
    return realloc(memory, size);
}

static inline void count_release(void *user, void *memory)
{
    struct counted *counted = user;
    assert_non_null(memory);
    __atomic_sub_fetch(&counted->blocks, 1, __ATOMIC_RELAXED);
    free(memory);
}

#endif
