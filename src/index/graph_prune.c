/* Chooses the links of a row: near rows in different directions, by the robust pruning of Vamana
 * (Subramanya et al., DiskANN). It also keeps all rows reachable from the entries. */
#include "index/graph_parts.h"
#include "base/mem.h"

film_status pruner_init(struct pruner *pruner, size_t dim, film_error *error)
{
    film_status status = FILM_OK;
    memset(pruner, 0, sizeof *pruner);
    TRY_ALLOC((pruner->keys = mem_array(PRUNE_MOST, sizeof *pruner->keys)) &&
                  (pruner->id = mem_array(PRUNE_MOST, sizeof *pruner->id)) &&
                  (pruner->score = mem_array(PRUNE_MOST, sizeof *pruner->score)) &&
                  (pruner->at = mem_array(PRUNE_MOST, sizeof *pruner->at)) &&
                  (pruner->values = mem_aligned(codes_query_room(dim), 1)),
              error);
done:
    return status;
}

void pruner_free(struct pruner *pruner)
{
    mem_free(pruner->keys);
    mem_free(pruner->id);
    mem_free(pruner->score);
    mem_free(pruner->at);
    mem_free_aligned(pruner->values);
    *pruner = (struct pruner){.keys = NULL};
}

/* Squared distance of two rows of length 1; rounding of the codes must not make it negative. */
static inline float distance(float similarity)
{
    return similarity < 1.0f ? 2.0f - 2.0f * similarity : 0.0f;
}

/* Drops a candidate e when a chosen c is nearer to it than the row by more than the factor SPREAD:
 * the search gets from c to e. All remaining candidates are scored against c at once. */
void graph_prune(const struct graph *graph, struct pruner *pruner, uint32_t row, uint64_t *keys,
                 size_t count)
{
    struct graph_view view = graph_view(graph);
    uint32_t *links = graph_links(graph, row);
    size_t most = graph->options.degree, chosen = 0;
    float own = codes_scale(&view.codes, row);
    float spread = (float)(graph->options.spread * graph->options.spread);
    while (count && chosen < most) {
        uint32_t best = key_id(keys[0]);
        links[chosen++] = best;
        if (chosen == most) break;
        for (size_t i = 1; i < count; i++) pruner->id[i - 1] = key_id(keys[i]);
        struct codes_query query = codes_query_row(&view.codes, best, pruner->values);
        codes_score(&view.codes, &query, pruner->id, count - 1, pruner->score);
        size_t left = 0;
        for (size_t i = 1; i < count; i++) {
            float away = distance(pruner->score[i - 1] * query.scale);
            if (!(spread * away <= distance(key_score(keys[i]) * own))) keys[left++] = keys[i];
        }
        count = left;
    }
    for (size_t i = chosen; i < most; i++) links[i] = GRAPH_NONE;
    graph->stale[row] = 1;
}

/* Sorts in descending order. There are at most a few hundred keys, mostly sorted: heap sort needs
 * no memory and has no bad worst case. */
static void sort_keys(uint64_t *keys, size_t count)
{
    for (size_t end = count, start = count / 2; end > 1;) {
        uint64_t value;
        if (start)
            value = keys[--start];
        else {
            value = keys[--end];
            keys[end] = keys[0];
        }
        size_t at = start;
        for (size_t child; (child = 2 * at + 1) < end; at = child) { /* the smallest on top */
            if (child + 1 < end && keys[child + 1] < keys[child]) child++;
            if (keys[child] >= value) break;
            keys[at] = keys[child];
        }
        keys[at] = value;
    }
}

void graph_prune_ids(const struct graph *graph, struct pruner *pruner, uint32_t row, size_t count)
{
    struct graph_view view = graph_view(graph);
    struct codes_query query = codes_query_row(&view.codes, row, pruner->values);
    size_t kept = 0;
    codes_score(&view.codes, &query, pruner->id, count, pruner->score);
    for (size_t i = 0; i < count; i++)
        if (pruner->id[i] != row) pruner->keys[kept++] = key_of(pruner->score[i], pruner->id[i]);
    sort_keys(pruner->keys, kept);
    size_t unique = 0; /* equal ids have equal scores: adjacent now */
    for (size_t i = 0; i < kept; i++)
        if (!unique || pruner->keys[i] != pruner->keys[unique - 1])
            pruner->keys[unique++] = pruner->keys[i];
    graph_prune(graph, pruner, row, pruner->keys, unique);
}

void graph_attach(struct graph *graph, uint32_t row, const uint64_t *keys, size_t count)
{
    size_t most = graph->options.degree, place = most;
    uint32_t nearest = GRAPH_NONE;
    for (size_t i = 0; i < count && place == most; i++) {
        uint32_t from = key_id(keys[i]);
        if (from == row || graph->state[from] != GRAPH_LINKED) continue;
        place = graph_degree(graph_links(graph, from), most);
        if (nearest == GRAPH_NONE || place < most) nearest = from;
    }
    if (nearest == GRAPH_NONE) return;
    graph_links(graph, nearest)[place < most ? place : most - 1] = row;
    graph->stale[nearest] = 1;
}

size_t graph_flood(const struct graph_view *view, uint8_t *reached, uint32_t *queue, size_t first,
                   size_t last)
{
    for (; first < last; first++) {
        const uint32_t *links = view->links + (size_t)queue[first] * view->degree;
        for (size_t i = 0; i < view->degree && links[i] != GRAPH_NONE; i++)
            if (!reached[links[i]]) {
                reached[links[i]] = 1;
                queue[last++] = links[i];
            }
    }
    return last;
}

/* One round: replacing a link may make its former target unreachable. */
static film_status connect_once(struct graph *graph, struct graph_walker *walker, uint8_t *reached,
                                uint32_t *queue, size_t *cut_off, film_error *error)
{
    film_status status = FILM_OK;
    struct graph_view view = graph_changing(graph);
    size_t last = 0, width = graph->options.width;
    memset(reached, 0, graph->count);
    *cut_off = 0;
    for (size_t i = 0; i < graph->entries; i++) {
        reached[graph->entry[i]] = 1;
        queue[last++] = graph->entry[i];
    }
    last = graph_flood(&view, reached, queue, 0, last);
    for (size_t row = 0; row < graph->count; row++) {
        if (reached[row] || graph->state[row] != GRAPH_LINKED) continue;
        size_t many = view.entries > view.degree ? view.entries : view.degree;
        TRY(walker_fit(walker, graph->count, graph->options.dim, width, many, error));
        struct codes_query query = codes_query_row(&view.codes, row, walker->values);
        walker_walk(walker, &view, &query, width);
        graph_attach(graph, (uint32_t)row, walker->pool, walker->size);
        reached[row] = 1;
        queue[last] = (uint32_t)row;
        last = graph_flood(&view, reached, queue, last, last + 1);
        (*cut_off)++;
    }
done:
    return status;
}

film_status graph_connect(struct graph *graph, film_error *error)
{
    enum { ROUNDS = 4 };
    film_status status = FILM_OK;
    struct graph_walker *walker = NULL;
    uint8_t *reached = NULL;
    uint32_t *queue = NULL;
    size_t cut_off = 1;
    TRY(graph_walker_new(&walker, error));
    TRY_ALLOC((reached = mem_array(graph->count, 1)) &&
                  (queue = mem_array(graph->count, sizeof *queue)),
              error);
    for (int round = 0; round < ROUNDS && cut_off; round++)
        TRY(connect_once(graph, walker, reached, queue, &cut_off, error));
done:
    graph_walker_free(walker);
    mem_free(reached);
    mem_free(queue);
    return status;
}
