/* Adds rows to the graph in batches of fixed size, by the incremental construction of Vamana and
 * HNSW: search candidates, prune, link back. The result does not depend on the number of
 * threads. */
#include "index/graph_parts.h"
#include "base/sort.h"
#include "base/mem.h"
#include "base/threads.h"

#include <stdlib.h>

/* All rows of a batch search for neighbours in the graph as it was before the batch and, by brute
 * force, among each other (an eighth of the cost). Then every row that got links from new rows is
 * pruned on its own. No step depends on what another thread does at that time, so the graph is the
 * same for every number of threads. */
enum { BATCH = 512 };

struct builder {
    struct graph *graph;
    size_t first, count; /* the batch: ids first .. first + count */
    uint64_t *keys;      /* BATCH x width: the candidates of each */
    size_t *found;       /* BATCH */
    uint32_t *same;      /* BATCH: a row with the same codes, or GRAPH_NONE */
    uint64_t *back;      /* BATCH x degree: target and source of each new link, to link back */
    size_t *group;       /* start of the links back to one target in BACK */
    size_t groups;
    int threads;
    struct graph_walker **walker; /* one per thread */
    struct pruner *pruner;
    struct graph_view view; /* without the batch */
    struct codes all;       /* with the batch */
};

static film_status builder_init(struct builder *builder, struct graph *graph, int threads,
                                film_error *error)
{
    film_status status = FILM_OK;
    size_t width = graph->options.width, degree = graph->options.degree;
    *builder = (struct builder){.graph = graph, .threads = threads};
    TRY_ALLOC((builder->keys = mem_array(BATCH * width, sizeof *builder->keys)) &&
                  (builder->found = mem_zeroed(BATCH, sizeof *builder->found)) &&
                  (builder->same = mem_array(BATCH, sizeof *builder->same)) &&
                  (builder->back = mem_array(BATCH * degree, sizeof *builder->back)) &&
                  (builder->group = mem_array(BATCH * degree + 1, sizeof *builder->group)) &&
                  (builder->walker = mem_zeroed((size_t)threads, sizeof *builder->walker)) &&
                  (builder->pruner = mem_zeroed((size_t)threads, sizeof *builder->pruner)),
              error);
    for (int t = 0; t < threads; t++) {
        TRY(graph_walker_new(&builder->walker[t], error));
        TRY(pruner_init(&builder->pruner[t], graph->options.dim, error));
    }
done:
    return status;
}

static void builder_free(struct builder *builder)
{
    for (int t = 0; t < builder->threads; t++) {
        if (builder->walker) graph_walker_free(builder->walker[t]);
        if (builder->pruner) pruner_free(&builder->pruner[t]);
    }
    mem_free(builder->keys);
    mem_free(builder->found);
    mem_free(builder->same);
    mem_free(builder->back);
    mem_free(builder->group);
    mem_free(builder->walker);
    mem_free(builder->pruner);
}

/* Reserves room in every walker before threads start, so that nothing can fail inside. */
static film_status fit_walkers(struct builder *builder, film_error *error)
{
    film_status status = FILM_OK;
    const struct graph *graph = builder->graph;
    for (int t = 0; t < builder->threads; t++) {
        size_t many = graph->options.degree > BATCH ? graph->options.degree : BATCH;
        if (graph->entries > many) many = graph->entries;
        TRY(walker_fit(builder->walker[t], graph->count + BATCH, graph->options.dim,
                       graph->options.width, many, error));
    }
done:
    return status;
}

/* Finds the candidates of row I of the batch. */
static void find_neighbours(struct builder *builder, struct graph_walker *walker, size_t i)
{
    const struct graph_view *view = &builder->view;
    const struct codes *all = &builder->all;
    size_t width = builder->graph->options.width;
    uint32_t row = (uint32_t)(builder->first + i);
    struct codes_query query = codes_query_row(all, row, walker->values);
    walker_walk(walker, view, &query, width);
    codes_score_range(all, &query, builder->first, builder->count, walker->scores);
    for (size_t j = 0; j < builder->count; j++)
        if (j != i) walker_offer(walker, key_of(walker->scores[j], (uint32_t)(builder->first + j)));
    /* Finds the lowest preceding row with the same codes. A row of zeros scores 0 with all rows, so
     * a search does not find others like it: the graph remembers one. */
    float self = walker->scores[i];
    uint32_t zero = query.scale > 0 ? GRAPH_NONE : builder->graph->zero;
    builder->same[i] = zero != GRAPH_NONE && codes_equal(all, zero, row) ? zero : GRAPH_NONE;
    for (size_t c = 0; c < walker->size; c++) {
        uint32_t other = key_id(walker->pool[c]);
        if (key_score(walker->pool[c]) == self && other < row && codes_equal(all, other, row) &&
            (builder->same[i] == GRAPH_NONE || other < builder->same[i]))
            builder->same[i] = other;
    }
    memcpy(builder->keys + i * width, walker->pool, walker->size * sizeof *walker->pool);
    builder->found[i] = walker->size;
}

