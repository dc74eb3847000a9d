/* Best-first search in the graph with a bounded candidate list (as in HNSW and Vamana), for queries
 * and for building. It never writes the graph. */
#include "index/graph_walk.h"
#include "base/mem.h"
#include "base/threads.h"
#include "base/topk.h"
#include "embed/vec.h"

/* Number of entry rows that a search starts from: a single one may be on the wrong side of a
 * gap. */
enum { STARTS = 4 };

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
    size_t low = 0, high = walker->size;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (pool[middle] > key)
            low = middle + 1;
        else
            high = middle;
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

/* Follows the links of the best rows of the pool. */
static void follow_links(struct graph_walker *walker, const struct graph_view *view,
                         const struct codes_query *query)
{
    size_t rows = view->codes.count, count;
    while (walker->cursor < walker->size) {
        uint64_t *key = &walker->pool[walker->cursor++];
        if (*key & 1) continue;
        *key |= 1;
        const uint32_t *links = view->links + (size_t)key_id(*key) * view->degree;
        count = 0;
        for (size_t i = 0; i < view->degree && links[i] != GRAPH_NONE; i++)
            count = visit(walker, rows, links[i], count);
        /* Prefetch the links that are most likely next, while these are scored. */
        if (walker->cursor < walker->size) {
            const uint32_t *next =
                view->links + (size_t)key_id(walker->pool[walker->cursor]) * view->degree;
            __builtin_prefetch(next);
            __builtin_prefetch(next + 16);
        }
        offer_todo(walker, view, query, count);
    }
}

void walker_walk(struct graph_walker *walker, const struct graph_view *view,
                 const struct codes_query *query, size_t limit)
{
    size_t count = 0;
    for (size_t i = 0; i < view->entries; i++)
        if (view->entry[i] < view->codes.count) walker->todo[count++] = view->entry[i];
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
    /* The order of the codes is right except for near ties: a few beyond k are enough to rank
     * exactly. */
    size_t ranked = question->rows ? k + k / 2 + 8 : k;
    if (ranked > walker->size) ranked = walker->size;
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
