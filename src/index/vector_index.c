/* The vectors of an index: an exact scan while there are few, a proximity graph (graph.h) or cells
 * (cells.h) once there are many. The words of an index are in lexical.c. */
#include "index/vector_index.h"
#include "base/mem.h"
#include "base/topk.h"
#include "index/cells.h"
#include "index/graph_walk.h"

#include <math.h>

struct vector_index {
    size_t dim, graph_from;
    int brief; /* cells instead of a graph */
    struct cells *cells;
    struct graph_view view; /* the arrays searched; degree 0: without a graph */
    int borrowed;           /* the view points into a file */
    struct graph *graph;    /* own graph, or NULL */
    uint8_t *codes, *state; /* own arrays, without a graph */
    size_t codes_capacity, state_capacity;
};

static struct graph_options options_of(const struct vector_index *dense)
{
    return (struct graph_options){.dim = dense->dim, .seed = 1};
}

film_status vector_index_new(size_t dim, size_t graph_from, struct vector_index **out,
                             film_error *error)
{
    *out = NULL;
    if (dim == 0 || dim > CODES_MAX_DIM)
        return status_set(error, FILM_USAGE, "vectors of %zu dimensions are not supported", dim);
    struct vector_index *dense = mem_zeroed(1, sizeof *dense);
    if (!dense) return status_no_memory(error);
    dense->dim = dim;
    dense->graph_from = graph_from ? graph_from : VECTOR_INDEX_GRAPH_FROM;
    dense->view.codes = (struct codes){NULL, 0, dim, codes_stride(dim)};
    *out = dense;
    return FILM_OK;
}

void vector_index_brief(struct vector_index *dense)
{
    dense->brief = 1;
}

film_status vector_index_open(const struct graph_view *view, size_t graph_from,
                              struct vector_index **out, film_error *error)
{
    film_status status = FILM_OK;
    const struct codes *codes = &view->codes;
    *out = NULL;
    TRY(vector_index_new(codes->dim, graph_from, out, error));
    if (view->degree)
        TRY(graph_check_sizes(view, error));
    else if (codes->count > GRAPH_MAX_ROWS || codes->stride != codes_stride(codes->dim))
        TRY(status_set(error, FILM_BAD_INPUT, "vectors: invalid size: %zu rows of %zu bytes",
                       codes->count, codes->stride));
    (*out)->view = *view;
    (*out)->borrowed = 1;
done:
    if (status != FILM_OK) {
        vector_index_free(*out);
        *out = NULL;
    }
    return status;
}

void vector_index_free(struct vector_index *dense)
{
    if (!dense) return;
    graph_free(dense->graph);
    cells_free(dense->cells);
    mem_free(dense->codes);
    mem_free(dense->state);
    mem_free(dense);
}

struct graph_view vector_index_view(const struct vector_index *dense)
{
    return dense->view;
}

film_status vector_index_check(const struct vector_index *dense, film_error *error)
{
    const struct graph_view *view = &dense->view;
    if (view->degree) return graph_check(view, NULL, error);
    for (size_t row = 0; row < view->codes.count; row++) {
        float scale = codes_scale(&view->codes, row);
        if (!(scale >= 0) || !isfinite(scale) || view->state[row] > GRAPH_DEAD ||
            memchr(view->codes.rows + row * view->codes.stride, 0, dense->dim))
            return status_set(error, FILM_BAD_INPUT, "vectors: row %zu: invalid value", row);
    }
    return FILM_OK;
}

/* ---- Changes ---- */

static film_status reserve_rows(struct vector_index *dense, size_t count, film_error *error)
{
    void *codes = dense->codes, *state = dense->state;
    int there = mem_grow(&codes, &dense->codes_capacity, count + 1, dense->view.codes.stride) &&
                mem_grow(&state, &dense->state_capacity, count + 1, 1);
    dense->codes = codes;
    dense->state = state;
    return there ? FILM_OK : status_no_memory(error);
}

/* Copies the arrays of a file, after checking all of them. */
static film_status own(struct vector_index *dense, film_error *error)
{
    film_status status = FILM_OK;
    const struct graph_view *view = &dense->view;
    if (!dense->borrowed) return FILM_OK;
    if (view->degree) {
        struct graph_options options = options_of(dense);
        TRY(graph_open(view, &options, &dense->graph, error));
        dense->view = graph_view(dense->graph);
    } else {
        TRY(vector_index_check(dense, error));
        TRY(reserve_rows(dense, view->codes.count, error));
        if (view->codes.count) {
            memcpy(dense->codes, view->codes.rows, view->codes.count * view->codes.stride);
            memcpy(dense->state, view->state, view->codes.count);
        }
        dense->view.codes.rows = dense->codes;
        dense->view.state = dense->state;
    }
    dense->borrowed = 0;
done:
    return status;
}

