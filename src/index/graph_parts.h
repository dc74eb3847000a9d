/* What the files of the graph share: the growing arrays and the choice of links. */
#ifndef INDEX_GRAPH_PARTS_H
#define INDEX_GRAPH_PARTS_H

#include "index/graph_walk.h"

struct graph {
    struct graph_options options; /* with defaults filled in */
    size_t count, capacity, stride;
    uint8_t *codes; /* capacity x stride, and so on: see graph_view */
    uint32_t *links, *twin;
    uint8_t *state;
    uint32_t *entry;
    size_t entries;
    size_t count_at_entries; /* rows there were when the entries were chosen */
    uint32_t zero;           /* the linked row whose codes are all 0, or GRAPH_NONE */
};

/* Looks for the linked row of zeros again. */
void graph_find_zero(struct graph *graph);

/* Room for COUNT rows in all arrays. */
film_status graph_reserve(struct graph *graph, size_t count, film_error *error);

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

/* Scratch for choosing links, one per thread. */
struct pruner {
    uint64_t *keys; /* candidates as keys, at most PRUNE_MOST */
    uint32_t *id;
    float *score;
    uint32_t *at; /* dead rows waiting to be walked through */
    int8_t *values;
};

enum { PRUNE_MOST = 1024 };

film_status pruner_init(struct pruner *pruner, size_t dim, film_error *error);
void pruner_free(struct pruner *pruner);

/* Makes the links of ROW from KEYS (best first, scores of the codes with ROW as the query;
 * reordered): the nearest, then each that no chosen one leads to. */
void graph_prune(const struct graph *graph, struct pruner *pruner, uint32_t row, uint64_t *keys,
                 size_t count);

/* The same from ids in pruner->id, in any order and perhaps more than once; ROW itself is left
 * out. */
void graph_prune_ids(const struct graph *graph, struct pruner *pruner, uint32_t row, size_t count);

/* Gives ROW a link from the row of KEYS (best first) that has room, else in place of the last link
 * of the best. */
void graph_attach(struct graph *graph, uint32_t row, const uint64_t *keys, size_t count);

/* Links from somewhere to every linked row that cannot be reached from the entries. */
film_status graph_connect(struct graph *graph, film_error *error);

/* Marks in REACHED (count bytes) what can be reached from the QUEUE's rows, which are marked
 * already; QUEUE has room for count ids, HEAD of them are there. Returns how many are in it at the
 * end. */
size_t graph_flood(const struct graph_view *view, uint8_t *reached, uint32_t *queue, size_t first,
                   size_t last);

#endif
