/* Clusters for a person: edits that can be undone, and the list that a pool keeps. */
#ifndef POOL_CLUSTER_EDIT_H
#define POOL_CLUSTER_EDIT_H

#include "film_pool.h"

film_status cluster_undoable(film_pool *pool, uint64_t *count, film_error *error);

struct cluster_browse;
void cluster_browse_free(struct cluster_browse *browse);

#endif
