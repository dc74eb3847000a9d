/* Vector index by inner product over quantised vectors: a linear scan while there are few, a
 * proximity graph once there are many. A scan needs no building and is exact; from some tens of
 * thousands of rows on, it costs more than the rest of a search.
 *
 * Floats are not stored. Scores come from the codes (error about 1e-3 for rows of length 1), which
 * is enough to select candidates, and a million vectors take a quarter of the memory. */
#ifndef INDEX_DENSE_H
#define INDEX_DENSE_H

#include "index/graph.h"

/* The graph is built from this number of rows on. */
enum { DENSE_GRAPH_FROM = 32768 };

struct dense;

/* GRAPH_FROM 0: DENSE_GRAPH_FROM. */
film_status dense_new(size_t dim, size_t graph_from, struct dense **out, film_error *error);

/* Opens an index over arrays of a file, which are used in place until the first change. Without a
 * graph, its degree is 0 and only codes and state are used. Only sizes are checked here: a search
 * stays inside the arrays whatever they contain, and a change checks everything first. */
film_status dense_open(const struct graph_view *view, size_t graph_from, struct dense **out,
                       film_error *error);
void dense_free(struct dense *dense);

/* Checks every value. */
film_status dense_check(const struct dense *dense, film_error *error);

/* The arrays to store; valid until the next change. */
struct graph_view dense_view(const struct dense *dense);

/* ROWS (count x dim) have length 1 or 0. */
film_status dense_add(struct dense *dense, const float *rows, size_t count, int threads,
                      const film_progress *progress, film_error *error);
film_status dense_remove(struct dense *dense, const uint32_t *id, size_t count, int threads,
                         film_error *error);

/* As graph_search; EF matters only for a graph. */
film_status dense_search(const struct dense *dense, struct graph_walker *walker,
                         const float *vector, size_t k, size_t ef, struct nearest *out,
                         film_error *error);

/* Rows by id. */
struct dense_among {
    const uint32_t *id;
    size_t count;
};

/* The same for selected rows only, all of which are compared. Ids out of range are skipped. */
film_status dense_search_among(const struct dense *dense, struct graph_walker *walker,
                               const float *vector, const struct dense_among *among, size_t k,
                               struct nearest *out, film_error *error);

/* SCORE[i] = score of row ID[i]; 0 when there is no such row. */
film_status dense_score(const struct dense *dense, struct graph_walker *walker, const float *vector,
                        const uint32_t *id, size_t count, float *score, film_error *error);

#endif
