/* Exact nearest neighbours from byte codes. A bound on the quantisation error proves that the
 * candidates contain the k best; otherwise the query is scanned again with a threshold. No graph is
 * used. */
#include "index/scan.h"
#include "base/mem.h"
#include "base/threads.h"
#include "base/topk.h"
#include "embed/vec.h"

#include <math.h>
#include <string.h>

/* BLOCK rows (26 KiB at d = 200) stay in the first-level cache while TILE queries are compared with
 * them. */
enum { BLOCK = 128, TILE = 8 };

/* State of a search. */
struct scan_job {
    const struct scan *scan;
    const float *queries;
    size_t count, k, keep; /* keep: candidates per query and part */
    /* The rows are divided into parts of SPAN rows, for a few queries on many cores. */
    size_t parts, span;
    uint32_t *id;
    float *score;
    int8_t *values;            /* count x codes_query_room */
    struct codes_query *query; /* count */
    uint32_t *kept_id;         /* count x parts x keep */
    float *kept_score;
    size_t *kept; /* count x parts: number of candidates */
    size_t again; /* queries that were scanned twice */
};

/* length_of: |x|. lost_by_query: the quantisation error of a query. */
static double length_of(const float *x, size_t dim)
{
    return sqrt(vec_dot(x, x, dim));
}

static double lost_by_query(const float *x, size_t dim, const struct codes_query *query)
{
    double sum = 0;
    for (size_t i = 0; i < dim; i++) {
        double rest = (double)x[i] - (double)query->scale * query->values[i];
        sum += rest * rest;
    }
    return sqrt(sum);
}

/* The largest quantisation error of a row, and the longest decoded row; both squared. */
struct measuring {
    const struct codes *codes;
    const float *rows;
    double lost, longest;
};

static film_status measure_some(struct threads_worker *worker, void *user, film_error *error)
{
    struct measuring *job = user;
    const struct codes *codes = job->codes;
    double lost = 0, longest = 0;
    size_t begin, end;
    (void)error;
    while (threads_next(worker, &begin, &end))
        for (size_t i = begin; i < end; i++) {
            const uint8_t *code = codes->rows + i * codes->stride;
            double scale = (double)codes_scale(codes, i), gone = 0, length = 0;
            for (size_t d = 0; d < codes->dim; d++) {
                double value = scale * (code[d] - CODES_ZERO);
                double rest = (double)job->rows[i * codes->dim + d] - value;
                gone += rest * rest;
                length += value * value;
            }
            if (gone > lost) lost = gone;
            if (length > longest) longest = length;
        }
    threads_lock(worker);
    if (lost > job->lost) job->lost = lost;
    if (longest > job->longest) job->longest = longest;
    threads_unlock(worker);
    return FILM_OK;
}

film_status scan_init(struct scan *scan, struct codes codes, const float *rows, const uint8_t *dead,
                      int threads, film_error *error)
{
    enum { GRAIN = 1024 };
    struct measuring job = {.codes = &codes, .rows = rows};
    if (codes.dim == 0 || codes.dim > CODES_MAX_DIM || codes.stride != codes_stride(codes.dim))
        return status_set(error, FILM_USAGE, "vectors of %zu dimensions are not supported",
                          codes.dim);
    film_status status =
        threads_for(threads_count(threads), codes.count, GRAIN, measure_some, &job, error);
    *scan = (struct scan){codes, rows, dead, (float)sqrt(job.lost), (float)sqrt(job.longest)};
    return status;
}

/* Upper bound on the true score of a row minus the score of its codes: r.q - r'.q' = (r - r').q +
 * r'.(q - q'), plus a margin for the rounding of float products. */
static double doubt(const struct scan *scan, const float *vector, const struct codes_query *query)
{
    double length = length_of(vector, scan->codes.dim);
    return (double)scan->lost * length +
           (double)scan->longest * lost_by_query(vector, scan->codes.dim, query) +
           1e-5 * ((double)scan->longest + (double)scan->lost) * length;
}

