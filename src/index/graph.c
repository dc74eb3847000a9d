/* The memory of the proximity graph: rows, links, entry rows, rings of equal rows. Searching,
 * building, pruning and removing have files of their own. */
#include "index/graph_parts.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"

#include <math.h>

/* There are about 2 sqrt(rows) entry rows, at most MOST_ENTRIES: 1,024 found no more, and scoring
 * them cost a third of a search. */
enum { MOST_ENTRIES = 64 };

static film_status options_fill(struct graph_options *options, film_error *error)
{
    if (!options->degree) options->degree = 32;
    if (!options->width) options->width = 200;
    if (!(options->spread > 0)) options->spread = 1.0;
    if (options->dim == 0 || options->dim > CODES_MAX_DIM)
        return status_set(error, FILM_USAGE, "graph: dimensions must be from 1 to %d, not %zu",
                          CODES_MAX_DIM, options->dim);
    if (options->degree < 2 || options->degree > GRAPH_MAX_DEGREE)
        return status_set(error, FILM_USAGE, "graph: links per row must be from 2 to %d, not %zu",
                          GRAPH_MAX_DEGREE, options->degree);
    if (options->width > PRUNE_MOST || !(options->spread >= 1 && options->spread <= 10))
        return status_set(error, FILM_USAGE,
                          "graph: width must be at most %d and spread from 1 to 10", PRUNE_MOST);
    return FILM_OK;
}

film_status graph_new(const struct graph_options *options, struct graph **out, film_error *error)
{
    film_status status = FILM_OK;
    struct graph *graph = NULL;
    *out = NULL;
    TRY_ALLOC(graph = mem_zeroed(1, sizeof *graph), error);
    graph->options = *options;
    TRY(options_fill(&graph->options, error));
    graph->stride = codes_stride(options->dim);
    graph->sketch_size = sketch_size(options->dim, graph->options.degree);
    graph->zero = GRAPH_NONE;
    TRY_ALLOC(graph->entry = mem_array(MOST_ENTRIES, sizeof *graph->entry), error);
    TRY(graph_reserve(graph, 0, error));
    *out = graph;
    graph = NULL;
done:
    graph_free(graph);
    return status;
}

void graph_free(struct graph *graph)
{
    if (!graph) return;
    mem_free(graph->codes);
    mem_free(graph->links);
    mem_free(graph->twin);
    mem_free(graph->state);
    mem_free(graph->sketch);
    mem_free(graph->stale);
    mem_free(graph->entry);
    mem_free(graph);
}

static int resize_array(void **array, size_t count, size_t size)
{
    void *memory = mem_resize(*array, count, size);
    if (memory) *array = memory;
    return memory != NULL;
}

film_status graph_reserve(struct graph *graph, size_t count, film_error *error)
{
    film_status status = FILM_OK;
    if (count > GRAPH_MAX_ROWS)
        return status_set(error, FILM_USAGE, "graph: more than %d rows are not supported",
                          GRAPH_MAX_ROWS);
    if (count <= graph->capacity && graph->codes) return FILM_OK;
    size_t capacity = graph->capacity + graph->capacity / 2; /* small additions stay cheap */
    if (capacity < count) capacity = count;
    TRY_ALLOC(resize_array((void **)&graph->codes, capacity, graph->stride) &&
                  resize_array((void **)&graph->links, capacity,
                               graph->options.degree * sizeof *graph->links) &&
                  resize_array((void **)&graph->twin, capacity, sizeof *graph->twin) &&
                  resize_array((void **)&graph->sketch, capacity, graph->sketch_size) &&
                  resize_array((void **)&graph->stale, capacity, 1) &&
                  resize_array((void **)&graph->state, capacity, 1),
              error);
    memset(graph->stale + graph->capacity, 0, capacity - graph->capacity);
    graph->capacity = capacity;
    mem_large_pages(graph->codes, capacity * graph->stride);
    mem_large_pages(graph->links, capacity * graph->options.degree * sizeof *graph->links);
    mem_large_pages(graph->sketch, capacity * graph->sketch_size);
done:
    return status;
}

