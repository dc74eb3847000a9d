/* Edits of clusters that can be undone. */
#ifndef POOL_CLUSTER_EDIT_H
#define POOL_CLUSTER_EDIT_H

#include "film_pool.h"

film_status cluster_undoable(film_pool *pool, uint64_t *count, film_error *error);

#endif
