/* Vector index by inner product over quantised vectors: a linear scan while there are few, a
 * proximity graph once there are many. A scan needs no building and is exact; from some tens of
 * thousands of rows on, it costs more than the rest of a search.
 *
 * Floats are not stored. Scores come from the codes (error about 1e-3 for rows of length 1), which
 * is enough to select candidates, and a million vectors take a quarter of the memory. */
#ifndef INDEX_VECTOR_INDEX_H
#define INDEX_VECTOR_INDEX_H

#include "index/graph.h"

/* The graph is built from this number of rows on. */
enum { VECTOR_INDEX_GRAPH_FROM = 32768 };

struct vector_index;

/* GRAPH_FROM 0: VECTOR_INDEX_GRAPH_FROM. */
film_status vector_index_new(size_t dim, size_t graph_from, struct vector_index **out,
                             film_error *error);

/* Before the first row: cells instead of a graph (index/cells.h), for one run of searches. After
 * adding, call vector_index_tidy: without cells, all rows are scanned. */
void vector_index_brief(struct vector_index *dense);
film_status vector_index_tidy(struct vector_index *dense, int threads, film_error *error);
/* The rows cell by cell; NULL: there are no cells. */
const uint32_t *vector_index_order(const struct vector_index *dense);

/* Opens an index over arrays of a file, which are used in place until the first change. Without a
 * graph, its degree is 0 and only codes and state are used. Only sizes are checked here: a search
 * stays inside the arrays whatever they contain, and a change checks everything first. */
film_status vector_index_open(const struct graph_view *view, size_t graph_from,
                              struct vector_index **out, film_error *error);
void vector_index_free(struct vector_index *dense);

/* Checks every value. */
film_status vector_index_check(const struct vector_index *dense, film_error *error);

/* The arrays to store; valid until the next change. */
struct graph_view vector_index_view(const struct vector_index *dense);

/* ROWS (count x dim) have length 1 or 0. */
film_status vector_index_add(struct vector_index *dense, const float *rows, size_t count,
                             int threads, const film_progress *progress, film_error *error);
film_status vector_index_remove(struct vector_index *dense, const uint32_t *id, size_t count,
                                int threads, film_error *error);

/* As graph_search; EF matters only for a graph. */
film_status vector_index_search(const struct vector_index *dense, struct graph_walker *walker,
                                const float *vector, size_t k, size_t ef, struct nearest *out,
                                film_error *error);

/* The same for row ROW, among rows with a score of at least LEAST. It needs cells. */
film_status vector_index_near(const struct vector_index *dense, struct graph_walker *walker,
                              uint32_t row, float least, size_t k, struct nearest *out,
                              film_error *error);

/* Rows by id. */
struct vector_index_among {
    const uint32_t *id;
    size_t count;
};

/* The same for selected rows only, all of which are compared. Ids out of range are skipped. */
film_status vector_index_search_among(const struct vector_index *dense, struct graph_walker *walker,
                                      const float *vector, const struct vector_index_among *among,
                                      size_t k, struct nearest *out, film_error *error);

/* SCORE[i] = score of row ID[i]; 0 when there is no such row. */
film_status vector_index_score(const struct vector_index *dense, struct graph_walker *walker,
                               const float *vector, const uint32_t *id, size_t count, float *score,
                               film_error *error);

#endif