/* Sets the links of row I of the batch; future twins are not candidates. */
static void link_row(struct builder *builder, struct pruner *pruner, size_t i)
{
    uint64_t *keys = builder->keys + i * builder->graph->options.width;
    size_t left = 0;
    if (builder->same[i] != GRAPH_NONE) return;
    for (size_t c = 0; c < builder->found[i]; c++) {
        size_t other =
            key_id(keys[c]) - builder->first; /* wraps around for rows before the batch */
        if (other < builder->count && builder->same[other] != GRAPH_NONE) continue;
        keys[left++] = keys[c] & ~(uint64_t)1;
    }
    builder->found[i] = left;
    /* Pruning reorders its keys, but the first few are needed again for rows without incoming
     * links. */
    memcpy(pruner->keys, keys, left * sizeof *keys);
    graph_prune(builder->graph, pruner, (uint32_t)(builder->first + i), pruner->keys, left);
}

static int compare_links(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

/* Collects all links of the batch as (target, source), sorted, and the start of each target. */
static void gather_back(struct builder *builder)
{
    const struct graph *graph = builder->graph;
    size_t count = 0;
    for (size_t i = 0; i < builder->count; i++) {
        const uint32_t *links = graph_links(graph, builder->first + i);
        size_t degree = graph_degree(links, graph->options.degree);
        for (size_t d = 0; d < degree; d++)
            builder->back[count++] = (uint64_t)links[d] << 32 | (builder->first + i);
    }
    sort_array(builder->back, count, sizeof *builder->back, compare_links);
    builder->groups = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || builder->back[i] >> 32 != builder->back[i - 1] >> 32)
            builder->group[builder->groups++] = i;
    builder->group[builder->groups] = count;
}

/* Links back from one target. Only its own list is written. */
static void link_back(struct builder *builder, struct pruner *pruner, size_t group)
{
    const struct graph *graph = builder->graph;
    size_t first = builder->group[group], last = builder->group[group + 1];
    size_t most = graph->options.degree, degree;
    uint32_t target = (uint32_t)(builder->back[first] >> 32), *links = graph_links(graph, target);
    degree = graph_degree(links, most);
    memcpy(pruner->id, links, degree * sizeof *links);
    size_t all = degree;
    for (size_t i = first; i < last && all < PRUNE_MOST; i++) {
        uint32_t source = (uint32_t)builder->back[i];
        size_t at = 0;
        while (at < degree && links[at] != source) at++;
        if (at == degree) pruner->id[all++] = source;
    }
    if (all <= most) {
        memcpy(links + degree, pruner->id + degree, (all - degree) * sizeof *links);
        graph->stale[target] = 1;
    } else
        graph_prune_ids(graph, pruner, target, all);
}

static int links_to(const struct graph *graph, uint32_t from, uint32_t to)
{
    const uint32_t *links = graph_links(graph, from);
    for (size_t i = 0; i < graph->options.degree && links[i] != GRAPH_NONE; i++)
        if (links[i] == to) return 1;
    return 0;
}

/* Inserts twins into their rings, and adds a link to new rows without incoming links. In the order
 * of ids. */
static void settle(struct builder *builder)
{
    struct graph *graph = builder->graph;
    struct codes codes = graph_view(graph).codes;
    for (size_t i = 0; i < builder->count; i++) {
        uint32_t row = (uint32_t)(builder->first + i), same = builder->same[i];
        if (same != GRAPH_NONE) {
            graph->twin[row] = graph->twin[same];
            graph->twin[same] = row;
            continue;
        }
        if (!(codes_scale(&codes, row) > 0)) graph->zero = row;
        const uint32_t *links = graph_links(graph, row);
        size_t degree = graph_degree(links, graph->options.degree), known = 0;
        for (size_t d = 0; d < degree && !known; d++)
            known = (size_t)links_to(graph, links[d], row);
        if (!known)
            graph_attach(graph, row, builder->keys + i * graph->options.width, builder->found[i]);
    }
}

