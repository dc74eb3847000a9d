/* Fuzzes the arrays of a graph: they are refused with a message, or the graph can be searched,
 * extended and reduced. Searching never leaves the arrays, validated or not. The bytes: rows,
 * dimensions, degree, entries (one byte each), then the arrays of graph_view in their order, the
 * sketches last. */
#include "index/graph.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition) abort();
}

/* The next BYTES as a block of their own, so that a read past its end is detected; padded with
 * 0xff. */
static void *take(const uint8_t **data, size_t *size, size_t bytes)
{
    size_t there = bytes < *size ? bytes : *size;
    uint8_t *block = malloc(bytes ? bytes : 1);
    if (!block) abort();
    memset(block, 0xff, bytes ? bytes : 1);
    if (there) memcpy(block, *data, there);
    *data += there;
    *size -= there;
    return block;
}

static void search(const struct graph_view *view, int checked)
{
    float vector[256] = {0.5f, -1, 0.25f}, score[5];
    uint32_t id[5];
    struct graph_question question = {.vector = vector, .k = 5, .ef = 8};
    require(graph_search_many(view, &question, 1, 1, NULL, &(struct nearest){id, score, 0}, NULL) ==
            FILM_OK);
    for (size_t i = 0; i < 5; i++) {
        require(id[i] == GRAPH_NONE || id[i] < view->codes.count);
        if (checked && id[i] != GRAPH_NONE) require(view->state[id[i]] != GRAPH_DEAD);
    }
}

static void grow(const struct graph_view *view)
{
    struct graph_options options = {.width = 16};
    struct graph *graph = NULL;
    float rows[3 * 256] = {1, 2, 3};
    uint32_t gone[2] = {0, (uint32_t)view->codes.count};
    require(graph_open(view, &options, &graph, NULL) == FILM_OK);
    require(graph_add(graph, rows, 3, 1, NULL, NULL) == FILM_OK);
    require(graph_remove(graph, gone, 2, 1, NULL) == FILM_OK);
    struct graph_view after = graph_view(graph);
    require(graph_check(&after, NULL, NULL) == FILM_OK);
    search(&after, 1);
    graph_free(graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    film_error error = {0};
    if (size < 4) return 0;
    struct graph_view view = {.codes = {.count = data[0], .dim = data[1]},
                              .degree = data[2] % (GRAPH_MAX_DEGREE + 2),
                              .entries = data[3]};
    data += 4;
    size -= 4;
    view.codes.stride = codes_stride(view.codes.dim);
    view.codes.rows = take(&data, &size, view.codes.count * view.codes.stride);
    view.links = take(&data, &size, view.codes.count * view.degree * 4);
    view.twin = take(&data, &size, view.codes.count * 4);
    view.state = take(&data, &size, view.codes.count);
    view.entry = take(&data, &size, view.entries * 4);
    view.sketch = take(&data, &size, view.codes.count * sketch_size(view.codes.dim, view.degree));
    film_status status = graph_check(&view, NULL, &error);
    if (status == FILM_OK)
        grow(&view);
    else
        require(status == FILM_BAD_INPUT && strncmp(error.message, "graph: ", 7) == 0);
    if (graph_check_sizes(&view, NULL) == FILM_OK) search(&view, status == FILM_OK);
    free((void *)view.codes.rows);
    free((void *)view.links);
    free((void *)view.sketch);
    free((void *)view.twin);
    free((void *)view.state);
    free((void *)view.entry);
    return 0;
}
