/* Tests loops over threads: every index once, numbered workers, and preserved errors. */
#include "base/mem.h"
#include "base/threads.h"
#include "testing.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000, THREADS = 4 };

static film_error error;

/* The linker redirects the library's pthread_create here: it fails after `allowed` threads. */
static int allowed = -1, started;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*work)(void *), void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*work)(void *), void *user);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*work)(void *), void *user)
{
    if (allowed >= 0 && started >= allowed) return EAGAIN;
    started++;
    return __real_pthread_create(thread, attributes, work, user);
}

struct seen {
    size_t count, grain;
    int threads;
    int times[MOST], worker[MOST];
    int bad;               /* an impossible chunk or worker number */
    size_t fail_at;        /* MOST: never */
    uint64_t sum, workers; /* under the loop's lock */
    pthread_t caller;
};

static film_status look(struct threads_worker *worker, void *user, film_error *own)
{
    struct seen *seen = user;
    size_t begin, end;
    uint64_t sum = 0;
    int bad = worker->number < 0 || worker->number >= seen->threads;
    bad |= (worker->number == 0) != (pthread_equal(pthread_self(), seen->caller) != 0);
    for (int first = 1; threads_next(worker, &begin, &end); first = 0) {
        bad |= begin % seen->grain != 0 || end > seen->count || end <= begin;
        bad |= end - begin != seen->grain && end != seen->count;
        bad |= worker->number == 0 && first && begin != 0;
        for (size_t i = begin; i < end; i++) {
            seen->times[i]++;
            seen->worker[i] = worker->number;
            sum += i;
            if (i == seen->fail_at) return status_set(own, FILM_BAD_INPUT, "row %zu is bad", i);
        }
    }
    threads_lock(worker);
    seen->bad |= bad;
    seen->sum += sum;
    seen->workers++;
    threads_unlock(worker);
    return FILM_OK;
}

static struct seen *seen_of(size_t count, size_t grain, int threads)
{
    static struct seen seen;
    memset(&seen, 0, sizeof seen);
    seen.count = count;
    seen.grain = grain;
    seen.threads = threads;
    seen.fail_at = MOST;
    seen.caller = pthread_self();
    allowed = -1;
    started = 0;
    return &seen;
}

static void check_all(const struct seen *seen)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < MOST; i++) assert_int_equal(seen->times[i], i < seen->count);
    for (size_t i = 0; i < seen->count; i++) sum += i;
    assert_int_equal(seen->sum, sum);
    assert_int_equal(seen->bad, 0);
}

static void every_index_is_seen_once(void **state)
{
    static const size_t counts[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, MOST};
    static const size_t grains[] = {1, 3, 8, 64, 5000};
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t g = 0; g < sizeof grains / sizeof *grains; g++)
            for (int threads = 1; threads <= THREADS; threads++) {
                struct seen *seen = seen_of(counts[c], grains[g], threads);
                assert_ok(threads_for(threads, counts[c], grains[g], look, seen, &error));
                check_all(seen);
            }
}

static void count_each(size_t begin, size_t end, void *user)
{
    struct seen *seen = user;
    for (size_t i = begin; i < end; i++) __atomic_add_fetch(&seen->times[i], 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&seen->workers, 1, __ATOMIC_RELAXED); /* chunks */
}

static void a_loop_that_cannot_fail_needs_no_worker(void **state)
{
    (void)state;
    for (int threads = 1; threads <= THREADS; threads++)
        for (size_t count = 0; count <= MOST; count += 125) {
            struct seen *seen = seen_of(count, 8, threads);
            threads_each(threads, count, 8, count_each, seen);
            for (size_t i = 0; i < MOST; i++) assert_int_equal(seen->times[i], i < count);
            assert_int_equal(seen->workers, (count + 7) / 8);
        }
}

static void no_more_threads_than_chunks(void **state)
{
    (void)state;
    struct seen *seen = seen_of(20, 10, 64);
    assert_ok(threads_for(64, 20, 10, look, seen, &error));
    check_all(seen);
    assert_int_equal(started, 1);
    assert_int_equal(seen->workers, 2);
    seen = seen_of(20, 10, 1); /* only the caller, also for 0 and below */
    assert_ok(threads_for(0, 20, 10, look, seen, &error));
    check_all(seen);
    assert_int_equal(started, 0);
    seen = seen_of(0, 10, 4);
    assert_ok(threads_for(4, 0, 10, look, seen, &error));
    assert_int_equal(seen->workers, 0);
}

static void threads_that_cannot_be_started_are_done_without(void **state)
{
    (void)state;
    for (int there = 0; there < THREADS; there++) {
        struct seen *seen = seen_of(MOST, 7, THREADS);
        allowed = there;
        assert_ok(threads_for(THREADS, MOST, 7, look, seen, &error));
        check_all(seen);
        assert_int_equal(started, there);
        assert_int_equal(seen->workers, there + 1);
    }
}

