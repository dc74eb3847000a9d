/* Exact nearest neighbours by inner product: compares every query with every row (brute force).
 *
 * Every score is the same sum in the same order, so it depends on the two vectors alone, not on
 * their places or on the number of threads: equal vectors tie exactly, and the bytes of the result
 * are the same for every thread count. For cosines the caller normalises the rows. */
#ifndef LA_FLAT_H
#define LA_FLAT_H

#include "base/status.h"
#include "base/topk.h"

#include <stdint.h>

#define FLAT_NONE UINT32_MAX

struct flat {
    const float *rows;    /* count x dim */
    const float *penalty; /* count: subtracted from every score of the row; NULL: no penalty */
    size_t count, dim;
};

/* Queries come in two kinds. With VECTORS == NULL they are rows, and a row is never its own
 * neighbour. Otherwise they are external vectors, and every row may be a result. */
struct flat_queries {
    const uint32_t *id; /* the row of each query; NULL: all rows in order */
    size_t count;
    const float *vectors; /* count x dim, or NULL */
};

/* OUT's id and score (may be NULL) are queries x k, best first, equal scores by ascending id. With
 * fewer than k (other) rows, the remaining entries are FLAT_NONE. */
film_status flat_search(const struct flat *base, const struct flat_queries *queries, size_t k,
                        int threads, const film_progress *progress, const struct nearest *out,
                        film_error *error);

/* RANK[i] = 1 + the number of rows, other than query i and row TARGET[i], that score at least as
 * high for query i as that row does: ties count against the target. A target that is its own query
 * has rank 1. */
film_status flat_rank(const struct flat *base, const struct flat_queries *queries,
                      const uint32_t *target, int threads, const film_progress *progress,
                      uint32_t *rank, film_error *error);

#endif
