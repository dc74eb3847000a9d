/* Best-first search, for queries and for building. Candidates are 64-bit keys that sort by (score,
 * lower id first), so that one comparison decides both. */
#ifndef INDEX_GRAPH_WALK_H
#define INDEX_GRAPH_WALK_H

#include "index/graph.h"

#include <string.h>

struct graph_walker {
    uint8_t *mark; /* per row: the epoch in which it was last visited */
    size_t marks;
    uint8_t epoch;
    int8_t *values; /* the quantised query */
    size_t values_room;
    struct sketch_query sketch; /* the same for the sketches */
    uint64_t *pool;             /* candidates, best first */
    size_t size, limit, room;
    size_t cursor;  /* all candidates before it have been expanded */
    uint32_t *todo; /* ids to score next */
    float *scores;  /* of todo */
    size_t todo_room;
    uint64_t scored; /* rows scored so far: the cost of searches */
    int wide;        /* cells: a search looks at CELLS_WIDE of them */
};

/* Order-preserving map from floats to integers. */
static inline uint32_t score_order(float score)
{
    uint32_t bits;
    memcpy(&bits, &score, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

static inline float order_score(uint32_t order)
{
    uint32_t bits = order & 0x80000000u ? order & 0x7fffffffu : ~order;
    float score;
    memcpy(&score, &bits, sizeof score);
    return score;
}

/* The lowest bit marks a candidate whose links have been followed. */
static inline uint64_t key_of(float score, uint32_t id)
{
    return (uint64_t)score_order(score) << 32 | (uint32_t)(~id << 1);
}

static inline uint32_t key_id(uint64_t key)
{
    return ~((uint32_t)key >> 1) & 0x7fffffffu;
}

static inline float key_score(uint64_t key)
{
    return order_score((uint32_t)(key >> 32));
}

/* Reserves scratch space for a graph of ROWS rows and a pool of LIMIT candidates, of which up to
 * MANY are scored at once. */
film_status walker_fit(struct graph_walker *walker, size_t rows, size_t dim, size_t limit,
                       size_t many, film_error *error);

/* Inserts a candidate into the pool if it is among the best LIMIT. */
void walker_offer(struct graph_walker *walker, uint64_t key);

/* Searches for QUERY: the pool then holds the best LIMIT rows found. Call walker_fit before. */
void walker_walk(struct graph_walker *walker, const struct graph_view *view,
                 const struct codes_query *query, size_t limit);

#endif
