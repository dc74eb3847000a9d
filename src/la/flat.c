/* Exact nearest neighbours by inner products of blocks of queries with blocks of rows. It does
 * not use sgemm: the AVX2 kernels of OpenBLAS round differently in different lanes of a tile, so
 * equal vectors would not tie. */
#include "la/flat.h"
#include "base/mem.h"
#include "base/threads.h"
#include "base/topk.h"
#include "embed/vec.h"

#include <string.h>

/* Shape of one product: QUERIES x ROWS scores (128 KiB) stay in the second-level cache while they
 * are examined. */
enum { QUERIES = 64, ROWS = 512 };

/* Scratch memory of one thread. */
struct flat_worker {
    float *queries; /* dim x QUERIES: a query is a column; zeros after the last */
    float *rows;    /* ROWS x dim: the last, short block of the base, or targets */
    float *scores;  /* QUERIES x ROWS */
    float *kept;    /* QUERIES x k */
};

struct flat_job {
    const struct flat *base;
    const struct flat_queries *queries;
    size_t k;
    uint32_t *id;
    float *score;
    const uint32_t *target; /* NULL: search; else rank */
    uint32_t *rank;
    const film_progress *progress;
    size_t done; /* queries */
};

static film_status flat_worker_init(struct flat_worker *worker, const struct flat_job *job,
                                    film_error *error)
{
    film_status status = FILM_OK;
    size_t dim = job->base->dim;
    memset(worker, 0, sizeof *worker);
    TRY_ALLOC((worker->queries = mem_aligned(QUERIES * dim, sizeof(float))) &&
                  (worker->rows = mem_aligned(ROWS * dim, sizeof(float))) &&
                  (worker->scores = mem_aligned(QUERIES * ROWS, sizeof(float))) &&
                  (worker->kept = mem_array(QUERIES * job->k, sizeof(float))),
              error);
done:
    return status;
}

static void flat_worker_free(struct flat_worker *worker)
{
    mem_free_aligned(worker->queries);
    mem_free_aligned(worker->rows);
    mem_free_aligned(worker->scores);
    mem_free(worker->kept);
}

/* Returns the row of query I, or FLAT_NONE for a query that is not a row. */
static uint32_t query_id(const struct flat_queries *queries, size_t i)
{
    if (queries->vectors) return FLAT_NONE;
    return queries->id ? queries->id[i] : (uint32_t)i;
}

static const float *query_vector(const struct flat_job *job, size_t i)
{
    size_t dim = job->base->dim;
    return job->queries->vectors ? job->queries->vectors + i * dim
                                 : job->base->rows + query_id(job->queries, i) * dim;
}

/* Eight queries at once. */
typedef float lanes __attribute__((vector_size(32), aligned(4)));

/* scores (QUERIES x ROWS) = queries' * rows'. A lane sums the products of one query with one row,
 * dimension by dimension, so every score is the same sum in the same order at any position. */
VEC_KERNEL static void multiply_block(float *scores, const float *queries, const float *rows,
                                      size_t dim)
{
    enum { LANES = 8, PART = 4 * LANES }; /* two rows x 32 queries: eight sums in registers */
    for (size_t j = 0; j < ROWS; j += 2)
        for (size_t i = 0; i < QUERIES; i += PART) {
            const float *a = rows + j * dim, *b = a + dim, *q = queries + i;
            lanes sum[8] = {{0}};
            for (size_t d = 0; d < dim; d++, q += QUERIES) {
                const lanes *x = (const lanes *)(const void *)q;
                sum[0] += x[0] * a[d], sum[1] += x[1] * a[d];
                sum[2] += x[2] * a[d], sum[3] += x[3] * a[d];
                sum[4] += x[0] * b[d], sum[5] += x[1] * b[d];
                sum[6] += x[2] * b[d], sum[7] += x[3] * b[d];
            }
            for (size_t l = 0; l < PART; l++) {
                scores[(i + l) * ROWS + j] = sum[l / LANES][l % LANES];
                scores[(i + l) * ROWS + j + 1] = sum[4 + l / LANES][l % LANES];
            }
        }
}

static void gather_queries(struct flat_worker *worker, const struct flat_job *job, size_t first,
                           size_t count)
{
    size_t dim = job->base->dim;
    memset(worker->queries, 0, QUERIES * dim * sizeof(float));
    for (size_t i = 0; i < count; i++) {
        const float *query = query_vector(job, first + i);
        for (size_t d = 0; d < dim; d++) worker->queries[d * QUERIES + i] = query[d];
    }
}

