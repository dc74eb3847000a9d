/* An open pool: connections for any number of threads, the model, and the in-memory index.
 *
 * SQLite allows one thread at a time per connection. A reader takes an idle connection (or opens
 * one more) and returns it, so readers never wait for each other or for a writer. One connection
 * writes, under a mutex; SQLite's own lock coordinates processes. */
#ifndef POOL_POOL_H
#define POOL_POOL_H

#include "model/model.h"
#include "remote/remote.h"
#include "film_pool.h"

#include <pthread.h>

struct index;

/* Number of idle connections to keep open. */
enum { POOL_IDLE = 16 };

/* The in-memory index as of one change (snapshot.h); empty until the first search. */
struct pool_snapshot {
    uint64_t change; /* the last change included */
    struct index *index;
    int64_t *numbers; /* of each id of the index; some are no longer in the pool */
    size_t count, capacity;
    struct safetensors *file; /* the file that the index may point into */
    uint64_t unsaved;         /* changes since the index file was written */
};

/* A model of the pool with its index. `film pool update` replaces the model: calls that have begun
 * finish with the old one, later ones load the new one. Callers keep pointers to models, so all of
 * them live until the pool is closed. */
struct pool_learned {
    struct pool_learned *older;
    char *checksum;       /* of the model's bytes */
    char *words_checksum; /* of the words that the pool stores; NULL: none */
    double threshold;     /* of the pool, which its verdicts use; 0: the model's own */
    film_model *model;
    void *bytes; /* the memory that its arrays point into */
    size_t dim;
    pthread_rwlock_t lock; /* protects the following */
    struct pool_snapshot snapshot;
    int replaced; /* the pool has another model: the index is not updated any more */
};

struct film_pool {
    /* The path as given, or the printable form of the URI of a database: for messages. */
    char *path;
    /* The resolved file, or the copy of the database; every connection opens it. */
    char *file;
    char *words;                       /* path of a file of words, or NULL */
    film_arithmetic arithmetic;        /* of the encoders of its models */
    char *copy_name;                   /* name of the copy in messages; NULL: there is none */
    char *index_file;                  /* index file, next to the path or the copy */
    unsigned long long device, number; /* of that file, to detect that it was replaced */
    int followed; /* film_pool_follow was called: the index file is copied, not mapped */

    pthread_mutex_t lock; /* protects the following, up to `writing` */
    double wait;          /* timeout in seconds for another process that writes */
    struct db *idle[POOL_IDLE];
    size_t idle_count;
    struct cluster_browse *browse; /* the clusters listed last (cluster_list.c), or NULL */

    pthread_mutex_t writing; /* held by the thread that writes */
    struct db writer;
    int has_writer;

    pthread_mutex_t loading;      /* protects the list of models */
    struct pool_learned *learned; /* the last one loaded */

    /* For a pool in PostgreSQL (shared.c): */
    struct remote *remote;   /* NULL: a pool in a file */
    pthread_mutex_t copying; /* protects the following: updating the copy */
    struct db copier;
    int has_copier;
    double next_look;          /* when readers check the database again */
    struct follower *follower; /* NULL: readers check for changes themselves */
};

/* Takes a connection inside a reading transaction. Return it also after a failure. */
film_status pool_read(film_pool *pool, struct db **db, film_error *error);
void pool_read_end(film_pool *pool, struct db *db);

/* Opens one more connection for the caller. */
film_status pool_connect(film_pool *pool, struct db *db, film_error *error);

/* Begins a writing transaction on the writing connection. PROGRESS (may be NULL) is called while
 * waiting for another process, with SHARE as the fraction done. After FILM_OK, pool_write_end must
 * follow. */
film_status pool_write(film_pool *pool, const film_progress *progress, const char *phase,
                       double share, struct store_write *write, film_error *error);
film_status pool_commit(film_pool *pool, struct store_write *write, film_error *error);
/* Rolls back what was not committed. */
void pool_write_end(film_pool *pool);

/* shared.c: support for a pool in PostgreSQL. shared_open finds or creates the copy;
 * shared_catch_up updates it. */
film_status shared_open(film_pool *pool, const char *uri, film_error *error);
film_status shared_catch_up(film_pool *pool, film_error *error);
void shared_close(film_pool *pool);

/* Updates the copy unless a follower does. Keeps the copy as it is while the database is
 * unreachable. */
void shared_refresh(film_pool *pool);

/* Compares every row of the database with DB, a reading transaction. */
film_status shared_compare(film_pool *pool, struct db *db, remote_differs_fn call, void *user,
                           film_error *error);

/* Returns the model that DB sees, a reading or writing transaction; it is loaded when it is new. */
film_status pool_learned(film_pool *pool, struct db *db, struct pool_learned **learned,
                         film_error *error);

/* *HAS is whether the model of DB has this checksum. */
film_status pool_has_model(struct db *db, const char *checksum, int *has, film_error *error);
/* Refuses where vectors are not those that POOL stores: see film_pool_set_arithmetic. */
film_status pool_stores_vectors(const film_pool *pool, film_error *error);

/* *CURRENT is whether DB still has this model, these words and this threshold. */
film_status pool_is_current(struct db *db, const struct pool_learned *learned, int *current,
                            film_error *error);

/* pool_words.c: adds the words that DB stores to a model that was just loaded. */
film_status pool_learn_words(struct db *db, struct pool_learned *learned, const char *path,
                             film_error *error);

/* The stored threshold, a probability; 0: none. */
film_status pool_stored_threshold(struct db *db, double *threshold, film_error *error);

/* The length of the vectors that DB has. */
film_status pool_dim(struct db *db, const char *path, size_t *dim, film_error *error);

/* The bytes of the model file PATH, or of the model of a pool there; free them with
 * mem_free_aligned. */
film_status pool_model_bytes(const char *path, void **bytes, size_t *size, film_error *error);

/* The number of the sentence with this id; FILM_BAD_INPUT when there is none. */
film_status pool_number(film_pool *pool, struct db *db, film_text id, int64_t *number,
                        film_error *error);
/* Another model for a pool (update.c). The one in service becomes the earlier one. */
struct history_model;
struct pool_exchange {
    const void *bytes; /* of the model file */
    size_t size;
    const char *name; /* of the model, for messages */
    int threads;
    const film_progress *progress;
    const char *replaces; /* checksum that the present model must have; NULL: any */
    /* What is known of it, but for its id; NULL: it is from elsewhere, and may have seen all
     * labels. */
    const struct history_model *learned;
    /* Runs inside the transaction, after the exchange; NULL: nothing else is written. */
    film_status (*also)(void *user, struct db *db, film_error *error);
    void *user;
};
/* Replaces model and vectors in one transaction. SENTENCES may be NULL. */
film_status pool_exchange_model(film_pool *pool, const struct pool_exchange *exchange,
                                uint64_t *sentences, film_error *error);
/* Fails for a pool in PostgreSQL, whose model cannot be replaced. */
film_status pool_check_local(const film_pool *pool, film_error *error);

/* Returns whether a label with this origin is the answer of a review (review.c), and whether its
 * pair was drawn at random. */
int review_is_answer(film_text origin);
int review_is_random(film_text origin);
/* INTERVAL = the 95 % interval of a share of N; 0 to 1 where N is 0. */
void review_interval(double share, double n, double interval[2]);

film_status pool_missing(film_error *error, const char *what);

/* cluster_list.c */
void cluster_browse_free(struct cluster_browse *browse);

#endif
