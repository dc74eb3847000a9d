/* The pool's index in memory: made at the first search, brought up to date by the next one after a
 * change, shared by all threads.
 *
 * A search holds the lock for reading while it asks for candidates, so that any number of them run
 * at once; bringing up to date holds it for writing. A large pool's index is kept in a file beside
 * the pool (POOL.index): a cache that anyone may delete. One that is stale is brought up to date,
 * one that is damaged or of another pool is made anew. */
#ifndef POOL_SNAPSHOT_H
#define POOL_SNAPSHOT_H

#include "index/index_file.h"
#include "pool/pool.h"

/* The index with all that is in DB, a reading transaction. After FILM_OK the lock is held until
 * snapshot_end. */
film_status snapshot_begin(film_pool *pool, struct db *db, int threads,
                           const film_progress *progress, const struct pool_snapshot **out,
                           film_error *error);
void snapshot_end(film_pool *pool);

void snapshot_drop(struct pool_snapshot *snapshot); /* frees what is there */

/* The cache as it lies on disk, for film_pool_check: opened and looked at whole. FILM_END when
 * there is none; FILM_BAD_INPUT says what is wrong with it. */
film_status snapshot_check_file(film_pool *pool, struct db *db, film_error *error);

/* Removes the cache. */
void snapshot_remove_file(const film_pool *pool);

#endif