/* Decodes ROWS rows of the codes, from row FIRST on. */
static void decode(const struct codes *codes, size_t first, size_t rows, float *out)
{
    for (size_t i = 0; i < rows; i++) {
        const uint8_t *code = codes->rows + (first + i) * codes->stride;
        float scale = codes_scale(codes, first + i);
        for (size_t d = 0; d < codes->dim; d++)
            out[i * codes->dim + d] = scale * (float)(code[d] - CODES_ZERO);
    }
}

/* Builds the graph over the scanned rows. Dead rows get ids too, so that ids do not change. */
static film_status make_graph(struct vector_index *dense, int threads, film_error *error)
{
    enum { SOME = 16384 };
    film_status status = FILM_OK;
    struct graph_options options = options_of(dense);
    struct graph *graph = NULL;
    struct codes codes = dense->view.codes;
    size_t dead = 0;
    float *rows = NULL;
    uint32_t *gone = NULL;
    TRY_ALLOC((rows = mem_array(SOME, codes.dim * sizeof *rows)) &&
                  (gone = mem_array(codes.count, sizeof *gone)),
              error);
    TRY(graph_new(&options, &graph, error));
    for (size_t first = 0; first < codes.count; first += SOME) {
        size_t some = codes.count - first < SOME ? codes.count - first : SOME;
        decode(&codes, first, some, rows);
        TRY(graph_add(graph, rows, some, threads, NULL, error));
    }
    for (size_t i = 0; i < codes.count; i++)
        if (dense->state[i] == GRAPH_DEAD) gone[dead++] = (uint32_t)i;
    TRY(graph_remove(graph, gone, dead, threads, error));
    dense->graph = graph;
    dense->view = graph_view(graph);
    graph = NULL;
    mem_free(dense->codes);
    mem_free(dense->state);
    dense->codes = dense->state = NULL;
    dense->codes_capacity = dense->state_capacity = 0;
done:
    graph_free(graph);
    mem_free(rows);
    mem_free(gone);
    return status;
}

film_status vector_index_add(struct vector_index *dense, const float *rows, size_t count,
                             int threads, const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    struct codes *codes = &dense->view.codes;
    TRY(own(dense, error));
    if (!dense->graph && !dense->brief && codes->count + count >= dense->graph_from)
        TRY(make_graph(dense, threads, error));
    if (dense->graph) {
        status = graph_add(dense->graph, rows, count, threads, progress, error);
        dense->view = graph_view(dense->graph);
        goto done;
    }
    cells_free(dense->cells);
    dense->cells = NULL;
    TRY(reserve_rows(dense, codes->count + count, error));
    codes_encode(rows, count, dense->dim, dense->codes + codes->count * codes->stride, threads);
    memset(dense->state + codes->count, GRAPH_LINKED, count);
    codes->rows = dense->codes;
    dense->view.state = dense->state;
    codes->count += count;
done:
    return status;
}

film_status vector_index_tidy(struct vector_index *dense, int threads, film_error *error)
{
    if (!dense->brief || dense->cells || dense->view.codes.count < dense->graph_from)
        return FILM_OK;
    return cells_new(&dense->view.codes, threads, &dense->cells, error);
}

const uint32_t *vector_index_order(const struct vector_index *dense)
{
    return dense->cells ? cells_order(dense->cells) : NULL;
}

film_status vector_index_remove(struct vector_index *dense, const uint32_t *id, size_t count,
                                int threads, film_error *error)
{
    film_status status = FILM_OK;
    TRY(own(dense, error));
    if (dense->graph) {
        status = graph_remove(dense->graph, id, count, threads, error);
        dense->view = graph_view(dense->graph);
        goto done;
    }
    for (size_t i = 0; i < count; i++)
        if (id[i] < dense->view.codes.count) dense->state[id[i]] = GRAPH_DEAD;
done:
    return status;
}

/* ---- Searching ---- */

