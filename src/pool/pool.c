/* An open pool: connections, the model, transactions. src/store knows what is stored. */
#include "pool/pool.h"
#include "base/mem.h"
#include "pool/snapshot.h"
#include "store/lineage.h"
#include "store/schema.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

film_status pool_missing(film_error *error, const char *what)
{
    return status_missing(error, what);
}

/* ---- Connections ---- */

static double get_wait(film_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    double wait = pool->wait;
    pthread_mutex_unlock(&pool->lock);
    return wait;
}

/* The name of the file in messages. */
static const char *shown_path(const film_pool *pool)
{
    return pool->copy_name ? pool->copy_name : pool->path;
}

static int is_replaced(const film_pool *pool)
{
    struct stat about;
    return stat(pool->file, &about) != 0 || about.st_dev != pool->device ||
           about.st_ino != pool->number;
}

int film_pool_replaced(const film_pool *pool, const char *path)
{
    char *real = pool && path ? realpath(path, NULL) : NULL;
    int replaced = real && strcmp(real, pool->file) == 0 && is_replaced(pool);
    free(real);
    return replaced;
}

/* Open connections of a pool whose file was replaced can still be read. Everything else would go to
 * the new file, or into the log next to it. */
static film_status check_place(const film_pool *pool, film_error *error)
{
    if (!is_replaced(pool)) return FILM_OK;
    return status_set(error, FILM_IO,
                      "%s was removed or replaced while it was in use; stop the programs that use "
                      "it and start them again",
                      shown_path(pool));
}

film_status pool_connect(film_pool *pool, struct db *db, film_error *error)
{
    film_status status = check_place(pool, error);
    if (status == FILM_OK) status = db_open(db, pool->file, shown_path(pool), error);
    if (status != FILM_OK) return status;
    db->wait = get_wait(pool);
    status = schema_open(db, error);
    /* After a power cut, the database still has what the copy lost. */
    if (status == FILM_OK && pool->remote)
        status = db_run(db, "PRAGMA synchronous = NORMAL", error);
    if (status != FILM_OK) db_close(db);
    return status;
}

film_status pool_read(film_pool *pool, struct db **out, film_error *error)
{
    film_status status = FILM_OK;
    struct db *db = NULL;
    *out = NULL;
    if (pool->remote) shared_refresh(pool);
    pthread_mutex_lock(&pool->lock);
    if (pool->idle_count) db = pool->idle[--pool->idle_count];
    pthread_mutex_unlock(&pool->lock);
    if (!db) {
        TRY_ALLOC(db = mem_zeroed(1, sizeof *db), error);
        TRY(pool_connect(pool, db, error));
    }
    db->wait = get_wait(pool);
    *out = db;
    TRY(db_begin(db, 0, error));
done:
    if (status != FILM_OK && !*out) mem_free(db);
    return status;
}

void pool_read_end(film_pool *pool, struct db *db)
{
    if (!db) return;
    db_rollback(db);
    db->progress = NULL;
    db->phase = NULL;
    pthread_mutex_lock(&pool->lock);
    int kept = pool->idle_count < POOL_IDLE;
    if (kept) pool->idle[pool->idle_count++] = db;
    pthread_mutex_unlock(&pool->lock);
    if (kept) return;
    db_close(db);
    mem_free(db);
}

film_status pool_write(film_pool *pool, const film_progress *progress, const char *phase,
                       double share, struct store_write *write, film_error *error)
{
    film_status status = FILM_OK;
    struct db *db = &pool->writer;
    pthread_mutex_lock(&pool->writing);
    TRY(check_place(pool, error));
    if (!pool->has_writer) TRY(pool_connect(pool, db, error));
    pool->has_writer = 1;
    db->wait = get_wait(pool);
    db->progress = progress;
    db->phase = phase;
    db->done = share;
    db->total = share > 0;
    if (pool->remote)
        TRY(remote_begin(pool->remote, db, db->wait, write, error));
    else
        TRY(store_begin(write, db, error));
done:
    if (status != FILM_OK) pool_write_end(pool);
    return status;
}

film_status pool_commit(film_pool *pool, struct store_write *write, film_error *error)
{
    return pool->remote ? remote_commit(pool->remote, write, error) : store_commit(write, error);
}

void pool_write_end(film_pool *pool)
{
    db_rollback(&pool->writer);
    if (pool->remote) remote_end(pool->remote);
    pool->writer.progress = NULL;
    pthread_mutex_unlock(&pool->writing);
}

/* ---- Opening and closing ---- */

