/* Sparse matrices in CSR format: allocation, validation, transpose, and products with dense blocks.
 * There is no sparse times sparse product. The results do not depend on the number of threads. */
#include "la/csr.h"

#include "base/mem.h"
#include "base/threads.h"
#include "embed/vec.h"

#include <math.h>
#include <string.h>

film_status csr_alloc(struct csr *matrix, size_t rows, size_t cols, size_t entries,
                      film_error *error)
{
    memset(matrix, 0, sizeof *matrix);
    if (rows == SIZE_MAX || cols > (size_t)UINT32_MAX + 1)
        return status_set(error, FILM_BAD_INPUT, "matrix: %zu x %zu has too many rows or columns",
                          rows, cols);
    matrix->rows = rows;
    matrix->cols = cols;
    matrix->start = mem_zeroed(rows + 1, sizeof *matrix->start);
    matrix->col = mem_array(entries, sizeof *matrix->col);
    matrix->val = mem_array(entries, sizeof *matrix->val);
    if (matrix->start && matrix->col && matrix->val) return FILM_OK;
    csr_free(matrix);
    return status_no_memory(error);
}

void csr_free(struct csr *matrix)
{
    mem_free(matrix->start);
    mem_free(matrix->col);
    mem_free(matrix->val);
    memset(matrix, 0, sizeof *matrix);
}

int csr_valid(const struct csr *matrix)
{
    if (!matrix->start || !matrix->col || !matrix->val || matrix->start[0] != 0) return 0;
    for (size_t i = 0; i < matrix->rows; i++) {
        if (matrix->start[i + 1] < matrix->start[i]) return 0;
        for (size_t k = matrix->start[i]; k < matrix->start[i + 1]; k++) {
            if (matrix->col[k] >= matrix->cols || !isfinite(matrix->val[k])) return 0;
            if (k > matrix->start[i] && matrix->col[k] <= matrix->col[k - 1]) return 0;
        }
    }
    return 1;
}

/* Returns where part PART of PARTS begins when the rows are divided into parts of about equal work.
 * The cost of a row is its entries plus one, so that empty rows are distributed too. Binary search:
 * start[i] + i is increasing. */