static int is_skipped(const struct scan *scan, size_t row)
{
    return scan->dead && scan->dead[row];
}

/* First pass: the best of one part of the rows for one tile of queries. */
static void scan_part(const struct scan_job *job, size_t tile, size_t part)
{
    const struct codes *codes = &job->scan->codes;
    size_t first = part * job->span, last = first + job->span;
    size_t from = tile * TILE, queries = job->count - from < TILE ? job->count - from : TILE;
    float scores[BLOCK];
    struct topk top[TILE];
    if (last > codes->count) last = codes->count;
    for (size_t q = 0; q < queries; q++) {
        size_t at = ((from + q) * job->parts + part) * job->keep;
        top[q] = topk_over(job->kept_score + at, job->kept_id + at, job->keep);
    }
    for (size_t row = first; row < last; row += BLOCK) {
        size_t rows = last - row < BLOCK ? last - row : BLOCK;
        for (size_t q = 0; q < queries; q++) {
            codes_score_range(codes, &job->query[from + q], row, rows, scores);
            for (size_t i = 0; i < rows; i++)
                if (!is_skipped(job->scan, row + i))
                    topk_offer(&top[q], scores[i], (uint32_t)(row + i));
        }
    }
    for (size_t q = 0; q < queries; q++) job->kept[(from + q) * job->parts + part] = top[q].count;
}

static float exact_score(const struct scan *scan, const float *vector, size_t row)
{
    size_t dim = scan->codes.dim;
    return (float)vec_dot(vector, scan->rows + row * dim, dim);
}

/* Second pass, for a query without a proof: scores every row whose codes give at least LEAST. */
static void scan_again(const struct scan_job *job, size_t q, double least, struct topk *top)
{
    const struct scan *scan = job->scan;
    const float *vector = job->queries + q * scan->codes.dim;
    float scores[BLOCK];
    top->count = 0;
    for (size_t row = 0; row < scan->codes.count; row += BLOCK) {
        size_t rows = scan->codes.count - row < BLOCK ? scan->codes.count - row : BLOCK;
        codes_score_range(&scan->codes, &job->query[q], row, rows, scores);
        for (size_t i = 0; i < rows; i++)
            if ((double)scores[i] * (double)job->query[q].scale >= least &&
                !is_skipped(scan, row + i))
                topk_offer(top, exact_score(scan, vector, row + i), (uint32_t)(row + i));
    }
}

/* Ranks the candidates of all parts exactly. Returns whether a second scan was needed. */
static int finish_query(const struct scan_job *job, size_t q)
{
    const struct scan *scan = job->scan;
    const float *vector = job->queries + q * scan->codes.dim;
    struct topk top = topk_over(job->score + q * job->k, job->id + q * job->k, job->k);
    double scale = (double)job->query[q].scale,
           /* Upper bound of the rows that were not kept. */
        out = -INFINITY;
    for (size_t part = 0; part < job->parts; part++) {
        size_t at = (q * job->parts + part) * job->keep, kept = job->kept[q * job->parts + part];
        for (size_t i = 0; i < kept; i++)
            topk_offer(&top, exact_score(scan, vector, job->kept_id[at + i]), job->kept_id[at + i]);
        /* A full heap has its worst on top; rejected rows are not above it. */
        if (kept == job->keep && (double)job->kept_score[at] * scale > out)
            out = (double)job->kept_score[at] * scale;
    }
    double more = doubt(scan, vector, &job->query[q]);
    int again =
        job->k && out > -INFINITY && (top.count < job->k || !((double)top.score[0] > out + more));
    if (again)
        scan_again(job, q, top.count < job->k ? -INFINITY : (double)top.score[0] - more, &top);
    topk_finish(&top);
    for (size_t i = top.count; i < job->k; i++) {
        top.id[i] = SCAN_NONE;
        top.score[i] = 0;
    }
    return again;
}

