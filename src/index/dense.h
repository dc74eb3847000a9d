/* Vectors in bytes, searched by inner product: a scan of all while they are few, a graph once they
 * are many. A scan needs no building and misses nothing; from some tens of thousands of rows on it
 * costs more than the rest of a search.
 *
 * Floats are not kept: scores come from the codes (off by about 1e-3 for rows of length 1), which
 * is enough to choose candidates, and a million vectors take a quarter of the memory. */
#ifndef INDEX_DENSE_H
#define INDEX_DENSE_H

#include "index/graph.h"

enum { DENSE_GRAPH_FROM = 32768 }; /* rows from which there is a graph */

struct dense;

/* GRAPH_FROM 0: DENSE_GRAPH_FROM. */
film_status dense_new(size_t dim, size_t graph_from, struct dense **out, film_error *error);

/* Over arrays of a file, which stay where they are until the first change; without a graph its
 * degree is 0, and only codes and state are looked at. Sizes alone are checked here: a search never
 * leaves the arrays whatever is in them, and before a change everything is checked. */
film_status dense_open(const struct graph_view *view, size_t graph_from, struct dense **out,
                       film_error *error);
void dense_free(struct dense *dense);

/* Looks at every number. */
film_status dense_check(const struct dense *dense, film_error *error);

/* What there is to store; valid until the next change. */
struct graph_view dense_view(const struct dense *dense);

/* ROWS (count x dim) have length 1 or 0. */
film_status dense_add(struct dense *dense, const float *rows, size_t count, int threads,
                      const film_progress *progress, film_error *error);
film_status dense_remove(struct dense *dense, const uint32_t *id, size_t count, int threads,
                         film_error *error);

/* As graph_search; EF counts for a graph only. */
film_status dense_search(const struct dense *dense, struct graph_walker *walker,
                         const float *vector, size_t k, size_t ef, struct nearest *out,
                         film_error *error);

/* Rows by id. */
struct dense_among {
    const uint32_t *id;
    size_t count;
};

/* The same among some rows, all of which are looked at; ids out of range are passed over. */
film_status dense_search_among(const struct dense *dense, struct graph_walker *walker,
                               const float *vector, const struct dense_among *among, size_t k,
                               struct nearest *out, film_error *error);

/* SCORE[i] of row ID[i]; 0 where there is none. */
film_status dense_score(const struct dense *dense, struct graph_walker *walker, const float *vector,
                        const uint32_t *id, size_t count, float *score, film_error *error);

#endif
