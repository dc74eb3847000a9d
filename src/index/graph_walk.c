/* Best-first search in the graph with a bounded candidate list (as in HNSW and Vamana), for queries
 * and for building. It never writes the graph. */
#include "index/graph_walk.h"
#include "base/mem.h"
#include "base/threads.h"
#include "base/topk.h"
#include "embed/vec.h"

/* Number of entry rows that a search starts from: a single one may be on the wrong side of a
 * gap. */
enum { STARTS = 4, BEAM = 4 };

film_status graph_walker_new(struct graph_walker **out, film_error *error)
{
    film_status status = FILM_OK;
    TRY_ALLOC(*out = mem_zeroed(1, sizeof **out), error);
done:
    return status;
}

void graph_walker_free(struct graph_walker *walker)
{
    if (!walker) return;
    mem_free(walker->mark);
    mem_free_aligned(walker->values);
    mem_free(walker->pool);
    mem_free(walker->todo);
    mem_free(walker->scores);
    mem_free(walker);
}

/* Reallocates a block without keeping its contents; on failure the old one stays. */
static int renew(void **block, size_t count, size_t size)
{
    void *larger = mem_zeroed(count, size);
    if (!larger) return 0;
    mem_free(*block);
    *block = larger;
    return 1;
}

film_status walker_fit(struct graph_walker *walker, size_t rows, size_t dim, size_t limit,
                       size_t many, film_error *error)
{
    film_status status = FILM_OK;
    if (rows > walker->marks) {
        size_t wanted = rows + rows / 2; /* a graph that grows row by row */
        TRY_ALLOC(renew((void **)&walker->mark, wanted, 1), error);
        walker->marks = wanted;
        walker->epoch = 0;
    }
    if (codes_query_room(dim) > walker->values_room) {
        int8_t *values = mem_aligned(codes_query_room(dim), 1);
        TRY_ALLOC(values, error);
        mem_free_aligned(walker->values);
        walker->values = values;
        walker->values_room = codes_query_room(dim);
    }
    if (limit > walker->room) {
        TRY_ALLOC(renew((void **)&walker->pool, limit, sizeof *walker->pool), error);
        walker->room = limit;
    }
    if (many < (size_t)BEAM * GRAPH_MAX_DEGREE) many = (size_t)BEAM * GRAPH_MAX_DEGREE;
    if (many > walker->todo_room) {
        TRY_ALLOC(renew((void **)&walker->todo, many, sizeof *walker->todo) &&
                      renew((void **)&walker->scores, many, sizeof *walker->scores),
                  error);
        walker->todo_room = many;
    }
done:
    return status;
}

void walker_offer(struct graph_walker *walker, uint64_t key)
{
    uint64_t *pool = walker->pool;
    if (walker->size == walker->limit) {
        if (key <= pool[walker->size - 1]) return;
        walker->size--;
    }
    size_t low = 0;
    for (size_t length = walker->size, half; length; length = half) { /* without a branch */
        half = length / 2;
        low += pool[low + half] > key ? length - half : 0;
    }
    memmove(pool + low + 1, pool + low, (walker->size - low) * sizeof *pool);
    pool[low] = key;
    walker->size++;
    if (low < walker->cursor) walker->cursor = low;
}

/* A new epoch invalidates all marks without touching them; they are cleared every 255 searches. */
static void new_epoch(struct graph_walker *walker)
{
    if (++walker->epoch == 0) {
        memset(walker->mark, 0, walker->marks);
        walker->epoch = 1;
    }
}

/* Scores the ids in todo and inserts them into the pool. */
static void offer_todo(struct graph_walker *walker, const struct graph_view *view,
                       const struct codes_query *query, size_t count)
{
    codes_score(&view->codes, query, walker->todo, count, walker->scores);
    walker->scored += count;
    for (size_t i = 0; i < count; i++)
        walker_offer(walker, key_of(walker->scores[i], walker->todo[i]));
}

/* Checks the range of an id: the array may have changed since it was checked. */
static inline size_t visit(struct graph_walker *walker, size_t rows, uint32_t id, size_t count)
{
    if (id >= rows || walker->mark[id] == walker->epoch) return count;
    walker->mark[id] = walker->epoch;
    walker->todo[count] = id;
    return count + 1;
}