static film_status job_init(struct scan_job *job, int threads, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = job->count, tiles = (count + TILE - 1) / TILE, rows = job->scan->codes.count;
    size_t room = codes_query_room(job->scan->codes.dim);
    /* Enough parts for every thread; the division does not change the result. */
    job->parts = tiles >= (size_t)threads || !tiles ? 1 : ((size_t)threads + tiles - 1) / tiles;
    job->span = (rows + job->parts - 1) / job->parts;
    if (job->span == 0) job->span = 1;
    job->keep = 4 * job->k + 64 < rows ? 4 * job->k + 64 : rows + 1;
    TRY_ALLOC((job->values = mem_aligned(count, room)) &&
                  (job->query = mem_array(count, sizeof *job->query)) &&
                  (job->kept = mem_zeroed(count * job->parts, sizeof *job->kept)) &&
                  (job->kept_id = mem_array(count * job->parts, job->keep * sizeof(uint32_t))) &&
                  (job->kept_score = mem_array(count * job->parts, job->keep * sizeof(float))),
              error);
    for (size_t q = 0; q < count; q++)
        job->query[q] = codes_query_of(job->queries + q * job->scan->codes.dim,
                                       job->scan->codes.dim, job->values + q * room);
done:
    return status;
}

static void job_free(struct scan_job *job)
{
    mem_free_aligned(job->values);
    mem_free(job->query);
    mem_free(job->kept);
    mem_free(job->kept_id);
    mem_free(job->kept_score);
}

static film_status scan_some(struct threads_worker *worker, void *user, film_error *error)
{
    const struct scan_job *job = user;
    size_t item, end;
    (void)error;
    while (threads_next(worker, &item, &end)) scan_part(job, item / job->parts, item % job->parts);
    return FILM_OK;
}

static film_status finish_some(struct threads_worker *worker, void *user, film_error *error)
{
    struct scan_job *job = user;
    size_t twice = 0, q, end;
    (void)error;
    while (threads_next(worker, &q, &end)) twice += (size_t)finish_query(job, q);
    threads_lock(worker);
    job->again += twice;
    threads_unlock(worker);
    return FILM_OK;
}

/* Searches some queries; ID and SCORE are theirs. */
static film_status scan_chunk(struct scan_job *job, int threads, film_error *error)
{
    film_status status = FILM_OK;
    size_t tiles = (job->count + TILE - 1) / TILE;
    TRY(job_init(job, threads, error));
    TRY(threads_for(threads, tiles * job->parts, 1, scan_some, job, error));
    TRY(threads_for(threads, job->count, 1, finish_some, job, error));
done:
    job_free(job);
    return status;
}

film_status scan_search(const struct scan *scan, const struct scan_queries *queries, int threads,
                        const film_progress *progress, const struct nearest *out,
                        struct scan_counts *counts, film_error *error)
{
    enum { CHUNK = 4096 }; /* queries at a time: bounds the memory of their candidates */
    film_status status = FILM_OK;
    size_t count = queries->count, k = queries->k;
    size_t again = 0, chunk = count < CHUNK ? count : CHUNK;
    float *own = NULL;
    threads = threads_count(threads);
    if (!out->score) TRY_ALLOC(own = mem_array(chunk * k, sizeof(float)), error);
    for (size_t first = 0; first < count; first += chunk) {
        struct scan_job job = {.scan = scan,
                               .queries = queries->vectors + first * scan->codes.dim,
                               .count = count - first < chunk ? count - first : chunk,
                               .k = k,
                               .id = out->id + first * k,
                               .score = own ? own : out->score + first * k};
        TRY(scan_chunk(&job, threads, error));
        again += job.again;
        TRY(progress_report(progress, "neighbours", (double)(first + job.count), (double)count,
                            error));
    }
    if (counts) counts->again = again;
done:
    mem_free(own);
    return status;
}
