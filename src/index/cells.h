/* An index of vectors for one run of many searches: an inverted file (Jégou et al., "Product
 * quantization for nearest neighbor search").
 *
 * Rows are divided into cells around centres, and the codes of a cell are adjacent in memory. A
 * search compares a query with all centres and with the rows of the nearest cells, in memory order.
 * A graph (graph.h) compares a query with fewer rows, but each of them is a cache miss, and
 * building it costs a search per row. Cells cannot be changed or stored. */
#ifndef INDEX_CELLS_H
#define INDEX_CELLS_H

#include "base/topk.h"
#include "index/codes.h"

struct cells;

/* CODES are copied. */
film_status cells_new(const struct codes *codes, int threads, struct cells **out,
                      film_error *error);
void cells_free(struct cells *cells);

/* The number of nearest cells that a search looks at, and a wide one. Of the duplicates of
 * 60,000 questions, 99.2 % are found with 24 and 99.4 % with 32, a lowest cosine included. */
enum { CELLS_PROBES = 24, CELLS_WIDE = 48 };

struct cells_query {
    struct codes_query codes;
    int wide;
    uint32_t row;         /* the row that the query is; UINT32_MAX: another vector */
    float least;          /* the lowest score wanted */
    const uint8_t *state; /* GRAPH_DEAD: not wanted */
    float *scores;        /* scratch: cells_room */
};

size_t cells_room(const struct cells *cells);

/* The rows, cell by cell: neighbours are close to each other in this order. */
const uint32_t *cells_order(const struct cells *cells);

/* Offers rows near the query to TOP. */
void cells_search(const struct cells *cells, const struct cells_query *query, struct topk *top);

#endif