static void the_error_of_a_worker_is_kept(void **state)
{
    (void)state;
    for (int threads = 1; threads <= THREADS; threads++)
        for (size_t at = 0; at < MOST; at += 37) {
            struct seen *seen = seen_of(MOST, 5, threads);
            char wanted[40];
            snprintf(wanted, sizeof wanted, "row %zu is bad", at);
            seen->fail_at = at;
            error = (film_error){0};
            assert_int_equal(threads_for(threads, MOST, 5, look, seen, &error), FILM_BAD_INPUT);
            assert_string_equal(error.message, wanted);
            assert_int_equal(error.status, FILM_BAD_INPUT);
            assert_int_equal(threads_for(threads, MOST, 5, look, seen, NULL), FILM_BAD_INPUT);
        }
}

/* All workers fail; each reports its number. */
static film_status fail_all(struct threads_worker *worker, void *user, film_error *own)
{
    size_t begin, end;
    int *failed = user;
    (void)threads_next(worker, &begin, &end);
    threads_lock(worker);
    ++*failed;
    threads_unlock(worker);
    return status_set(own, FILM_IO, "worker %d", worker->number);
}

static void one_of_several_errors_is_reported(void **state)
{
    (void)state;
    int failed = 0;
    assert_int_equal(threads_for(THREADS, MOST, 1, fail_all, &failed, &error), FILM_IO);
    assert_true(failed >= 1 && failed <= THREADS);
    assert_int_equal(strncmp(error.message, "worker ", 7), 0);
}

/* The caller fails at once; waiting workers see it in threads_status and get no further chunk. */
static film_status wait_for_failure(struct threads_worker *worker, void *user, film_error *own)
{
    size_t begin, end;
    int *stopped = user;
    if (worker->number == 0) return status_set(own, FILM_CANCELLED, "stopped");
    while (threads_status(worker) == FILM_OK) sched_yield();
    __atomic_store_n(stopped, !threads_next(worker, &begin, &end), __ATOMIC_RELAXED);
    return FILM_OK;
}

static void the_others_learn_of_a_failure(void **state)
{
    (void)state;
    int stopped = 0;
    allowed = -1;
    assert_int_equal(threads_for(2, 2, 1, wait_for_failure, &stopped, &error), FILM_CANCELLED);
    assert_int_equal(stopped, 1);
    assert_string_equal(error.message, "stopped");
}

struct nested {
    struct seen inner[8];
    int outer;
};

static film_status loop_inside(struct threads_worker *worker, void *user, film_error *own)
{
    struct nested *nested = user;
    size_t i, end;
    film_status status = FILM_OK;
    while (threads_next(worker, &i, &end)) {
        nested->inner[i] = (struct seen){.count = 50, .grain = 4, .threads = 1, .fail_at = MOST};
        nested->inner[i].caller = pthread_self();
        TRY(threads_for(THREADS, 50, 4, look, &nested->inner[i], own));
    }
done:
    return status;
}

static void a_loop_inside_a_loop_starts_no_threads(void **state)
{
    static struct nested nested;
    (void)state;
    (void)seen_of(0, 1, 1);
    assert_ok(threads_for(2, 8, 1, loop_inside, &nested, &error));
    assert_int_equal(started, 1);
    for (int i = 0; i < 8; i++) check_all(&nested.inner[i]);
    struct seen *seen = seen_of(MOST, 8, 2); /* afterwards threads are started again */
    assert_ok(threads_for(2, MOST, 8, look, seen, &error));
    check_all(seen);
    assert_int_equal(started, 1);
}

/* Some variables change what nproc prints. */
static int cores_of_nproc(void)
{
    FILE *output = popen("env -i PATH=\"$PATH\" nproc", "r");
    int cores = 0;
    assert_non_null(output);
    assert_int_equal(fscanf(output, "%d", &cores), 1);
    assert_int_equal(pclose(output), 0);
    return cores;
}

static void the_environment_and_the_cores_decide(void **state)
{
    (void)state;
    const char *before = getenv("FILM_THREADS");
    char *kept = before ? strdup(before) : NULL;
    unsetenv("FILM_THREADS");
    int cores = threads_count(0);
    assert_true(cores >= 1 && cores <= 1024);
    assert_int_equal(cores, cores_of_nproc());
    assert_int_equal(threads_count(-3), cores);
    assert_int_equal(threads_count(3), 3);
    assert_int_equal(threads_count(100000), 1024);
    setenv("FILM_THREADS", "7", 1);
    assert_int_equal(threads_count(0), 7);
    assert_int_equal(threads_count(2), 2);
    setenv("FILM_THREADS", "many", 1);
    assert_int_equal(threads_count(0), cores);
    unsetenv("FILM_THREADS");
    if (kept) setenv("FILM_THREADS", kept, 1);
    free(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_is_seen_once),
        cmocka_unit_test(a_loop_that_cannot_fail_needs_no_worker),
        cmocka_unit_test(no_more_threads_than_chunks),
        cmocka_unit_test(threads_that_cannot_be_started_are_done_without),
        cmocka_unit_test(the_error_of_a_worker_is_kept),
        cmocka_unit_test(one_of_several_errors_is_reported),
        cmocka_unit_test(the_others_learn_of_a_failure),
        cmocka_unit_test(a_loop_inside_a_loop_starts_no_threads),
        cmocka_unit_test(the_environment_and_the_cores_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
