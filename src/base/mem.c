/* Overflow-checked allocation through the program's allocator (film_set_allocator). Of the other
 * libraries, only jansson can be redirected to it (film_set_process_allocator). */
#include "base/mem.h"

#include "film_types.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* allocate is NULL: use the C library. */
static film_allocator hook;

static void *allocate(size_t bytes)
{
    return hook.allocate ? hook.allocate(hook.user, bytes) : malloc(bytes);
}

static void release(void *memory)
{
    if (hook.allocate && memory)
        hook.release(hook.user, memory);
    else if (!hook.allocate)
        free(memory);
}

void film_set_allocator(const film_allocator *allocator)
{
    hook = allocator ? *allocator : (film_allocator){.allocate = NULL};
}

void film_set_process_allocator(const film_allocator *allocator)
{
    film_set_allocator(allocator);
    /* jansson's functions have no user pointer: these two use the hook. */
    if (allocator)
        json_set_alloc_funcs(allocate, release);
    else
        json_set_alloc_funcs(malloc, free);
}

void film_free(void *memory)
{
    release(memory);
}

static int bytes_of(size_t count, size_t size, size_t *bytes)
{
    if (__builtin_mul_overflow(count, size, bytes) || *bytes > PTRDIFF_MAX) return 0;
    if (*bytes == 0) *bytes = 1;
    return 1;
}

void *mem_array(size_t count, size_t size)
{
    size_t bytes;
    return bytes_of(count, size, &bytes) ? allocate(bytes) : NULL;
}

void *mem_zeroed(size_t count, size_t size)
{
    size_t bytes;
    if (!bytes_of(count, size, &bytes)) return NULL;
    /* calloc gets fresh pages from the kernel without touching them; a hook has only allocate. */
    if (!hook.allocate) return calloc(1, bytes);
    void *memory = allocate(bytes);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

void *mem_resize(void *memory, size_t count, size_t size)
{
    size_t bytes;
    if (!bytes_of(count, size, &bytes)) return NULL;
    return hook.allocate ? hook.reallocate(hook.user, memory, bytes) : realloc(memory, bytes);
}

/* The start of the block is stored before the aligned address, so one allocator hook serves
 * both. */
void *mem_aligned(size_t count, size_t size)
{
    size_t bytes;
    if (!bytes_of(count, size, &bytes) || bytes > PTRDIFF_MAX - 128) return NULL;
    unsigned char *block = allocate(bytes + 128);
    if (!block) return NULL;
    unsigned char *aligned = block + 64 + (64 - ((uintptr_t)block & 63));
    memcpy(aligned - sizeof block, &block, sizeof block);
    return aligned;
}

void mem_free_aligned(void *memory)
{
    if (!memory) return;
    unsigned char *block;
    memcpy(&block, (unsigned char *)memory - sizeof block, sizeof block);
    release(block);
}

void mem_free(void *memory)
{
    release(memory);
}

void mem_large_pages(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    enum { SMALL = 4096, LARGE = 1 << 21 };
    uintptr_t first = ((uintptr_t)memory + SMALL - 1) & ~(uintptr_t)(SMALL - 1);
    uintptr_t last = ((uintptr_t)memory + bytes) & ~(uintptr_t)(SMALL - 1);
    if (bytes < 2 * LARGE || last <= first) return;
    (void)madvise((void *)first, last - first, MADV_HUGEPAGE); /* refused: small pages as before */
#else
    (void)memory, (void)bytes;
#endif
}

void mem_give_back(void)
{
#ifdef __GLIBC__
    /* Only one thread at a time. If another allocator replaced malloc (a sanitizer, jemalloc),
     * glibc's own is not yet initialised, and two threads that initialise it at once crash in
     * malloc_trim. */
    static atomic_flag busy = ATOMIC_FLAG_INIT;
    if (hook.allocate || atomic_flag_test_and_set(&busy)) return;
    malloc_trim(0);
    atomic_flag_clear(&busy);
#endif
}

int mem_enlarge(void **array, size_t *capacity, size_t needed, size_t size)
{
    size_t larger = *capacity + *capacity / 2 + 16;
    if (larger < needed) larger = needed;
    void *memory = mem_resize(*array, larger, size);
    if (!memory) return 0;
    *array = memory;
    *capacity = larger;
    return 1;
}

char *mem_string(const char *bytes, size_t length)
{
    char *copy = length < SIZE_MAX ? mem_array(length + 1, 1) : NULL;
    if (!copy) return NULL;
    if (length) memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}