film_status pool_dim(struct db *db, const char *path, size_t *dim, film_error *error)
{
    int64_t value;
    film_status status =
        db_number(db, "SELECT value FROM setting WHERE name = 'dim'", &value, error);
    if (status == FILM_OK && (value < 0 || value > 1 << 24)) /* 0: a model of features alone */
        status = status_set(error, FILM_BAD_INPUT, "%s is damaged: invalid vector length %lld",
                            path, (long long)value);
    *dim = status == FILM_OK ? (size_t)value : 0;
    return status;
}

static film_status check_settings(film_pool *pool, film_error *error)
{
    struct db *db = NULL;
    size_t dim;
    film_status status = pool_read(pool, &db, error);
    if (status == FILM_OK) status = pool_dim(db, pool->path, &dim, error);
    pool_read_end(pool, db);
    return status;
}

/* Resolves PATH and records which file it is. */
static film_status locate_pool(film_pool *pool, const char *path, film_error *error)
{
    struct stat about;
    char *real = realpath(path, NULL);
    if (!real || stat(real, &about) != 0) {
        free(real);
        return status_errno(error, "cannot open %s", path);
    }
    size_t room = strlen(path) + sizeof ".index";
    if (!pool->path) pool->path = mem_string(path, strlen(path));
    pool->file = mem_string(real, strlen(real));
    pool->index_file = mem_array(room, 1);
    if (pool->index_file) snprintf(pool->index_file, room, "%s.index", path);
    pool->device = about.st_dev;
    pool->number = about.st_ino;
    free(real);
    return pool->path && pool->file && pool->index_file ? FILM_OK : status_no_memory(error);
}

film_status film_pool_open(const char *path, film_pool **out, film_error *error)
{
    film_status status = FILM_OK;
    if (!path || !out) return pool_missing(error, path ? "out" : "path");
    *out = NULL;
    film_pool *pool = mem_zeroed(1, sizeof *pool);
    if (!pool) return status_no_memory(error);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_mutex_init(&pool->writing, NULL);
    pthread_mutex_init(&pool->loading, NULL);
    pthread_mutex_init(&pool->copying, NULL);
    pool->wait = 10;
    int is_remote = place_is_remote(path);
    if (is_remote) TRY(shared_open(pool, path, error));
    TRY(locate_pool(pool, is_remote ? remote_file(pool->remote) : path, error));
    TRY(lineage_check(pool->file, is_remote ? pool->file : pool->path, error));
    if (is_remote) TRY(shared_catch_up(pool, error));
    TRY(check_settings(pool, error));
    *out = pool;
done:
    if (status != FILM_OK) film_pool_close(pool);
    return status;
}

static void learned_free(struct pool_learned *learned)
{
    snapshot_drop(&learned->snapshot);
    pthread_rwlock_destroy(&learned->lock);
    model_free(learned->model);
    mem_free_aligned(learned->bytes);
    mem_free(learned->checksum);
    mem_free(learned->words_checksum);
    mem_free(learned);
}

void film_pool_close(film_pool *pool)
{
    if (!pool) return;
    shared_close(pool);
    cluster_browse_free(pool->browse);
    for (size_t i = 0; i < pool->idle_count; i++) {
        db_close(pool->idle[i]);
        mem_free(pool->idle[i]);
    }
    if (pool->has_writer) db_close(&pool->writer);
    while (pool->learned) {
        struct pool_learned *older = pool->learned->older;
        learned_free(pool->learned);
        pool->learned = older;
    }
    pthread_mutex_destroy(&pool->copying);
    pthread_mutex_destroy(&pool->loading);
    pthread_mutex_destroy(&pool->writing);
    pthread_mutex_destroy(&pool->lock);
    mem_free(pool->path);
    mem_free(pool->file);
    mem_free(pool->index_file);
    mem_free(pool->words);
    mem_free(pool->copy_name);
    mem_free(pool);
}

void film_pool_set_wait(film_pool *pool, double seconds)
{
    if (!pool || !(seconds >= 0)) return;
    pthread_mutex_lock(&pool->lock);
    pool->wait = seconds;
    pthread_mutex_unlock(&pool->lock);
}

/* ---- Model ---- */

film_status film_pool_set_words(film_pool *pool, const char *path, film_error *error)
{
    if (!pool || !path) return pool_missing(error, pool ? "path" : "pool");
    pthread_mutex_lock(&pool->loading);
    mem_free(pool->words);
    pool->words = mem_string(path, strlen(path));
    pthread_mutex_unlock(&pool->loading);
    return pool->words ? FILM_OK : status_no_memory(error);
}

film_status film_pool_set_arithmetic(film_pool *pool, film_arithmetic arithmetic, film_error *error)
{
    if (!pool) return pool_missing(error, "pool");
    pthread_mutex_lock(&pool->loading);
    pool->arithmetic = arithmetic;
    pthread_mutex_unlock(&pool->loading);
    return FILM_OK;
}

