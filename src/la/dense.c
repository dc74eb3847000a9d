/* Dense products in double (and two in float), divided into tiles of fixed size so that the result
 * does not depend on the number of threads. BLAS computes the tiles. */
#include "la/dense.h"
#include "embed/vec.h"

#include <cblas.h>
#include <omp.h>

/* Rows per tile: enough for BLAS to be efficient, few enough for 8 threads at r = 500. */
enum { TILE = 64 };

/* Uses no more threads than tiles: waking a thread costs more than a small product. */
static int team(long tiles, int threads)
{
    if (tiles < 1) return 1;
    return tiles < threads ? (int)tiles : threads;
}

int dense_begin(void)
{
    int before = omp_get_max_threads();
    omp_set_num_threads(1);
    return before;
}

void dense_end(int before)
{
    omp_set_num_threads(before);
}

void dense_times(struct dense_shape shape, double alpha, const double *a, const double *b,
                 double beta, double *c, int threads)
{
    size_t m = shape.m, n = shape.n, k = shape.k;
    long tiles = (long)((m + TILE - 1) / TILE);
#pragma omp parallel for schedule(dynamic) num_threads(team(tiles, threads))
    for (long t = 0; t < tiles; t++) {
        size_t row = (size_t)t * TILE, rows = m - row < TILE ? m - row : TILE;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)n, (int)k, alpha,
                    a + row * k, (int)k, b, (int)n, beta, c + row * n, (int)n);
    }
}

void dense_transposed_times(struct dense_shape shape, double alpha, const double *a,
                            const double *b, double beta, double *c, int threads)
{
    size_t m = shape.m, n = shape.n, k = shape.k;
    long tiles = (long)((m + TILE - 1) / TILE);
#pragma omp parallel for schedule(dynamic) num_threads(team(tiles, threads))
    for (long t = 0; t < tiles; t++) {
        size_t row = (size_t)t * TILE, rows = m - row < TILE ? m - row : TILE;
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)rows, (int)n, (int)k, alpha,
                    a + row, (int)m, b, (int)n, beta, c + row * n, (int)n);
    }
}

VEC_KERNEL double dense_dot(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

void dense_rows_times(struct dense_shape shape, const float *a, size_t stride, const float *b,
                      float *out, int threads)
{
    size_t m = shape.m, n = shape.n, k = shape.k;
    enum { ROWS = 256 };
    int before = dense_begin();
    size_t chunks = (m + ROWS - 1) / ROWS;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        size_t first = chunk * ROWS, rows = m - first < ROWS ? m - first : ROWS;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)n, (int)k, 1.0f,
                    a + first * stride, (int)stride, b, (int)n, 0.0f, out + first * n, (int)n);
    }
    dense_end(before);
}

void dense_add_products(size_t m, size_t n, size_t k, const float *a, const float *b, double *c,
                        int threads)
{
    enum { COLUMNS = 256 }; /* a tile of TILE x COLUMNS floats, 64 KiB, fits on the stack */
    size_t across = (n + COLUMNS - 1) / COLUMNS;
    long tiles = (long)((m + TILE - 1) / TILE * across);
#pragma omp parallel for schedule(dynamic) num_threads(team(tiles, threads))
    for (long t = 0; t < tiles; t++) {
        float tile[TILE * COLUMNS];
        size_t row = (size_t)t / across * TILE, rows = m - row < TILE ? m - row : TILE;
        size_t column = (size_t)t % across * COLUMNS;
        size_t columns = n - column < COLUMNS ? n - column : COLUMNS;
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)rows, (int)columns, (int)k, 1.0f,
                    a + row, (int)m, b + column, (int)n, 0.0f, tile, (int)columns);
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < columns; j++)
                c[(row + i) * n + column + j] += (double)tile[i * columns + j];
    }
}
