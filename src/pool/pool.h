/* An open pool: connections for any number of threads, the model, and room for what search keeps in
 * memory.
 *
 * SQLite wants a connection to be used by one thread at a time. A call that reads takes an idle one
 * (or opens one more) and gives it back, so readers never wait for each other or for a writer. There
 * is one connection that writes, under a mutex; between processes SQLite's own lock decides. */
#ifndef POOL_POOL_H
#define POOL_POOL_H

#include "model/model.h"
#include "pool/store.h"

#include <pthread.h>

struct index;

enum { POOL_IDLE = 16 }; /* connections kept open for the next reader */

/* The index in memory as of one change (snapshot.h); empty in a pool that was not searched yet. */
struct pool_snapshot {
    uint64_t change; /* up to here */
    struct index *index;
    int64_t *numbers; /* of each id of the index; not of all still in the pool */
    size_t count, capacity;
    struct safetensors *file; /* what the index may point into */
    uint64_t unsaved;         /* sentences that came or went since the cache was written */
};

struct film_pool {
    char *path; /* as it was given: for messages, and for the index beside it */
    char *file; /* where that led to; every connection goes there */
    unsigned long long device, number; /* of that file, to notice another one in its place */
    size_t dim;

    pthread_mutex_t lock; /* of what follows, up to `writing` */
    double wait;          /* seconds for another process that writes */
    struct db *idle[POOL_IDLE];
    size_t idle_count;

    pthread_mutex_t writing; /* held by the one thread that writes */
    struct db writer;
    int has_writer;

    pthread_mutex_t loading; /* of the model */
    film_model *model;
    void *model_bytes; /* what its arrays point into */

    pthread_rwlock_t snapshot_lock;
    struct pool_snapshot snapshot;
};

/* A connection inside a reading transaction. Give it back also after a failure. */
film_status pool_read(film_pool *pool, struct db **db, film_error *error);
void pool_read_end(film_pool *pool, struct db *db);

/* The writing connection, without a transaction: store_begin starts one. PROGRESS (may be NULL) is
 * asked while another process is waited for. */
film_status pool_write(film_pool *pool, const film_progress *progress, const char *phase,
                       struct db **db, film_error *error);
void pool_write_end(film_pool *pool); /* rolls back what was not committed */

/* film_pool_model, for inside. */
film_status pool_model(film_pool *pool, film_model **model, film_error *error);

film_status pool_missing(film_error *error, const char *what);

#endif
