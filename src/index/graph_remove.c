/* Removes rows and repairs the lists that linked to them, so that searches meet no removed row. The
 * memory of removed rows is not reclaimed. */
#include "index/graph_parts.h"
#include "base/mem.h"
#include "base/threads.h"

/* Removes a dead row from its ring. */
static void leave_ring(struct graph *graph, uint32_t row)
{
    uint32_t before = row;
    while (graph->twin[before] != row) before = graph->twin[before];
    graph->twin[before] = graph->twin[row];
    graph->twin[row] = row;
}

/* Marks ROW as dead. If it was the linked row of a ring, another row takes its place and its links,
 * and MOVED records it, so that links to ROW can follow. Rows that die in the same call are not
 * chosen: MOVED is their own id until they are processed. */
static void bury(struct graph *graph, uint32_t row, uint32_t *moved)
{
    uint32_t heir = GRAPH_NONE;
    size_t degree = graph->options.degree;
    for (uint32_t other = graph->twin[row]; other != row; other = graph->twin[other])
        if (moved[other] == GRAPH_NONE && other < heir) heir = other;
    if (graph->state[row] == GRAPH_LINKED && heir != GRAPH_NONE) {
        memcpy(graph_links(graph, heir), graph_links(graph, row), degree * sizeof *graph->links);
        graph->stale[heir] = 1;
        graph->state[heir] = GRAPH_LINKED;
        moved[row] = heir;
    }
    leave_ring(graph, row);
}

/* Collects the living rows that the links of ROW lead to in the pruner's ids. It passes through
 * dead rows while there is room. Returns their number. */
static size_t collect_neighbours(const struct graph *graph, struct pruner *pruner,
                                 const uint32_t *moved, uint32_t row)
{
    size_t count = 0, waiting = 0, degree = graph->options.degree;
    uint32_t from = row;
    for (size_t looked = 0;; looked++) {
        const uint32_t *links = graph_links(graph, from);
        for (size_t i = 0; i < degree && links[i] != GRAPH_NONE; i++) {
            uint32_t to = links[i];
            if (graph->state[to] == GRAPH_DEAD && moved[to] != to) to = moved[to];
            if (to == row) continue;
            if (graph->state[to] != GRAPH_DEAD) {
                if (count < PRUNE_MOST) pruner->id[count++] = to;
                continue;
            }
            size_t known = 0;
            while (known < waiting && pruner->at[known] != to) known++;
            if (known == waiting && waiting < PRUNE_MOST) pruner->at[waiting++] = to;
        }
        if (looked == waiting || count >= PRUNE_MOST / 2) return count;
        from = pruner->at[looked];
    }
}

/* Sets new links for ROW when one of its links is dead. It writes only its own list and reads only
 * lists of dead rows and its own, so rows can be repaired in any order. */
static void mend(const struct graph *graph, struct pruner *pruner, const uint32_t *moved,
                 uint32_t row)
{
    const uint32_t *links = graph_links(graph, row);
    size_t degree = graph->options.degree, i = 0;
    while (i < degree && links[i] != GRAPH_NONE && graph->state[links[i]] != GRAPH_DEAD) i++;
    if (i == degree || links[i] == GRAPH_NONE) return;
    graph_prune_ids(graph, pruner, row, collect_neighbours(graph, pruner, moved, row));
}

struct mending {
    struct graph *graph;
    struct pruner *pruner; /* one per thread */
    const uint32_t *moved;
};

static film_status mend_some(struct threads_worker *worker, void *user, film_error *error)
{
    const struct mending *mending = user;
    size_t begin, end;
    (void)error;
    while (threads_next(worker, &begin, &end))
        for (size_t row = begin; row < end; row++)
            if (mending->graph->state[row] == GRAPH_LINKED)
                mend(mending->graph, &mending->pruner[worker->number], mending->moved,
                     (uint32_t)row);
    return FILM_OK;
}

/* Links a row again whose links all led to dead rows, as if it were added. */
static film_status relink_lone(struct graph *graph, struct pruner *pruner, film_error *error)
{
    film_status status = FILM_OK;
    struct graph_view view = graph_changing(graph);
    struct graph_walker *walker = NULL;
    size_t many = view.entries > view.degree ? view.entries : view.degree;
    for (size_t row = 0; row < graph->count && graph->entries; row++) {
        if (graph->state[row] != GRAPH_LINKED || graph_links(graph, row)[0] != GRAPH_NONE) continue;
        if (!walker) {
            TRY(graph_walker_new(&walker, error));
            TRY(walker_fit(walker, graph->count, graph->options.dim, graph->options.width, many,
                           error));
        }
        struct codes_query query = codes_query_row(&view.codes, row, walker->values);
        walker_walk(walker, &view, &query, graph->options.width);
        for (size_t i = 0; i < walker->size; i++) pruner->id[i] = key_id(walker->pool[i]);
        graph_prune_ids(graph, pruner, (uint32_t)row, walker->size);
    }
done:
    graph_walker_free(walker);
    return status;
}

/* All memory is allocated before the first row is changed, so that a failure leaves the graph
 * unchanged. The steps after the repair only improve the graph. */
film_status graph_remove(struct graph *graph, const uint32_t *id, size_t count, int threads,
                         film_error *error)
{
    film_status status = FILM_OK;
    struct pruner *pruner = NULL;
    uint32_t *moved = NULL;
    size_t removed = 0;
    threads = threads_count(threads);
    for (size_t i = 0; i < count; i++)
        if (id[i] >= graph->count)
            return status_set(error, FILM_USAGE, "graph: row %u is not one of its %zu rows",
                              (unsigned)id[i], graph->count);
    TRY_ALLOC((moved = mem_array(graph->count, sizeof *moved)) &&
                  (pruner = mem_zeroed((size_t)threads, sizeof *pruner)),
              error);
    for (int t = 0; t < threads; t++) TRY(pruner_init(&pruner[t], graph->options.dim, error));
    memset(moved, 0xff, graph->count * sizeof *moved);
    for (size_t i = 0; i < count; i++)
        if (graph->state[id[i]] != GRAPH_DEAD) moved[id[i]] = id[i];
    for (size_t i = 0; i < count; i++) {
        if (graph->state[id[i]] == GRAPH_DEAD) continue;
        bury(graph, id[i], moved);
        graph->state[id[i]] = GRAPH_DEAD;
        removed++;
    }
    if (!removed) goto done;
    struct mending mending = {graph, pruner, moved};
    TRY(threads_for(threads, graph->count, 256, mend_some, &mending, error));
    for (size_t i = 0; i < count; i++)
        memset(graph_links(graph, id[i]), 0xff, graph->options.degree * sizeof *graph->links);
    if (graph->zero != GRAPH_NONE && graph->state[graph->zero] != GRAPH_LINKED)
        graph_find_zero(graph);
    graph_choose_entries(graph);
    TRY(relink_lone(graph, pruner, error));
    TRY(graph_connect(graph, error));
done:
    graph_sketch_stale(graph, threads);
    for (int t = 0; pruner && t < threads; t++) pruner_free(&pruner[t]);
    mem_free(pruner);
    mem_free(moved);
    return status;
}