static size_t part_begin(const struct csr *matrix, size_t part, size_t parts)
{
    size_t total = matrix->start[matrix->rows] + matrix->rows, low = 0, high = matrix->rows;
    size_t wanted = total / parts * part + total % parts * part / parts;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (matrix->start[middle] + middle < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- Transpose ---- */

/* Rows are divided into one part per thread. Each part counts its entries per column, the counts
 * become write positions, and each part writes its rows in order. In every output row the entries
 * of part 0 precede those of part 1 and so on, so the result is the same for every division. */
struct transposition {
    const struct csr *matrix;
    struct csr *out;
    size_t parts;
    size_t *place; /* parts x cols: entries of a part per column, then where its next one goes */
};

static void count_columns(size_t part, size_t end, void *user)
{
    const struct transposition *t = user;
    const struct csr *matrix = t->matrix;
    for (; part < end; part++) {
        size_t *count = t->place + part * matrix->cols;
        size_t last = matrix->start[part_begin(matrix, part + 1, t->parts)];
        for (size_t k = matrix->start[part_begin(matrix, part, t->parts)]; k < last; k++)
            count[matrix->col[k]]++;
    }
}

static void counts_to_places(const struct transposition *t)
{
    size_t next = 0, cols = t->matrix->cols;
    for (size_t j = 0; j < cols; j++) {
        t->out->start[j] = next;
        for (size_t part = 0; part < t->parts; part++) {
            size_t count = t->place[part * cols + j];
            t->place[part * cols + j] = next;
            next += count;
        }
    }
    t->out->start[cols] = next;
}

static void write_rows(size_t part, size_t end, void *user)
{
    const struct transposition *t = user;
    const struct csr *matrix = t->matrix;
    for (; part < end; part++) {
        size_t *to = t->place + part * matrix->cols;
        size_t last = part_begin(matrix, part + 1, t->parts);
        for (size_t i = part_begin(matrix, part, t->parts); i < last; i++)
            for (size_t k = matrix->start[i]; k < matrix->start[i + 1]; k++) {
                size_t at = to[matrix->col[k]]++;
                t->out->col[at] = (uint32_t)i;
                t->out->val[at] = matrix->val[k];
            }
    }
}

film_status csr_transpose(const struct csr *matrix, int threads, struct csr *out, film_error *error)
{
    size_t entries = matrix->start[matrix->rows], parts = threads > 1 ? (size_t)threads : 1;
    film_status status = FILM_OK;
    struct transposition job = {.matrix = matrix, .out = out};
    memset(out, 0, sizeof *out);
    if (matrix->rows > (size_t)UINT32_MAX + 1)
        return status_set(error, FILM_BAD_INPUT, "matrix: %zu rows are too many for a column index",
                          matrix->rows);
    if (parts > entries / (matrix->cols + 1) + 1) parts = entries / (matrix->cols + 1) + 1;
    job.parts = parts;
    TRY(csr_alloc(out, matrix->cols, matrix->rows, entries, error));
    TRY_ALLOC(job.place = matrix->cols ? mem_zeroed(parts, matrix->cols * sizeof *job.place)
                                       : mem_zeroed(1, sizeof *job.place),
              error);
    threads_each(threads, parts, 1, count_columns, &job);
    counts_to_places(&job);
    threads_each(threads, parts, 1, write_rows, &job);
done:
    mem_free(job.place);
    if (status != FILM_OK) csr_free(out);
    return status;
}

/* ---- Matrix times block ---- */

/* Sixteen floats: one AVX-512 register, two AVX or four SSE registers. Blocks need no alignment. */
typedef float lanes __attribute__((vector_size(64)));
typedef float lanes_at __attribute__((vector_size(64), aligned(4), may_alias));

/* Partial sums cover at most RUN entries before they are added to the row's total. The rounding
 * error of a column with 100,000 entries is then that of a few hundred. */
enum { RUN = 256, AHEAD = 12 };

/* 16 * COUNT columns of out = matrix * block for the rows BEGIN .. END - 1. COUNT is a constant
 * where this is inlined, so that the sums stay in registers. The bottleneck is the random access to
 * the block, one or more cache lines per entry. Prefetching AHEAD entries early nearly doubles the
 * speed when the block is larger than the second-level cache. */
static inline __attribute__((always_inline)) void times_lanes(const struct csr *matrix,
                                                              const float *block, size_t width,
                                                              size_t begin, size_t end, float *out,
                                                              const size_t count)
{
    const uint32_t *col = matrix->col;
    size_t last = matrix->start[matrix->rows];
    for (size_t i = begin; i < end; i++) {
        lanes total[4] = {{0}, {0}, {0}, {0}};
        for (size_t run = matrix->start[i]; run < matrix->start[i + 1]; run += RUN) {
            size_t stop = matrix->start[i + 1] - run > RUN ? run + RUN : matrix->start[i + 1];
            lanes sum[4] = {{0}, {0}, {0}, {0}};
            for (size_t k = run; k < stop; k++) {
                if (k + AHEAD < last) {
                    const float *coming = block + width * col[k + AHEAD];
                    for (size_t c = 0; c < count; c++) __builtin_prefetch(coming + 16 * c);
                }
                const lanes_at *from = (const lanes_at *)(block + width * col[k]);
                for (size_t c = 0; c < count; c++) sum[c] += matrix->val[k] * from[c];
            }
            for (size_t c = 0; c < count; c++) total[c] += sum[c];
        }
        lanes_at *to = (lanes_at *)(out + width * i);
        for (size_t c = 0; c < count; c++) to[c] = total[c];
    }
}

VEC_KERNEL static void times_16(const struct csr *matrix, const float *block, size_t width,
                                size_t begin, size_t end, float *out)
{
    times_lanes(matrix, block, width, begin, end, out, 1);
}

VEC_KERNEL static void times_32(const struct csr *matrix, const float *block, size_t width,
                                size_t begin, size_t end, float *out)
{
    times_lanes(matrix, block, width, begin, end, out, 2);
}

VEC_KERNEL static void times_64(const struct csr *matrix, const float *block, size_t width,
                                size_t begin, size_t end, float *out)
{
    times_lanes(matrix, block, width, begin, end, out, 4);
}

/* Fewer than 16 columns: the remainder of a width that is not a multiple of 16. */
VEC_KERNEL static void times_rest(const struct csr *matrix, const float *block, size_t width,
                                  size_t begin, size_t end, float *out, size_t rest)
{
    for (size_t i = begin; i < end; i++) {
        float total[16] = {0};
        for (size_t run = matrix->start[i]; run < matrix->start[i + 1]; run += RUN) {
            size_t stop = matrix->start[i + 1] - run > RUN ? run + RUN : matrix->start[i + 1];
            float sum[16] = {0};
            for (size_t k = run; k < stop; k++) {
                const float *from = block + width * matrix->col[k];
                for (size_t c = 0; c < rest; c++) sum[c] += matrix->val[k] * from[c];
            }
            for (size_t c = 0; c < rest; c++) total[c] += sum[c];
        }
        memcpy(out + width * i, total, rest * sizeof *total);
    }
}

/* Processes strips of 64 columns: a strip of the block stays in the cache while the rows pass. */
static void times_rows(const struct csr *matrix, const float *block, size_t width, size_t begin,
                       size_t end, float *out)
{
    size_t c = 0;
    for (; width - c >= 64; c += 64) times_64(matrix, block + c, width, begin, end, out + c);
    if (width - c >= 32) {
        times_32(matrix, block + c, width, begin, end, out + c);
        c += 32;
    }
    if (width - c >= 16) {
        times_16(matrix, block + c, width, begin, end, out + c);
        c += 16;
    }
    if (c < width) times_rest(matrix, block + c, width, begin, end, out + c, width - c);
}

struct sparse_product {
    const struct csr *matrix;
    const float *block;
    size_t width, parts;
    float *out;
};

static void multiply_parts(size_t begin, size_t end, void *user)
{
    const struct sparse_product *p = user;
    times_rows(p->matrix, p->block, p->width, part_begin(p->matrix, begin, p->parts),
               part_begin(p->matrix, end, p->parts), p->out);
}

/* One thread sums each row in one order, so the assignment of parts to threads does not change a
 * bit. The longest row (the most frequent word, about 4 % of all entries) limits the speed-up. */
void csr_times(const struct csr *matrix, const float *block, size_t width, int threads, float *out)
{
    struct sparse_product product = {matrix, block, width, threads > 1 ? (size_t)threads * 16 : 1,
                                     out};
    if (product.parts > matrix->rows / 64 + 1) product.parts = matrix->rows / 64 + 1;
    threads_each(threads, product.parts, 1, multiply_parts, &product);
}