film_status pool_stores_vectors(const film_pool *pool, film_error *error)
{
    return pool->arithmetic == FILM_ARITHMETIC_OWN
               ? FILM_OK
               : status_set(error, FILM_USAGE,
                            "%s stores vectors as its model computes them; do not choose another "
                            "arithmetic to add or check sentences",
                            pool->path);
}

static film_status load(film_pool *pool, struct db *db, struct pool_learned *learned,
                        film_error *error)
{
    film_status status = FILM_OK;
    size_t size;
    pthread_rwlock_init(&learned->lock, NULL);
    TRY(store_get(db, "model_checksum", &learned->checksum, error));
    TRY(store_get_model(db, STORE_IN_SERVICE, &learned->bytes, &size, error));
    TRY(model_parse(learned->bytes, size, pool->path, &learned->model, error));
    TRY(pool_learn_words(db, learned, pool->path, error));
    if (pool->words) TRY(model_add_words(learned->model, pool->words, error));
    TRY(model_set_arithmetic(learned->model, pool->arithmetic, error));
    TRY(pool_stored_threshold(db, &learned->threshold, error));
    if (learned->threshold > 0) {
        learned->model->decision.has_operating = 1;
        learned->model->decision.operating = log(learned->threshold / (1 - learned->threshold));
    }
    TRY(pool_dim(db, pool->path, &learned->dim, error));
    if (encoder_dim(&learned->model->encoder) != learned->dim)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s is damaged: the vector length is %zu, but the model has a different one",
                       pool->path, learned->dim));
done:
    return status;
}

/* *EQUAL is whether a setting has this value; NULL: it is not set. */
static film_status compare_setting(struct db *db, const char *name, const char *value, int *equal,
                                   film_error *error)
{
    char *there = NULL;
    film_status status = store_get(db, name, &there, error);
    *equal = there && value ? strcmp(there, value) == 0 : !there && !value;
    mem_free(there);
    return status;
}

film_status pool_has_model(struct db *db, const char *checksum, int *has, film_error *error)
{
    return compare_setting(db, "model_checksum", checksum, has, error);
}

film_status pool_is_current(struct db *db, const struct pool_learned *learned, int *current,
                            film_error *error)
{
    film_status status = FILM_OK;
    double threshold = 0;
    TRY(pool_has_model(db, learned->checksum, current, error));
    if (*current)
        TRY(compare_setting(db, "words_checksum", learned->words_checksum, current, error));
    if (!*current) goto done;
    TRY(pool_stored_threshold(db, &threshold, error));
    *current = threshold == learned->threshold;
done:
    return status;
}

film_status pool_learned(film_pool *pool, struct db *db, struct pool_learned **out,
                         film_error *error)
{
    film_status status = FILM_OK;
    struct pool_learned *learned;
    int current = 0;
    *out = NULL;
    pthread_mutex_lock(&pool->loading);
    for (learned = pool->learned; learned; learned = learned->older) {
        TRY(pool_is_current(db, learned, &current, error));
        if (current) break;
    }
    if (!learned) {
        TRY_ALLOC(learned = mem_zeroed(1, sizeof *learned), error);
        if ((status = load(pool, db, learned, error)) != FILM_OK) {
            learned_free(learned);
            goto done;
        }
        learned->older = pool->learned;
        pool->learned = learned;
    }
    *out = learned;
done:
    pthread_mutex_unlock(&pool->loading);
    return status;
}

film_status film_pool_model(film_pool *pool, const film_model **model, film_error *error)
{
    struct pool_learned *learned = NULL;
    struct db *db = NULL;
    if (!pool || !model) return pool_missing(error, pool ? "model" : "pool");
    *model = NULL;
    film_status status = pool_read(pool, &db, error);
    if (status == FILM_OK) status = pool_learned(pool, db, &learned, error);
    pool_read_end(pool, db);
    if (learned) *model = learned->model;
    return status;
}

int film_pool_outdated(film_pool *pool, const film_model *model)
{
    struct pool_learned *learned;
    struct db *db = NULL;
    int current = 1;
    if (!pool || !model) return 0;
    pthread_mutex_lock(&pool->loading);
    for (learned = pool->learned; learned && learned->model != model;) learned = learned->older;
    pthread_mutex_unlock(&pool->loading);
    film_status status = learned ? pool_read(pool, &db, NULL) : FILM_END;
    if (status == FILM_OK) status = pool_is_current(db, learned, &current, NULL);
    pool_read_end(pool, db);
    return status == FILM_OK && !current;
}

film_status film_pool_changes(film_pool *pool, uint64_t *last, film_error *error)
{
    struct db *db = NULL;
    if (!pool || !last) return pool_missing(error, pool ? "last" : "pool");
    film_status status = pool_read(pool, &db, error);
    if (status == FILM_OK) status = store_changes(db, last, error);
    pool_read_end(pool, db);
    return status;
}
