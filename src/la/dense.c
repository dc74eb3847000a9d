/* Dense products in double (and two in float), divided into tiles of fixed size so that the result
 * does not depend on the number of threads. BLAS computes the tiles. */
#include "la/dense.h"
#include "base/mem.h"
#include "base/threads.h"
#include "embed/vec.h"
#include "la/blas.h"

#include <cblas.h>

/* Rows per tile: enough for BLAS to be efficient, few enough for 8 threads at r = 500. */
enum { TILE = 64 };

/* Rows of a product per thread at a time: those of whole tiles that repay starting a thread. */
static size_t grain_of(struct dense_shape shape)
{
    const size_t worth = 1000000, tile = TILE * (shape.n * shape.k + 1);
    return TILE * (1 + worth / tile);
}

struct product {
    struct dense_shape shape;
    double alpha, beta;
    const double *a, *b;
    double *c;
    enum CBLAS_TRANSPOSE transposed; /* A */
};

/* Computes rows BEGIN .. END of C. */
static void multiply_tiles(size_t begin, size_t end, void *user)
{
    const struct product *p = user;
    size_t m = p->shape.m, n = p->shape.n, k = p->shape.k;
    size_t step = p->transposed == CblasTrans ? 1 : k; /* from one row of A or A' to the next */
    for (size_t row = begin; row < end; row += TILE) {
        size_t rows = end - row < TILE ? end - row : TILE;
        cblas_dgemm(CblasRowMajor, p->transposed, CblasNoTrans, (int)rows, (int)n, (int)k, p->alpha,
                    p->a + row * step, (int)(p->transposed == CblasTrans ? m : k), p->b, (int)n,
                    p->beta, p->c + row * n, (int)n);
    }
}

static void multiply(struct product product, int threads)
{
    blas_begin();
    threads_each(threads, product.shape.m, grain_of(product.shape), multiply_tiles, &product);
    blas_end();
}

void dense_times(struct dense_shape shape, double alpha, const double *a, const double *b,
                 double beta, double *c, int threads)
{
    multiply((struct product){shape, alpha, beta, a, b, c, CblasNoTrans}, threads);
}

void dense_transposed_times(struct dense_shape shape, double alpha, const double *a,
                            const double *b, double beta, double *c, int threads)
{
    multiply((struct product){shape, alpha, beta, a, b, c, CblasTrans}, threads);
}

film_status dense_add_gram(const float *x, size_t rows, size_t cols, int threads, double *gram,
                           film_error *error)
{
    enum { SOME = 1024 }; /* rows converted at a time */
    double *wide = mem_array(SOME, cols * sizeof *wide);
    if (!wide) return status_no_memory(error);
    for (size_t first = 0; first < rows; first += SOME) {
        size_t here = rows - first < SOME ? rows - first : SOME;
        for (size_t i = 0; i < here * cols; i++) wide[i] = (double)x[first * cols + i];
        dense_transposed_times((struct dense_shape){cols, cols, here}, 1, wide, wide, 1, gram,
                               threads);
    }
    mem_free(wide);
    return FILM_OK;
}

VEC_KERNEL double dense_dot(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* ---- In float ---- */

struct float_product {
    size_t m, n, k, stride; /* stride: of A's rows */
    const float *a, *b;
    float *out;  /* m x n, or */
    double *sum; /* m x n */
};

static void multiply_rows(size_t begin, size_t end, void *user)
{
    const struct float_product *p = user;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(end - begin), (int)p->n, (int)p->k,
                1.0f, p->a + begin * p->stride, (int)p->stride, p->b, (int)p->n, 0.0f,
                p->out + begin * p->n, (int)p->n);
}

void dense_rows_times(struct dense_shape shape, const float *a, size_t stride, const float *b,
                      float *out, int threads)
{
    enum { ROWS = 256 };
    struct float_product product = {
        .m = shape.m, .n = shape.n, .k = shape.k, .stride = stride, .a = a, .b = b, .out = out};
    blas_begin();
    threads_each(threads, shape.m, ROWS, multiply_rows, &product);
    blas_end();
}

enum { COLUMNS = 256 }; /* a tile of TILE x COLUMNS floats, 64 KiB, fits on the stack */

static size_t tiles_across(size_t columns)
{
    return (columns + COLUMNS - 1) / COLUMNS;
}

/* Adds tiles BEGIN .. END, counted along the rows of tiles. */
static void add_tiles(size_t begin, size_t end, void *user)
{
    const struct float_product *p = user;
    size_t m = p->m, n = p->n, across = tiles_across(n);
    for (size_t t = begin; t < end; t++) {
        float tile[TILE * COLUMNS];
        size_t row = t / across * TILE, rows = m - row < TILE ? m - row : TILE;
        size_t column = t % across * COLUMNS;
        size_t columns = n - column < COLUMNS ? n - column : COLUMNS;
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)rows, (int)columns, (int)p->k,
                    1.0f, p->a + row, (int)m, p->b + column, (int)n, 0.0f, tile, (int)columns);
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < columns; j++)
                p->sum[(row + i) * n + column + j] += (double)tile[i * columns + j];
    }
}

void dense_add_products(size_t m, size_t n, size_t k, const float *a, const float *b, double *c,
                        int threads)
{
    struct float_product product = {.m = m, .n = n, .k = k, .a = a, .b = b, .sum = c};
    blas_begin();
    threads_each(threads, (m + TILE - 1) / TILE * tiles_across(n), 1, add_tiles, &product);
    blas_end();
}