film_status graph_open(const struct graph_view *view, const struct graph_options *options,
                       struct graph **out, film_error *error)
{
    film_status status = FILM_OK;
    struct graph *graph = NULL;
    struct graph_options with = *options;
    size_t count = view->codes.count;
    *out = NULL;
    TRY(graph_check(view, NULL, error));
    with.dim = view->codes.dim;
    with.degree = view->degree;
    TRY(graph_new(&with, &graph, error));
    TRY(graph_reserve(graph, count, error));
    if (view->entries > MOST_ENTRIES) {
        status =
            status_set(error, FILM_BAD_INPUT, "graph: %zu entry rows; at most %d are supported",
                       view->entries, MOST_ENTRIES);
        goto done;
    }
    graph->count = graph->count_at_entries = count;
    graph->entries = view->entries;
    if (count) {
        memcpy(graph->codes, view->codes.rows, count * graph->stride);
        memcpy(graph->links, view->links, count * view->degree * sizeof *graph->links);
        if (graph->sketch_size) memcpy(graph->sketch, view->sketch, count * graph->sketch_size);
        memcpy(graph->twin, view->twin, count * sizeof *graph->twin);
        memcpy(graph->state, view->state, count);
        memcpy(graph->entry, view->entry, view->entries * sizeof *graph->entry);
    }
    graph_find_zero(graph);
    *out = graph;
    graph = NULL;
done:
    graph_free(graph);
    return status;
}

void graph_find_zero(struct graph *graph)
{
    struct codes codes = graph_view(graph).codes;
    graph->zero = GRAPH_NONE;
    for (size_t i = 0; i < codes.count && graph->zero == GRAPH_NONE; i++)
        if (graph->state[i] == GRAPH_LINKED && !(codes_scale(&codes, i) > 0))
            graph->zero = (uint32_t)i;
}

struct graph_view graph_view(const struct graph *graph)
{
    return (struct graph_view){
        .codes = {graph->codes, graph->count, graph->options.dim, graph->stride},
        .links = graph->links,
        .sketch = graph->sketch,
        .twin = graph->twin,
        .state = graph->state,
        .entry = graph->entry,
        .degree = graph->options.degree,
        .entries = graph->entries};
}

static film_status sketch_some(struct threads_worker *worker, void *user, film_error *error)
{
    struct graph *graph = user;
    struct codes codes = graph_view(graph).codes;
    size_t begin, end;
    (void)error;
    while (threads_next(worker, &begin, &end))
        for (size_t row = begin; row < end; row++) {
            const uint32_t *links = graph_links(graph, row);
            uint8_t *sketch = graph->sketch + row * graph->sketch_size;
            if (!graph->stale[row]) continue;
            graph->stale[row] = 0;
            memset(sketch, 0, graph->sketch_size);
            sketch_make(&codes, row, links, graph_degree(links, graph->options.degree), sketch);
        }
    return FILM_OK;
}

void graph_sketch_stale(struct graph *graph, int threads)
{
    enum { ROWS = 256 };
    if (graph->sketch_size)
        (void)threads_for(threads, graph->count, ROWS, sketch_some, graph, NULL); /* cannot fail */
}

/* Chooses one row of every range of ids: the first linked one from a random position on. They are
 * spread over the file, whatever its order. */
void graph_choose_entries(struct graph *graph)
{
    size_t wanted = (size_t)(2 * sqrt((double)graph->count)) + 1;
    struct rng rng;
    if (wanted > MOST_ENTRIES) wanted = MOST_ENTRIES;
    if (wanted > graph->count) wanted = graph->count;
    rng_seed_part(&rng, graph->options.seed, graph->count);
    graph->entries = 0;
    for (size_t i = 0; i < wanted; i++) {
        size_t first = i * graph->count / wanted, next = (i + 1) * graph->count / wanted;
        size_t length = next - first, start = (size_t)rng_below(&rng, length), step = 0;
        while (step < length && graph->state[first + (start + step) % length] != GRAPH_LINKED)
            step++;
        if (step < length)
            graph->entry[graph->entries++] = (uint32_t)(first + (start + step) % length);
    }
    graph->count_at_entries = graph->count;
}
