/* Preloaded: allocation number FAIL_MALLOC_AT of the main thread (from 1) returns NULL, all others
 * succeed. With FAIL_MALLOC_COUNT=FILE, their number is written to FILE at the end. Allocations
 * before main are not counted. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);

static long seen, at;
static int started;

static int fails(void)
{
    if (!started || syscall(SYS_gettid) != getpid() || ++seen != at) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails() ? NULL : __libc_realloc(memory, size);
}

__attribute__((constructor)) static void start(void)
{
    const char *text = getenv("FAIL_MALLOC_AT");
    at = text ? strtol(text, NULL, 10) : 0;
    started = 1;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAIL_MALLOC_COUNT");
    started = 0;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", seen);
    fclose(file);
}
