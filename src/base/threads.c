/* Parallel loops over POSIX threads: workers take chunks from an atomic counter. Threads start and
 * end with each loop. That costs tens of microseconds, while loops take milliseconds; and a library
 * without permanent threads is safe in a process that forks or unloads it. Without threads
 * (FILM_NO_THREADS), this is a plain loop. */
#include "base/threads.h"

#include <stdlib.h>
#ifndef FILM_NO_THREADS
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#endif

enum { MOST_THREADS = 1024 };

struct threads_loop {
    size_t count, grain;
    size_t next; /* next chunk; 0 is reserved for the calling thread */
    size_t chunks;
    threads_work work;
    void *user;
    film_status status;
    film_error *error;
#ifndef FILM_NO_THREADS
    pthread_mutex_t lock;
#endif
};

int threads_next(struct threads_worker *worker, size_t *begin, size_t *end)
{
    struct threads_loop *loop = worker->loop;
    size_t chunk = 0;
    if (__atomic_load_n(&loop->status, __ATOMIC_RELAXED) != FILM_OK) return 0;
    if (worker->number != 0 || worker->began)
        chunk = __atomic_fetch_add(&loop->next, 1, __ATOMIC_RELAXED);
    worker->began = 1;
    if (chunk >= loop->chunks) return 0;
    *begin = chunk * loop->grain;
    *end = loop->count - *begin < loop->grain ? loop->count : *begin + loop->grain;
    return 1;
}

film_status threads_status(const struct threads_worker *worker)
{
    return __atomic_load_n(&worker->loop->status, __ATOMIC_RELAXED);
}

static void run_worker(struct threads_loop *loop, int number)
{
    struct threads_worker worker = {loop, number, 0};
    film_error error = {0};
    film_status status = loop->work(&worker, loop->user, &error);
    if (status == FILM_OK) return;
    threads_lock(&worker);
    if (loop->status == FILM_OK) {
        status_set(loop->error, status, "%s", error.message);
        __atomic_store_n(&loop->status, status, __ATOMIC_RELAXED);
    }
    threads_unlock(&worker);
}

static struct threads_loop loop_of(size_t count, size_t grain, threads_work work, void *user,
                                   film_error *error)
{
    return (struct threads_loop){.count = count,
                                 .grain = grain,
                                 .next = 1,
                                 .chunks = count / grain + (count % grain != 0),
                                 .work = work,
                                 .user = user,
                                 .status = FILM_OK,
                                 .error = error};
}

#ifdef FILM_NO_THREADS

int threads_count(int wanted)
{
    (void)wanted;
    return 1;
}

void threads_lock(struct threads_worker *worker)
{
    (void)worker;
}

void threads_unlock(struct threads_worker *worker)
{
    (void)worker;
}

film_status threads_for(int threads, size_t count, size_t grain, threads_work work, void *user,
                        film_error *error)
{
    struct threads_loop loop = loop_of(count, grain, work, user, error);
    (void)threads;
    if (count) run_worker(&loop, 0);
    return loop.status;
}

#else

static int cores(void)
{
#ifdef CPU_COUNT
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : online > MOST_THREADS ? MOST_THREADS : (int)online;
}

int threads_count(int wanted)
{
    if (wanted <= 0) {
        const char *variable = getenv("FILM_THREADS");
        wanted = variable ? atoi(variable) : 0;
    }
    if (wanted <= 0) wanted = cores();
    return wanted > MOST_THREADS ? MOST_THREADS : wanted;
}

void threads_lock(struct threads_worker *worker)
{
    pthread_mutex_lock(&worker->loop->lock);
}

void threads_unlock(struct threads_worker *worker)
{
    pthread_mutex_unlock(&worker->loop->lock);
}

/* Whether this thread runs a loop. Nested loops would start threads squared. */
static _Thread_local int inside;

struct started {
    pthread_t thread;
    struct threads_loop *loop;
    int number;
};

static void *begin_thread(void *argument)
{
    const struct started *started = argument;
    inside = 1;
    run_worker(started->loop, started->number);
    return NULL;
}

film_status threads_for(int threads, size_t count, size_t grain, threads_work work, void *user,
                        film_error *error)
{
    struct threads_loop loop = loop_of(count, grain, work, user, error);
    struct started others[MOST_THREADS];
    int before = inside, running = 0;
    if (count == 0) return FILM_OK;
    if (before) threads = 1;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    if ((size_t)(threads > 0 ? threads : 1) > loop.chunks) threads = (int)loop.chunks;
    /* Without attributes, it cannot fail in any C library. */
    pthread_mutex_init(&loop.lock, NULL);
    inside = 1;
    for (; running < threads - 1; running++) {
        struct started *one = &others[running];
        one->loop = &loop;
        one->number = running + 1;
        if (pthread_create(&one->thread, NULL, begin_thread, one) != 0) break;
    }
    run_worker(&loop, 0);
    for (int i = 0; i < running; i++) pthread_join(others[i].thread, NULL);
    inside = before;
    pthread_mutex_destroy(&loop.lock);
    return loop.status;
}

#endif

struct each_job {
    threads_chunk work;
    void *user;
};

static film_status work_each(struct threads_worker *worker, void *user, film_error *error)
{
    const struct each_job *job = user;
    size_t begin, end;
    (void)error;
    while (threads_next(worker, &begin, &end)) job->work(begin, end, job->user);
    return FILM_OK;
}

void threads_each(int threads, size_t count, size_t grain, threads_chunk work, void *user)
{
    struct each_job job = {work, user};
    (void)threads_for(threads, count, grain, work_each, &job, NULL);
}
