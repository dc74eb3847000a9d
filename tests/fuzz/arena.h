/* The memory of one execution, in one block: no lists, no recorded stacks, nothing used twice. So
 * an allocation costs far less than the address sanitizer's. Every byte outside a live allocation
 * is poisoned, and what is not freed is a finding, as with malloc. */
#ifndef FUZZ_ARENA_H
#define FUZZ_ARENA_H

#include "fuzz.h"

#ifdef FUZZ_CORPUS /* a replay uses malloc */
static inline void arena_begin(void) {}
static inline void arena_end(void) {}
#else

#include <sanitizer/asan_interface.h>

/* Larger allocations, and those after the block is full, go to malloc. One thread allocates. */
enum { ARENA_ROOM = 1 << 26, ARENA_LARGEST = 1 << 23, ARENA_FILL = 1 << 12, ARENA_HEAD = 16 };

static struct {
    _Alignas(16) unsigned char room[ARENA_ROOM];
    size_t used, live;
    int ready;
} arena;

static inline int arena_holds(const void *memory)
{
    return (uintptr_t)memory - (uintptr_t)arena.room < ARENA_ROOM;
}

/* The size is stored in the poisoned bytes before the memory. */
__attribute__((no_sanitize("address"))) static inline size_t *arena_size(void *memory)
{
    return (size_t *)((unsigned char *)memory - ARENA_HEAD);
}

__attribute__((no_sanitize("address"))) static void *arena_allocate(void *user, size_t bytes)
{
    (void)user;
    size_t all = ARENA_HEAD + (bytes + 15) / 16 * 16;
    arena.live++;
    if (bytes > ARENA_LARGEST || ARENA_ROOM - arena.used < all) return malloc(bytes);
    unsigned char *memory = arena.room + arena.used + ARENA_HEAD;
    arena.used += all;
    *arena_size(memory) = bytes;
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
    /* Not what an earlier execution left. */
    memset(memory, 0xbe, bytes < ARENA_FILL ? bytes : ARENA_FILL);
    return memory;
}

__attribute__((no_sanitize("address"))) static void arena_release(void *user, void *memory)
{
    (void)user;
    if (!memory) return;
    arena.live--;
    if (arena_holds(memory)) {
        require(!__asan_address_is_poisoned(memory)); /* freed twice */
        ASAN_POISON_MEMORY_REGION(memory, *arena_size(memory));
    } else {
        free(memory);
    }
}

__attribute__((no_sanitize("address"))) static void *arena_reallocate(void *user, void *memory,
                                                                      size_t bytes)
{
    if (memory && !arena_holds(memory)) return realloc(memory, bytes);
    unsigned char *larger = arena_allocate(user, bytes);
    size_t before = memory ? *arena_size(memory) : 0;
    if (larger && memory) memcpy(larger, memory, before < bytes ? before : bytes);
    if (larger) arena_release(user, memory);
    return larger;
}

static const film_allocator arena_allocator = {arena_allocate, arena_reallocate, arena_release,
                                               NULL};

/* From here to arena_end the library and jansson allocate here. */
static inline void arena_begin(void)
{
    if (!arena.ready) ASAN_POISON_MEMORY_REGION(arena.room, ARENA_ROOM);
    arena.ready = 1;
    arena.used = 0; /* all of it was freed, and is poisoned */
    film_set_process_allocator(&arena_allocator);
}

static inline void arena_end(void)
{
    require(arena.live == 0); /* memory was not freed */
    film_set_process_allocator(NULL);
}

#endif
#endif
