/* Exact nearest neighbours by inner product: every query against every row.
 *
 * Every score is the same sum in the same order, so it depends on the two vectors alone, not on their
 * places or on the number of threads: equal vectors tie exactly, and the bytes of the result are the same
 * for every thread count. For cosines the caller normalises the rows. */
#ifndef LA_FLAT_H
#define LA_FLAT_H

#include "base/status.h"
#include "base/topk.h"

#include <stdint.h>

#define FLAT_NONE UINT32_MAX

struct flat {
    const float *rows;    /* count x dim */
    const float *penalty; /* count: subtracted from every score of the row; NULL: nothing */
    size_t count, dim;
};

/* Queries are rows themselves, by id, and then none is among its own neighbours; or, where VECTORS
 * is set, vectors from elsewhere, and then every row may be an answer but the one that ID says it
 * is. */
struct flat_queries {
    const uint32_t *id; /* NULL: all rows, in order; of vectors: none of them is a row */
    size_t count;
    const float *vectors; /* count x dim, or NULL */
};

/* Targets likewise. */
struct flat_targets {
    const uint32_t *id;   /* of vectors: FLAT_NONE where it is no row */
    const float *vectors; /* count x dim, or NULL */
    const float *penalty; /* count: of the vectors; NULL: nothing */
};

/* OUT's id and score (may be NULL) are queries x k, best first, of equal scores the lower id; where there
 * are fewer than k (other) rows the rest is FLAT_NONE. */
film_status flat_search(const struct flat *base, const struct flat_queries *queries, size_t k,
                        int threads, const film_progress *progress, const struct nearest *out,
                        film_error *error);

/* RANK[i] = 1 + the number of rows, other than the query and its target, that score at least as
 * well for query i as target i does: ties count against the target. A target that is its own query
 * has rank 1. */
film_status flat_rank(const struct flat *base, const struct flat_queries *queries,
                      const struct flat_targets *targets, int threads,
                      const film_progress *progress, uint32_t *rank, film_error *error);

#endif