/* Fills the pool with the COUNT rows of todo, or the best STARTS of them. */
static void start_walk(struct graph_walker *walker, const struct graph_view *view,
                       const struct codes_query *query, size_t limit, size_t count)
{
    new_epoch(walker);
    walker->size = walker->cursor = 0;
    walker->limit = limit < STARTS ? limit : STARTS;
    offer_todo(walker, view, query, count);
    /* Only the starting rows count as visited: the other entries may be results, found by links. */
    for (size_t i = 0; i < walker->size; i++) walker->mark[key_id(walker->pool[i])] = walker->epoch;
    walker->limit = limit;
}

/* Collects in todo, from place COUNT on, the links of the row of KEY that have not been visited and
 * whose estimate is better than the worst candidate. */
static size_t collect_links(struct graph_walker *walker, const struct graph_view *view,
                            uint64_t key, size_t count)
{
    const struct sketch_query *sketch = &walker->sketch;
    const uint32_t *links = view->links + (size_t)key_id(key) * view->degree;
    size_t block = (size_t)key_id(key) * ((view->degree + SKETCH_LINKS - 1) / SKETCH_LINKS);
    int all = walker->size < walker->limit || !sketch->signs || !view->sketch;
    float least = all ? 0 : key_score(walker->pool[walker->size - 1]);
    for (size_t first = 0; first < view->degree; first += SKETCH_LINKS, block++) {
        size_t left = view->degree - first;
        uint32_t mask =
            all ? UINT32_MAX
                : sketch_pass(sketch, view->sketch + block * sketch->block, key_score(key), least);
        if (left < SKETCH_LINKS) mask &= ((uint32_t)1 << left) - 1;
        for (; mask; mask &= mask - 1)
            count =
                visit(walker, view->codes.count, links[first + (size_t)__builtin_ctz(mask)], count);
    }
    return count;
}

static void fetch_links(const struct graph_walker *walker, const struct graph_view *view,
                        uint64_t key)
{
    size_t row = key_id(key), blocks = (view->degree + SKETCH_LINKS - 1) / SKETCH_LINKS;
    const uint32_t *links = view->links + row * view->degree;
    size_t size = blocks * walker->sketch.block;
    for (size_t i = 0; i < view->degree; i += 16) __builtin_prefetch(links + i);
    for (size_t i = 0; view->sketch && i < size; i += 64)
        __builtin_prefetch(view->sketch + row * size + i);
}

/* Follows the links of the best rows of the pool, BEAM rows at a time: they wait for memory
 * together. */
static void follow_links(struct graph_walker *walker, const struct graph_view *view,
                         const struct codes_query *query)
{
    while (walker->cursor < walker->size) {
        uint64_t chosen[BEAM];
        size_t chosen_count = 0, count = 0;
        for (; walker->cursor < walker->size && chosen_count < BEAM; walker->cursor++) {
            uint64_t *key = &walker->pool[walker->cursor];
            if (*key & 1) continue;
            *key |= 1;
            fetch_links(walker, view, *key);
            chosen[chosen_count++] = *key;
        }
        for (size_t i = 0; i < chosen_count; i++)
            count = collect_links(walker, view, chosen[i], count);
        offer_todo(walker, view, query, count);
    }
}

void walker_walk(struct graph_walker *walker, const struct graph_view *view,
                 const struct codes_query *query, size_t limit)
{
    size_t count = 0;
    for (size_t i = 0; i < view->entries; i++)
        if (view->entry[i] < view->codes.count) walker->todo[count++] = view->entry[i];
    if (view->sketch) sketch_query_make(&walker->sketch, query, view->codes.dim);
    start_walk(walker, view, query, limit, count);
    follow_links(walker, view, query);
}

/* ---- Searching ---- */

struct graph_result {
    const struct graph_question *question;
    const struct graph_view *view;
    struct topk top;
    float scale;
};

static void offer_neighbour(struct graph_result *answer, uint32_t id, float score)
{
    size_t dim = answer->view->codes.dim;
    const float *rows = answer->question->rows;
    float value = rows ? (float)vec_dot(answer->question->vector, rows + (size_t)id * dim, dim)
                       : score * answer->scale;
    topk_offer(&answer->top, value, id);
}

