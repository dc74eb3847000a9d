/* What every C test includes. */
#ifndef TESTING_H
#define TESTING_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <unistd.h>

#include "film_train.h"

/* These say what is wrong on standard error: cmocka keeps to itself what fails in a group's
 * set-up. */
#undef assert_true
#define assert_true(condition)                                                              \
    do {                                                                                    \
        if (!(condition)) {                                                                 \
            fprintf(stderr, "# %s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            fail();                                                                         \
        }                                                                                   \
    } while (0)

#undef assert_non_null
#define assert_non_null(pointer) assert_true((pointer) != NULL)

#define assert_close(a, b, tolerance)                                             \
    do {                                                                          \
        double left_ = (double)(a), right_ = (double)(b);                         \
        if (!(fabs(left_ - right_) <= (tolerance))) {                             \
            fprintf(stderr, "# %s = %.12g, %s = %.12g\n", #a, left_, #b, right_); \
            fail();                                                               \
        }                                                                         \
    } while (0)

#define assert_ok(call)                                                                   \
    do {                                                                                  \
        film_status status_ = (call);                                                     \
        if (status_ != FILM_OK) {                                                         \
            fprintf(stderr, "# %s: status %d, %s\n", #call, (int)status_, error.message); \
            fail();                                                                       \
        }                                                                                 \
    } while (0)

/* Whether scripts/test --long runs this. */
static inline int long_tests(void)
{
    const char *value = getenv("FILM_TEST_LONG");
    return value && *value;
}

/* Allocation number FAIL_AT (from 0) and all after it fail; -1: none. */
static long fail_at = -1, fail_seen;
static inline void *failing_malloc(size_t size)
{
    return fail_at >= 0 && fail_seen++ >= fail_at ? NULL : malloc(size);
}
static inline void *failing_realloc(void *memory, size_t size)
{
    return fail_at >= 0 && fail_seen++ >= fail_at ? NULL : realloc(memory, size);
}
static inline void fail_allocation(long at)
{
    film_allocator allocator = {failing_malloc, failing_realloc, free};
    fail_at = at;
    fail_seen = 0;
    film_set_allocator(at >= 0 ? &allocator : NULL);
}

/* A path for a scratch file of this test program. */
static inline const char *scratch(const char *name)
{
    static char paths[8][300];
    static int turn;
    char *path = paths[turn++ % 8];
    const char *folder = getenv("TMPDIR");
    snprintf(path, 300, "%s/film-test-%ld-%s", folder ? folder : "/tmp", (long)getpid(), name);
    return path;
}

static inline void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

#endif
