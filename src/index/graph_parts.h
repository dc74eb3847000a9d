/* Internals shared by the files of the graph: the growing arrays and the choice of links. */
#ifndef INDEX_GRAPH_PARTS_H
#define INDEX_GRAPH_PARTS_H

#include "index/graph_walk.h"

struct graph {
    struct graph_options options; /* with defaults filled in */
    size_t count, capacity, stride;
    uint8_t *codes; /* capacity x stride, and so on: see graph_view */
    uint32_t *links, *twin;
    uint8_t *state, *sketch;
    uint8_t *stale; /* capacity: the links have changed, but not the sketch */
    size_t sketch_size;
    uint32_t *entry;
    size_t entries;
    size_t count_at_entries; /* number of rows when the entries were chosen */
    uint32_t zero;           /* the linked row whose codes are all 0, or GRAPH_NONE */
};

/* Searches again for the linked row of zeros. */
void graph_find_zero(struct graph *graph);

/* The graph for searches while it changes: its sketches may be stale. */
static inline struct graph_view graph_changing(const struct graph *graph)
{
    struct graph_view view = graph_view(graph);
    view.sketch = NULL;
    return view;
}

/* Reserves room for COUNT rows in all arrays. */
film_status graph_reserve(struct graph *graph, size_t count, film_error *error);

/* Makes the sketches of all stale rows. While a graph changes, its searches use no sketches. */
void graph_sketch_stale(struct graph *graph, int threads);

/* Chooses the entry rows. */
void graph_choose_entries(struct graph *graph);

static inline uint32_t *graph_links(const struct graph *graph, size_t row)
{
    return graph->links + row * graph->options.degree;
}

static inline size_t graph_degree(const uint32_t *links, size_t most)
{
    size_t count = 0;
    while (count < most && links[count] != GRAPH_NONE) count++;
    return count;
}

/* Scratch space for choosing links, one per thread. */
struct pruner {
    uint64_t *keys; /* candidates as keys, at most PRUNE_MOST */
    uint32_t *id;
    float *score;
    uint32_t *at; /* queue of dead rows to pass through */
    int8_t *values;
};

enum { PRUNE_MOST = 1024 };

film_status pruner_init(struct pruner *pruner, size_t dim, film_error *error);
void pruner_free(struct pruner *pruner);

/* Sets the links of ROW from KEYS (best first, scores of the codes with ROW as the query;
 * reordered): the nearest, then each that no chosen link leads to. */
void graph_prune(const struct graph *graph, struct pruner *pruner, uint32_t row, uint64_t *keys,
                 size_t count);

/* The same from the ids in pruner->id, in any order, with repetitions; ROW itself is ignored. */
void graph_prune_ids(const struct graph *graph, struct pruner *pruner, uint32_t row, size_t count);

/* Links to ROW from the first row of KEYS (best first) that has room; if none has, replaces the
 * last link of the best. */
void graph_attach(struct graph *graph, uint32_t row, const uint64_t *keys, size_t count);

/* Adds a link to every linked row that is not reachable from the entries. */
film_status graph_connect(struct graph *graph, film_error *error);

/* Breadth-first search: marks in REACHED (count bytes) the rows that are reachable from rows FIRST
 * .. LAST of QUEUE, which are already marked. QUEUE has room for count ids. Returns its final
 * length. */
size_t graph_flood(const struct graph_view *view, uint8_t *reached, uint32_t *queue, size_t first,
                   size_t last);

#endif
