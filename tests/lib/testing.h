/* Assertions, failing allocations and scratch files; every C test includes this header. */
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

/* These print the failure to standard error: cmocka does not print failures in a group's set-up. */
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

/* Returns whether scripts/test --long runs this. */
static inline int long_tests(void)
{
    const char *value = getenv("FILM_TEST_LONG");
    return value && *value;
}

/* Allocation number FAIL_AT (from 0) and all later ones fail; -1: none. */
static long fail_at = -1, fail_seen;
static inline void *failing_allocate(void *user, size_t size)
{
    (void)user;
    return fail_at >= 0 && fail_seen++ >= fail_at ? NULL : malloc(size);
}
static inline void *failing_reallocate(void *user, void *memory, size_t size)
{
    (void)user;
    return fail_at >= 0 && fail_seen++ >= fail_at ? NULL : realloc(memory, size);
}
static inline void failing_release(void *user, void *memory)
{
    (void)user;
    free(memory);
}
/* For libraries with a malloc hook. */
static inline void *failing_malloc(size_t size)
{
    return failing_allocate(NULL, size);
}
static inline void fail_allocation(long at)
{
    film_allocator allocator = {failing_allocate, failing_reallocate, failing_release, NULL};
    fail_at = at;
    fail_seen = 0;
    film_set_allocator(at >= 0 ? &allocator : NULL);
}

/* Runs CALL, an expression of type film_status, with allocation 0 failing, then 1, 2, 3 and so on,
 * until it returns WANTED. Every earlier result must be FILM_NO_MEMORY. CALL frees what it
 * allocated, also when it fails: the sanitizers find leaks and double frees. Afterwards
 * failures_survived is the number of failed runs; tests compare it with an expected number, so that
 * a call without allocations is noticed.
 *
 * Every allocation below FAIL_DENSE is tried; after that every FAIL_STRIDE-th, because a training
 * makes tens of thousands of similar ones. For a whole training that takes too long:
 * survives_failures_of_training tries every allocation below 500, then increases the step by a
 * twelfth each time. With scripts/test --long it is as dense as the other. */
enum { FAIL_DENSE = 2000, FAIL_STRIDE = 97 };
static long failures_survived __attribute__((unused));
static inline long next_failure(long at, int training)
{
    if (training && !long_tests()) return at < 500 ? at + 1 : at + 1 + at / 12;
    return at < FAIL_DENSE ? at + 1 : at + FAIL_STRIDE;
}
#define survives_failures(wanted, training, call)                                          \
    do {                                                                                   \
        failures_survived = 0;                                                             \
        for (long at_ = 0;; at_ = next_failure(at_, training)) {                           \
            fail_allocation(at_);                                                          \
            film_status status_ = (call);                                                  \
            fail_allocation(-1);                                                           \
            if (status_ == (wanted)) break;                                                \
            if (status_ != FILM_NO_MEMORY) {                                               \
                fprintf(stderr, "# %s: allocation %ld fails: status %d, %s\n", #call, at_, \
                        (int)status_, error.message);                                      \
                fail();                                                                    \
            }                                                                              \
            failures_survived++;                                                           \
        }                                                                                  \
    } while (0)
#define survives_every_failure(call) survives_failures(FILM_OK, 0, call)
#define survives_failures_of_training(wanted, call) survives_failures(wanted, 1, call)

/* The path of a scratch file of this test program. */
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
