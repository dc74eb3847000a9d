/* The in-memory index of a pool: built by the first search, updated by the next search after a
 * change, shared by all threads.
 *
 * A search holds the lock for reading while it retrieves candidates, so that any number of searches
 * run at once; an update holds it for writing. The index of a large pool is stored in a file next
 * to the pool (POOL.index): a cache that may be deleted at any time. A stale file is updated; a
 * file that is damaged or belongs to another pool is rebuilt. */
#ifndef POOL_SNAPSHOT_H
#define POOL_SNAPSHOT_H

#include "index/index_file.h"
#include "pool/pool.h"

/* Returns the index with all that is in DB, a reading transaction; after the model was replaced,
 * the index as it was. After FILM_OK the lock is held until snapshot_end. */
film_status snapshot_begin(film_pool *pool, struct pool_learned *learned, struct db *db,
                           int threads, const film_progress *progress,
                           const struct pool_snapshot **out, film_error *error);
void snapshot_end(struct pool_learned *learned);

/* Frees the index. */
void snapshot_drop(struct pool_snapshot *snapshot);

/* For film_pool_check: opens and checks the whole index file. FILM_END: there is none.
 * FILM_BAD_INPUT: it is invalid. */
film_status snapshot_check_file(film_pool *pool, const struct pool_learned *learned, struct db *db,
                                film_error *error);

/* Removes the index file. */
void snapshot_remove_file(const film_pool *pool);

#endif
