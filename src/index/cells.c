/* Vectors in cells around centres (cells.h): one step of k-means over a sample, then every row goes
 * to its nearest centre. All of it uses codes, so it gives the same bits on every machine. */
#include "index/cells.h"
#include "base/mem.h"
#include "base/threads.h"
#include "index/graph.h"

#include <math.h>
#include <string.h>

enum {
    EACH = 32,       /* rows of the sample per centre */
    MOST_ROWS = 4096 /* of one cell in one search: equal vectors are all in one */
};

struct cells {
    size_t count, probes;
    struct codes centres, rows; /* rows by cell, then by id */
    uint8_t *centre_bytes, *row_bytes;
    uint32_t *start; /* count + 1: the rows of a cell */
    uint32_t *id;    /* of each row */
    uint32_t *place; /* by id: its row */
    uint32_t *near;  /* by id: the `probes` nearest cells, the nearest first */
};

void cells_free(struct cells *cells)
{
    if (!cells) return;
    mem_free(cells->centre_bytes);
    mem_free(cells->row_bytes);
    mem_free(cells->start);
    mem_free(cells->id);
    mem_free(cells->place);
    mem_free(cells->near);
    mem_free(cells);
}

const uint32_t *cells_order(const struct cells *cells)
{
    return cells->id;
}

size_t cells_room(const struct cells *cells)
{
    return cells->count > MOST_ROWS ? cells->count : MOST_ROWS;
}

/* ---- Assigning rows ---- */

/* Fills CELL with the LIMIT nearest cells, the nearest first; there are that many. */
static void nearest_cells(const struct cells *cells, const struct codes_query *query, size_t limit,
                          float *scores, uint32_t *cell)
{
    float near[CELLS_WIDE];
    struct topk nearest = topk_over(near, cell, limit);
    codes_score_range(&cells->centres, query, 0, cells->count, scores);
    for (size_t c = 0; c < cells->count; c++) topk_offer(&nearest, scores[c], (uint32_t)c);
    topk_finish(&nearest);
}

/* Every STEP-th row, and the LIMIT nearest cells of each of these. */
struct cell_assignment {
    const struct cells *cells;
    const struct codes *codes;
    size_t step, limit;
    uint32_t *cell;
};

static film_status assign_some(struct threads_worker *worker, void *user, film_error *error)
{
    film_status status = FILM_OK;
    const struct cell_assignment *job = user;
    const struct codes *centres = &job->cells->centres;
    int8_t *values = mem_aligned(codes_query_room(centres->dim), 1);
    float *scores = mem_array(centres->count, sizeof *scores);
    size_t begin, end;
    TRY_ALLOC(values && scores, error);
    while (threads_next(worker, &begin, &end))
        for (size_t i = begin; i < end; i++) {
            struct codes_query query = codes_query_row(job->codes, i * job->step, values);
            nearest_cells(job->cells, &query, job->limit, scores, job->cell + i * job->limit);
        }
done:
    mem_free_aligned(values);
    mem_free(scores);
    return status;
}

static film_status assign_cells(struct cell_assignment *job, int threads, film_error *error)
{
    enum { GRAIN = 64 };
    size_t step = job->step;
    return threads_for(threads, (job->codes->count + step - 1) / step, GRAIN, assign_some, job,
                       error);
}

/* Moves every centre to the mean of its rows; one without rows stays. */
static film_status move_centres(struct cells *cells, const struct cell_assignment *job,
                                film_error *error)
{
    size_t dim = cells->centres.dim, count = (job->codes->count + job->step - 1) / job->step;
    float *sum = mem_zeroed(cells->count, dim * sizeof *sum);
    if (!sum) return status_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *row = job->codes->rows + i * job->step * job->codes->stride;
        float scale = codes_scale(job->codes, i * job->step), *to = sum + job->cell[i] * dim;
        for (size_t d = 0; d < dim; d++) to[d] += scale * (float)(row[d] - CODES_ZERO);
    }
    for (size_t c = 0; c < cells->count; c++) {
        double square = 0;
        float *mean = sum + c * dim;
        for (size_t d = 0; d < dim; d++) square += (double)mean[d] * (double)mean[d];
        if (!(square > 0)) continue;
        float inverse = (float)(1 / sqrt(square));
        for (size_t d = 0; d < dim; d++) mean[d] *= inverse;
        codes_encode_row(mean, dim, cells->centre_bytes + c * cells->centres.stride);
    }
    mem_free(sum);
    return FILM_OK;
}

/* Sorts the centres so that each is followed by the nearest of the rest: rows of neighbouring cells
 * are then near each other in cells_order, too. */
static film_status chain_centres(struct cells *cells, film_error *error)
{
    film_status status = FILM_OK;
    size_t stride = cells->centres.stride;
    int8_t *values = mem_aligned(codes_query_room(cells->centres.dim), 1);
    float *scores = mem_array(cells->count, sizeof *scores);
    uint8_t *spare = mem_array(stride, 1);
    TRY_ALLOC(values && scores && spare, error);
    for (size_t at = 1; at < cells->count; at++) {
        struct codes_query query = codes_query_row(&cells->centres, at - 1, values);
        uint8_t *here = cells->centre_bytes + at * stride;
        size_t best = 0, rest = cells->count - at;
        codes_score_range(&cells->centres, &query, at, rest, scores);
        for (size_t c = 1; c < rest; c++)
            if (scores[c] > scores[best]) best = c;
        memcpy(spare, here, stride);
        memmove(here, here + best * stride, stride);
        memcpy(here + best * stride, spare, stride);
    }
done:
    mem_free_aligned(values);
    mem_free(scores);
    mem_free(spare);
    return status;
}