/* ---- One batch: three parallel steps ---- */

static film_status find_some(struct threads_worker *worker, void *user, film_error *error)
{
    struct builder *builder = user;
    size_t begin, end;
    (void)error;
    while (threads_next(worker, &begin, &end))
        for (size_t i = begin; i < end; i++)
            find_neighbours(builder, builder->walker[worker->number], i);
    return FILM_OK;
}

static film_status link_some(struct threads_worker *worker, void *user, film_error *error)
{
    struct builder *builder = user;
    size_t begin, end;
    (void)error;
    while (threads_next(worker, &begin, &end))
        for (size_t i = begin; i < end; i++) link_row(builder, &builder->pruner[worker->number], i);
    return FILM_OK;
}

static film_status link_some_back(struct threads_worker *worker, void *user, film_error *error)
{
    struct builder *builder = user;
    size_t begin, end;
    (void)error;
    while (threads_next(worker, &begin, &end))
        for (size_t group = begin; group < end; group++)
            link_back(builder, &builder->pruner[worker->number], group);
    return FILM_OK;
}

static film_status add_batch(struct builder *builder, film_error *error)
{
    enum { ROWS = 4, TARGETS = 16 };
    film_status status = FILM_OK;
    struct graph *graph = builder->graph;
    builder->view = graph_changing(graph);
    builder->all = builder->view.codes;
    builder->all.count = builder->first + builder->count;
    TRY(threads_for(builder->threads, builder->count, ROWS, find_some, builder, error));
    graph->count = builder->all.count;
    for (size_t i = 0; i < builder->count; i++)
        graph->state[builder->first + i] =
            builder->same[i] == GRAPH_NONE ? GRAPH_LINKED : GRAPH_TWIN;
    TRY(threads_for(builder->threads, builder->count, ROWS, link_some, builder, error));
    gather_back(builder);
    TRY(threads_for(builder->threads, builder->groups, TARGETS, link_some_back, builder, error));
    settle(builder);
done:
    return status;
}

/* Encodes rows FIRST .. and clears their lists. */
static void prepare_rows(struct graph *graph, const float *rows, size_t count, int threads)
{
    size_t first = graph->count, degree = graph->options.degree;
    codes_encode(rows, count, graph->options.dim, graph->codes + first * graph->stride, threads);
    for (size_t i = first; i < first + count; i++) graph->twin[i] = (uint32_t)i;
    memset(graph->stale + first, 1, count);
    memset(graph->links + first * degree, 0xff, count * degree * sizeof *graph->links);
}

film_status graph_add(struct graph *graph, const float *rows, size_t count, int threads,
                      const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    struct builder builder = {0};
    size_t before = graph->count;
    threads = threads_count(threads);
    if (count > GRAPH_MAX_ROWS)
        return status_set(error, FILM_USAGE, "graph: more than %d rows are not supported",
                          GRAPH_MAX_ROWS);
    if (count < (size_t)threads) threads = count ? (int)count : 1;
    TRY(graph_reserve(graph, graph->count + count, error));
    TRY(builder_init(&builder, graph, threads, error));
    prepare_rows(graph, rows, count, threads);
    for (size_t done = 0; done < count; done += builder.count) {
        builder.first = graph->count;
        builder.count = count - done < BATCH ? count - done : BATCH;
        TRY(fit_walkers(&builder, error));
        TRY(add_batch(&builder, error));
        if (!graph->entries || graph->count > graph->count_at_entries + graph->count_at_entries / 8)
            graph_choose_entries(graph);
        TRY(progress_report(progress, "graph", (double)(done + builder.count), (double)count,
                            error));
    }
    /* Traversing the whole graph is worth it for large additions only. */
    if (count >= BATCH || count * 8 >= before) {
        graph_choose_entries(graph);
        TRY(graph_connect(graph, error));
    }
done:
    graph_sketch_stale(graph, threads);
    builder_free(&builder);
    return status;
}
