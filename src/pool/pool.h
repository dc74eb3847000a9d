/* An open pool: connections for any number of threads, the model, and room for what search keeps in
 * memory.
 *
 * SQLite wants a connection to be used by one thread at a time. A call that reads takes an idle one
 * (or opens one more) and gives it back, so readers never wait for each other or for a writer.
 * There is one connection that writes, under a mutex; between processes SQLite's own lock
 * decides. */
#ifndef POOL_POOL_H
#define POOL_POOL_H

#include "model/model.h"
#include "remote/remote.h"
#include "film_pool.h"

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
    char *path; /* as it was given, or what may be shown of a database's URI: for messages */
    char *file; /* where that led to, or the copy of the database; every connection goes there */
    char *copy_name;                   /* what messages call the copy; NULL: there is none */
    char *index_file;                  /* the index's cache, beside the path or the copy */
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

    /* Of a pool in PostgreSQL (shared.c): */
    struct remote *remote;   /* NULL: a file of our own */
    pthread_mutex_t copying; /* of what follows: bringing the copy up to date */
    struct db copier;
    int has_copier;
    double next_look;          /* when readers ask the database again */
    struct follower *follower; /* NULL: readers look for changes themselves */
};

/* A connection inside a reading transaction. Give it back also after a failure. */
film_status pool_read(film_pool *pool, struct db **db, film_error *error);
void pool_read_end(film_pool *pool, struct db *db);

/* One more connection, for the one who asks. */
film_status pool_connect(film_pool *pool, struct db *db, film_error *error);

/* A writing transaction, on the one connection for it. PROGRESS (may be NULL) is asked while
 * another process is waited for, and told that SHARE of the work is done. After FILM_OK,
 * pool_write_end must follow. */
film_status pool_write(film_pool *pool, const film_progress *progress, const char *phase,
                       double share, struct store_write *write, film_error *error);
film_status pool_commit(film_pool *pool, struct store_write *write, film_error *error);
void pool_write_end(film_pool *pool); /* rolls back what was not committed */

/* shared.c: what a pool in PostgreSQL needs besides. Opening finds or makes the copy; then it is
 * brought up to date. */
film_status shared_open(film_pool *pool, const char *uri, film_error *error);
film_status shared_catch_up(film_pool *pool, film_error *error);
void shared_close(film_pool *pool);

/* Brings the copy up to date, where nobody follows; the copy as it is, while the database is
 * away. */
void shared_refresh(film_pool *pool);

/* Every row of the database against DB, a reading transaction. */
film_status shared_compare(film_pool *pool, struct db *db, remote_differs_fn call, void *user,
                           film_error *error);

/* film_pool_model, for inside. */
film_status pool_model(film_pool *pool, film_model **model, film_error *error);

film_status pool_missing(film_error *error, const char *what);

#endif