static film_status scan_rows(const struct vector_index *dense, struct graph_walker *walker,
                             const float *vector, struct topk *top, film_error *error)
{
    enum { BLOCK = 256 };
    film_status status = FILM_OK;
    const struct codes *codes = &dense->view.codes;
    TRY(walker_fit(walker, 0, dense->dim, 1, BLOCK, error));
    struct codes_query query = codes_query_of(vector, dense->dim, walker->values);
    for (size_t row = 0; row < codes->count; row += BLOCK) {
        size_t rows = codes->count - row < BLOCK ? codes->count - row : BLOCK;
        codes_score_range(codes, &query, row, rows, walker->scores);
        for (size_t i = 0; i < rows; i++)
            if (dense->view.state[row + i] != GRAPH_DEAD)
                topk_offer(top, walker->scores[i] * query.scale, (uint32_t)(row + i));
    }
done:
    return status;
}

static film_status search_cells(const struct vector_index *dense, struct graph_walker *walker,
                                struct cells_query *query, const float *vector, struct topk *top,
                                film_error *error)
{
    const struct codes *codes = &dense->view.codes;
    film_status status = walker_fit(walker, 0, dense->dim, 1, cells_room(dense->cells), error);
    if (status != FILM_OK) return status;
    query->codes = vector ? codes_query_of(vector, dense->dim, walker->values)
                          : codes_query_row(codes, query->row, walker->values);
    query->wide = walker->wide;
    query->state = dense->view.state;
    query->scores = walker->scores;
    cells_search(dense->cells, query, top);
    return FILM_OK;
}

film_status vector_index_search(const struct vector_index *dense, struct graph_walker *walker,
                                const float *vector, size_t k, size_t ef, struct nearest *out,
                                film_error *error)
{
    if (dense->view.degree) {
        struct graph_question question = {.vector = vector, .k = k, .ef = ef};
        return graph_search(&dense->view, walker, &question, out->id, out->score, &out->found,
                            error);
    }
    struct topk top = topk_over(out->score, out->id, k);
    struct cells_query query = {.row = UINT32_MAX, .least = -INFINITY};
    film_status status = dense->cells ? search_cells(dense, walker, &query, vector, &top, error)
                                      : scan_rows(dense, walker, vector, &top, error);
    topk_finish(&top);
    out->found = top.count;
    return status;
}

film_status vector_index_near(const struct vector_index *dense, struct graph_walker *walker,
                              uint32_t row, float least, size_t k, struct nearest *out,
                              film_error *error)
{
    struct topk top = topk_over(out->score, out->id, k);
    struct cells_query query = {.row = row, .least = least};
    film_status status = search_cells(dense, walker, &query, NULL, &top, error);
    topk_finish(&top);
    out->found = top.count;
    return status;
}

film_status vector_index_score(const struct vector_index *dense, struct graph_walker *walker,
                               const float *vector, const uint32_t *id, size_t count, float *score,
                               film_error *error)
{
    film_status status = FILM_OK;
    const struct codes *codes = &dense->view.codes;
    TRY(walker_fit(walker, 0, dense->dim, 1, 1, error));
    struct codes_query query = codes_query_of(vector, dense->dim, walker->values);
    size_t good = 0; /* length of the prefix of ids in range */
    while (good < count && id[good] < codes->count) good++;
    codes_score(codes, &query, id, good, score);
    for (size_t i = good; i < count; i++) {
        score[i] = 0;
        if (id[i] < codes->count) codes_score(codes, &query, id + i, 1, score + i);
    }
    for (size_t i = 0; i < count; i++) score[i] *= query.scale;
done:
    return status;
}

film_status vector_index_search_among(const struct vector_index *dense, struct graph_walker *walker,
                                      const float *vector, const struct vector_index_among *among,
                                      size_t k, struct nearest *out, film_error *error)
{
    enum { BLOCK = 256 };
    film_status status = FILM_OK;
    float scores[BLOCK];
    struct topk top = topk_over(out->score, out->id, k);
    for (size_t first = 0; first < among->count; first += BLOCK) {
        size_t some = among->count - first < BLOCK ? among->count - first : BLOCK;
        const uint32_t *id = among->id + first;
        TRY(vector_index_score(dense, walker, vector, id, some, scores, error));
        for (size_t i = 0; i < some; i++)
            if (id[i] < dense->view.codes.count && dense->view.state[id[i]] != GRAPH_DEAD)
                topk_offer(&top, scores[i], id[i]);
    }
done:
    topk_finish(&top);
    out->found = top.count;
    return status;
}