/* Adds a row and those with the same codes, at most k. */
static void offer_ring(struct graph_result *answer, uint64_t key)
{
    const struct graph_view *view = answer->view;
    uint32_t first = key_id(key), id = first;
    for (size_t step = 0; step <= answer->question->k; step++) {
        if (view->state[id] != GRAPH_DEAD) offer_neighbour(answer, id, key_score(key));
        id = view->twin[id];
        if (id == first || id >= view->codes.count) return;
    }
}

film_status graph_search(const struct graph_view *view, struct graph_walker *walker,
                         const struct graph_question *question, uint32_t *id, float *score,
                         size_t *found, film_error *error)
{
    film_status status = FILM_OK;
    size_t k = question->k, ef = question->ef < k ? k : question->ef;
    size_t many = view->entries > view->degree ? view->entries : view->degree;
    *found = 0;
    if (k == 0) goto done;
    if (ef > GRAPH_MAX_WIDTH)
        return status_set(error, FILM_USAGE, "search: at most %d candidates are supported, not %zu",
                          GRAPH_MAX_WIDTH, ef);
    TRY(walker_fit(walker, view->codes.count, view->codes.dim, ef, many, error));
    struct codes_query query = codes_query_of(question->vector, view->codes.dim, walker->values);
    walker_walk(walker, view, &query, ef);
    /* The order of the codes is right except for near ties, closer than the rounding of the query
     * and of the rows: only those beyond k are ranked exactly too. */
    size_t ranked = k < walker->size ? k : walker->size, most = ranked + ranked / 2 + 8;
    if (question->rows && ranked == k)
        while (ranked < most && ranked < walker->size &&
               key_score(walker->pool[ranked]) > key_score(walker->pool[k - 1]) - 2)
            ranked++;
    if (question->rows)
        for (size_t i = 0; i < ranked; i++) {
            const float *row = question->rows + (size_t)key_id(walker->pool[i]) * view->codes.dim;
            for (size_t d = 0; d < view->codes.dim; d += 16) __builtin_prefetch(row + d);
        }
    struct graph_result answer = {question, view, topk_over(score, id, k), query.scale};
    for (size_t i = 0; i < ranked; i++) offer_ring(&answer, walker->pool[i]);
    topk_finish(&answer.top);
    *found = answer.top.count;
done:
    return status;
}

/* Queries that several threads search; vectors, ids and scores are concatenated. */
struct graph_query {
    const struct graph_view *view;
    const struct graph_question *question;
    uint32_t *id;
    float *score;
};

static film_status walk_chunk(struct threads_worker *worker, void *user, film_error *error)
{
    const struct graph_query *request = user;
    film_status status = FILM_OK;
    struct graph_walker *walker = NULL;
    size_t k = request->question->k, begin, end;
    TRY(graph_walker_new(&walker, error));
    while (threads_next(worker, &begin, &end))
        for (size_t q = begin; q < end; q++) {
            struct graph_question one = *request->question;
            uint32_t *id = request->id + q * k;
            float *score = request->score + q * k;
            size_t found = 0;
            one.vector += q * request->view->codes.dim;
            TRY(graph_search(request->view, walker, &one, id, score, &found, error));
            for (size_t i = found; i < k; i++) {
                id[i] = GRAPH_NONE;
                score[i] = 0;
            }
        }
done:
    graph_walker_free(walker);
    return status;
}

film_status graph_search_many(const struct graph_view *view, const struct graph_question *question,
                              size_t count, int threads, const film_progress *progress,
                              const struct nearest *out, film_error *error)
{
    enum { CHUNK = 8192, GRAIN = 16 }; /* queries between two progress reports; queries per chunk */
    film_status status = FILM_OK;
    size_t k = question->k, chunk = count < CHUNK ? count : CHUNK;
    float *own = NULL;
    threads = threads_count(threads);
    if (!out->score) TRY_ALLOC(own = mem_array(chunk * k, sizeof(float)), error);
    for (size_t first = 0; first < count; first += chunk) {
        struct graph_question some = *question;
        size_t queries = count - first < chunk ? count - first : chunk;
        some.vector += first * view->codes.dim;
        struct graph_query request = {view, &some, out->id + first * k,
                                      own ? own : out->score + first * k};
        TRY(threads_for(threads, queries, GRAIN, walk_chunk, &request, error));
        TRY(progress_report(progress, "neighbours", (double)(first + queries), (double)count,
                            error));
    }
done:
    mem_free(own);
    return status;
}
