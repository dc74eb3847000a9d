/* What wasi-libc lacks; included before every source file (wasm/CMakeLists.txt). */
#ifndef WASM_LIBC_H
#define WASM_LIBC_H

#include <stddef.h>
#include <string.h>

void qsort_r(void *base, size_t count, size_t size,
             int (*compare)(const void *a, const void *b, void *user), void *user);

/* The variant that returns the message, as in glibc. */
#define strerror_r(cause, buffer, size) ((void)(buffer), strerror(cause))

/* Advice about pages, which the memory of a module does not have. */
static inline int madvise(void *memory, size_t size, int advice)
{
    (void)memory;
    (void)size;
    (void)advice;
    return 0;
}

#endif
