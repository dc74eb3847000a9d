/* A job whose processes are threads of this program, to test code on base/comm.h.
 *
 *     static void work(const struct comm *comm, void *user) { ... comm_sum_double(comm, ...) ... }
 *     comm_threads_run(3, work, &user);
 *
 * When a process returns early (a failure), the job is marked as broken and the calls of the others
 * fail with FILM_CANCELLED instead of blocking. cmocka's asserts work only in the main thread, so
 * check results after the run. */
#ifndef COMM_THREADS_H
#define COMM_THREADS_H

#include "base/comm.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { COMM_THREADS_MOST = 8 };

struct comm_table {
    pthread_mutex_t lock;
    pthread_cond_t turned;
    int size, waiting, broken;
    unsigned long turn;
    const void *at[COMM_THREADS_MOST];
    const size_t *sizes[COMM_THREADS_MOST];
};

struct comm_player {
    struct comm comm;
    struct comm_traffic traffic;
    struct comm_table *table;
    void (*work)(const struct comm *comm, void *user);
    void *user;
};

/* A barrier. Returns non-zero when a process has left. */
static int comm_meet(struct comm_table *table)
{
    pthread_mutex_lock(&table->lock);
    unsigned long turn = table->turn;
    if (++table->waiting == table->size) {
        table->waiting = 0;
        table->turn++;
        pthread_cond_broadcast(&table->turned);
    }
    while (turn == table->turn && !table->broken) pthread_cond_wait(&table->turned, &table->lock);
    int broken = turn == table->turn;
    pthread_mutex_unlock(&table->lock);
    return broken;
}

/* Publishes this process's bytes; the others copy them between the two barriers. */
static film_status comm_show(struct comm_player *me, const void *bytes, const size_t *sizes,
                             film_error *e)
{
    me->table->at[me->comm.rank] = bytes;
    me->table->sizes[me->comm.rank] = sizes;
    return comm_meet(me->table) ? status_set(e, FILM_CANCELLED, "another process has left")
                                : FILM_OK;
}

static film_status comm_shown(struct comm_player *me, film_error *e)
{
    return comm_meet(me->table) ? status_set(e, FILM_CANCELLED, "another process has left")
                                : FILM_OK;
}

#define COMM_THREADS_SUM(name, type)                                                          \
    static film_status name(void *self, type *values, size_t count, film_error *e)            \
    {                                                                                         \
        struct comm_player *me = self;                                                        \
        type *sum = calloc(count + 1, sizeof *sum);                                           \
        film_status status = comm_show(me, values, NULL, e);                                  \
        for (int i = 0; status == FILM_OK && i < me->comm.size; i++)                          \
            for (size_t k = 0; k < count; k++) sum[k] += ((const type *)me->table->at[i])[k]; \
        if (status == FILM_OK) status = comm_shown(me, e);                                    \
        if (status == FILM_OK) memcpy(values, sum, count * sizeof *sum);                      \
        free(sum);                                                                            \
        return status;                                                                        \
    }
COMM_THREADS_SUM(comm_threads_sum_float, float)
COMM_THREADS_SUM(comm_threads_sum_double, double)

static film_status comm_threads_sum_shares(void *self, const float *values, const size_t *counts,
                                           float *mine, film_error *e)
{
    struct comm_player *me = self;
    size_t first = 0, count = counts[me->comm.rank];
    for (int i = 0; i < me->comm.rank; i++) first += counts[i];
    film_status status = comm_show(me, values, NULL, e);
    for (size_t k = 0; status == FILM_OK && k < count; k++) {
        mine[k] = 0;
        for (int i = 0; i < me->comm.size; i++)
            mine[k] += ((const float *)me->table->at[i])[first + k];
    }
    return status == FILM_OK ? comm_shown(me, e) : status;
}

static film_status comm_threads_broadcast(void *self, void *bytes, size_t size, int root,
                                          film_error *e)
{
    struct comm_player *me = self;
    film_status status = comm_show(me, bytes, NULL, e);
    if (status == FILM_OK && me->comm.rank != root) memcpy(bytes, me->table->at[root], size);
    return status == FILM_OK ? comm_shown(me, e) : status;
}

static film_status comm_threads_gather(void *self, const void *mine, void *all, const size_t *sizes,
                                       film_error *e)
{
    struct comm_player *me = self;
    char *to = all;
    film_status status = comm_show(me, mine, NULL, e);
    for (int i = 0; status == FILM_OK && i < me->comm.size; to += sizes[i++])
        if (sizes[i]) memcpy(to, me->table->at[i], sizes[i]);
    return status == FILM_OK ? comm_shown(me, e) : status;
}

static film_status comm_threads_exchange(void *self, const void *out, const size_t *out_sizes,
                                         void *in, const size_t *in_sizes, film_error *e)
{
    struct comm_player *me = self;
    char *to = in;
    film_status status = comm_show(me, out, out_sizes, e);
    for (int i = 0; status == FILM_OK && i < me->comm.size; to += in_sizes[i++]) {
        const char *from = me->table->at[i];
        for (int j = 0; j < me->comm.rank; j++) from += me->table->sizes[i][j];
        if (me->table->sizes[i][me->comm.rank] != in_sizes[i]) abort(); /* fails the test */
        if (in_sizes[i]) memcpy(to, from, in_sizes[i]);
    }
    return status == FILM_OK ? comm_shown(me, e) : status;
}

static void *comm_threads_play(void *data)
{
    struct comm_player *me = data;
    me->work(&me->comm, me->user);
    pthread_mutex_lock(&me->table->lock);
    me->table->broken = 1; /* releases processes that still wait */
    pthread_cond_broadcast(&me->table->turned);
    pthread_mutex_unlock(&me->table->lock);
    return NULL;
}

/* Runs WORK in SIZE threads, each as one process of a job. */
static inline void comm_threads_run(int size, void (*work)(const struct comm *comm, void *user),
                                    void *user)
{
    static const struct comm_engine engine = {comm_threads_sum_float,  comm_threads_sum_double,
                                              comm_threads_sum_shares, comm_threads_broadcast,
                                              comm_threads_gather,     comm_threads_exchange};
    struct comm_table table = {.size = size};
    struct comm_player players[COMM_THREADS_MOST];
    pthread_t threads[COMM_THREADS_MOST];
    pthread_mutex_init(&table.lock, NULL);
    pthread_cond_init(&table.turned, NULL);
    for (int i = 0; i < size; i++) {
        players[i] = (struct comm_player){.table = &table, .work = work, .user = user};
        players[i].comm = (struct comm){i, size, &players[i], &engine, &players[i].traffic};
    }
    for (int i = 0; i < size; i++)
        pthread_create(&threads[i], NULL, comm_threads_play, &players[i]);
    for (int i = 0; i < size; i++) pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&table.lock);
    pthread_cond_destroy(&table.turned);
}

#endif