/* Sorts the rows by cell; the order of ids stays. */
static void arrange(struct cells *cells, const struct codes *codes)
{
    size_t rows = codes->count, stride = codes->stride, probes = cells->probes;
    for (size_t i = 0; i < rows; i++) cells->start[cells->near[i * probes] + 1]++;
    for (size_t c = 0; c < cells->count; c++) cells->start[c + 1] += cells->start[c];
    for (size_t i = 0; i < rows; i++) {
        uint32_t at = cells->start[cells->near[i * probes]]++;
        cells->id[at] = (uint32_t)i;
        cells->place[i] = at;
        memcpy(cells->row_bytes + at * stride, codes->rows + i * stride, stride);
    }
    memmove(cells->start + 1, cells->start, cells->count * sizeof *cells->start);
    cells->start[0] = 0;
}

static film_status reserve_cells(struct cells *cells, const struct codes *codes, film_error *error)
{
    film_status status = FILM_OK;
    size_t rows = codes->count;
    /* These cost a search about as much as the rows of CELLS_PROBES of them. */
    cells->count = (size_t)(4 * sqrt((double)rows));
    if (cells->count < 1) cells->count = 1;
    cells->probes = cells->count < CELLS_PROBES ? cells->count : CELLS_PROBES;
    cells->centres = cells->rows = *codes;
    cells->centres.count = cells->count;
    TRY_ALLOC((cells->centre_bytes = mem_array(cells->count, codes->stride)) &&
                  (cells->row_bytes = mem_array(rows, codes->stride)) &&
                  (cells->start = mem_zeroed(cells->count + 1, sizeof *cells->start)) &&
                  (cells->id = mem_array(rows, sizeof *cells->id)) &&
                  (cells->place = mem_array(rows, sizeof *cells->place)) &&
                  (cells->near = mem_array(rows, cells->probes * sizeof *cells->near)),
              error);
    cells->centres.rows = cells->centre_bytes;
    cells->rows.rows = cells->row_bytes;
    for (size_t c = 0; c < cells->count && rows; c++)
        memcpy(cells->centre_bytes + c * codes->stride,
               codes->rows + c * rows / cells->count * codes->stride, codes->stride);
done:
    return status;
}

film_status cells_new(const struct codes *codes, int threads, struct cells **out, film_error *error)
{
    film_status status = FILM_OK;
    struct cells *cells = mem_zeroed(1, sizeof *cells);
    struct cell_assignment job = {.cells = cells, .codes = codes, .limit = 1};
    *out = NULL;
    TRY_ALLOC(cells, error);
    TRY(reserve_cells(cells, codes, error));
    job.cell = cells->near;
    job.step = codes->count / (EACH * cells->count) + 1;
    TRY(assign_cells(&job, threads, error));
    TRY(move_centres(cells, &job, error));
    TRY(chain_centres(cells, error));
    job.step = 1;
    job.limit = cells->probes;
    TRY(assign_cells(&job, threads, error));
    arrange(cells, codes);
    *out = cells;
    cells = NULL;
done:
    cells_free(cells);
    return status;
}

/* ---- Searching ---- */

/* Compares the rows of one cell: all, or MOST_ROWS around the row that the query is. */
static void search_cell(const struct cells *cells, const struct cells_query *query, uint32_t cell,
                        struct topk *top)
{
    size_t first = cells->start[cell], count = cells->start[cell + 1] - first;
    if (count > MOST_ROWS) {
        size_t own = query->row < cells->rows.count ? cells->place[query->row] : first;
        size_t skip = own > first + MOST_ROWS / 2 ? own - first - MOST_ROWS / 2 : 0;
        if (own >= first + count) skip = 0;
        first += skip < count - MOST_ROWS ? skip : count - MOST_ROWS;
        count = MOST_ROWS;
    }
    codes_score_range(&cells->rows, &query->codes, first, count, query->scores);
    for (size_t i = 0; i < count; i++) {
        float score = query->scores[i] * query->codes.scale;
        uint32_t id = cells->id[first + i];
        if (score >= query->least && query->state[id] != GRAPH_DEAD) topk_offer(top, score, id);
    }
}

void cells_search(const struct cells *cells, const struct cells_query *query, struct topk *top)
{
    uint32_t found[CELLS_WIDE];
    const uint32_t *cell = found;
    size_t probes = cells->probes;
    if (query->wide) probes = cells->count < CELLS_WIDE ? cells->count : CELLS_WIDE;
    if (query->row < cells->rows.count && probes == cells->probes)
        cell = cells->near + query->row * probes;
    else
        nearest_cells(cells, &query->codes, probes, query->scores, found);
    for (size_t i = 0; i < probes; i++) search_cell(cells, query, cell[i], top);
}