/* Computes the scores of block BLOCK of the base; returns its number of rows. */
static size_t score_block(struct flat_worker *worker, const struct flat *base, size_t block)
{
    size_t first = block * ROWS, count = base->count - first < ROWS ? base->count - first : ROWS;
    const float *rows = base->rows + first * base->dim;
    if (count < ROWS) {
        memset(worker->rows, 0, ROWS * base->dim * sizeof(float));
        memcpy(worker->rows, rows, count * base->dim * sizeof(float));
        rows = worker->rows;
    }
    multiply_block(worker->scores, worker->queries, rows, base->dim);
    for (size_t i = 0; base->penalty && i < QUERIES; i++)
        for (size_t j = 0; j < count; j++) worker->scores[i * ROWS + j] -= base->penalty[first + j];
    return count;
}

static void search_tile(struct flat_worker *worker, const struct flat_job *job, size_t first,
                        size_t count)
{
    struct topk top[QUERIES];
    size_t blocks = (job->base->count + ROWS - 1) / ROWS, k = job->k;
    for (size_t i = 0; i < count; i++)
        top[i] = topk_over(worker->kept + i * k, job->id + (first + i) * k, k);
    for (size_t block = 0; block < blocks; block++) {
        size_t rows = score_block(worker, job->base, block);
        for (size_t i = 0; i < count; i++) {
            const float *scores = worker->scores + i * ROWS;
            /* wraps around when it is in another block */
            size_t self = query_id(job->queries, first + i) - block * ROWS;
            for (size_t j = 0; j < rows; j++)
                if (j != self) topk_offer(&top[i], scores[j], (uint32_t)(block * ROWS + j));
        }
    }
    for (size_t i = 0; i < count; i++) {
        topk_finish(&top[i]);
        for (size_t j = top[i].count; j < k; j++) {
            top[i].id[j] = FLAT_NONE;
            top[i].score[j] = 0;
        }
        if (job->score) memcpy(job->score + (first + i) * k, top[i].score, k * sizeof(float));
    }
}

static void rank_tile(struct flat_worker *worker, const struct flat_job *job, size_t first,
                      size_t count)
{
    size_t dim = job->base->dim, blocks = (job->base->count + ROWS - 1) / ROWS;
    const uint32_t *targets = job->target + first;
    const float *penalty = job->base->penalty;
    float wanted[QUERIES];
    memset(worker->rows, 0, ROWS * dim * sizeof(float));
    for (size_t i = 0; i < count; i++)
        memcpy(worker->rows + i * dim, job->base->rows + targets[i] * dim, dim * sizeof(float));
    multiply_block(worker->scores, worker->queries, worker->rows, dim);
    for (size_t i = 0; i < count; i++) {
        wanted[i] = worker->scores[i * ROWS + i] - (penalty ? penalty[targets[i]] : 0);
        job->rank[first + i] = 1;
    }
    for (size_t block = 0; block < blocks; block++) {
        size_t rows = score_block(worker, job->base, block);
        for (size_t i = 0; i < count; i++) {
            const float *scores = worker->scores + i * ROWS;
            size_t self = query_id(job->queries, first + i), target = targets[i];
            if (self == target) continue;
            uint32_t better = 0;
            for (size_t j = 0; j < rows; j++) better += scores[j] >= wanted[i];
            /* wrap around in other blocks */
            size_t s = self - block * ROWS, t = target - block * ROWS;
            if (s < rows) better -= scores[s] >= wanted[i];
            if (t < rows) better -= scores[t] >= wanted[i];
            job->rank[first + i] += better;
        }
    }
}

/* Searches tiles of queries. The calling thread reports progress. */
static film_status run_tiles(struct threads_worker *worker, void *user, film_error *error)
{
    struct flat_job *job = user;
    struct flat_worker own;
    size_t first, end, all = job->queries->count;
    film_status status = flat_worker_init(&own, job, error);
    while (status == FILM_OK && threads_next(worker, &first, &end)) {
        gather_queries(&own, job, first, end - first);
        (job->target ? rank_tile : search_tile)(&own, job, first, end - first);
        size_t done = __atomic_add_fetch(&job->done, end - first, __ATOMIC_RELAXED);
        if (worker->number == 0)
            status = progress_report(job->progress, job->target ? "retrieval" : "neighbours",
                                     (double)done, (double)all, error);
    }
    flat_worker_free(&own);
    return status;
}

film_status flat_search(const struct flat *base, const struct flat_queries *queries, size_t k,
                        int threads, const film_progress *progress, const struct nearest *out,
                        film_error *error)
{
    struct flat_job job = {.base = base,
                           .queries = queries,
                           .k = k,
                           .id = out->id,
                           .score = out->score,
                           .progress = progress};
    return threads_for(threads_count(threads), queries->count, QUERIES, run_tiles, &job, error);
}

film_status flat_rank(const struct flat *base, const struct flat_queries *queries,
                      const uint32_t *target, int threads, const film_progress *progress,
                      uint32_t *rank, film_error *error)
{
    struct flat_job job = {
        .base = base, .queries = queries, .target = target, .rank = rank, .progress = progress};
    return threads_for(threads_count(threads), queries->count, QUERIES, run_tiles, &job, error);
}
