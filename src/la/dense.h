/* Dense matrix products in double whose result does not depend on the number of threads, to the
 * last bit.
 *
 * OpenBLAS divides a product differently for every thread count, and an optimiser amplifies a
 * difference in the last bit over hundreds of steps. Here the result is divided into tiles of fixed
 * size. One single-threaded BLAS call computes each tile; threads only share the tiles. */
#ifndef LA_DENSE_H
#define LA_DENSE_H

#include "base/status.h"

#include <stddef.h>

/* Shape of a product: m x n results, sums of k terms. */
struct dense_shape {
    size_t m, n, k;
};

/* C (m x n) = alpha A B + beta C; A is m x k, B is k x n, all row-major without gaps. */
void dense_times(struct dense_shape shape, double alpha, const double *a, const double *b,
                 double beta, double *c, int threads);

/* C (m x n) = alpha A' B + beta C; A is k x m, B is k x n. */
void dense_transposed_times(struct dense_shape shape, double alpha, const double *a,
                            const double *b, double beta, double *c, int threads);

/* The same in float for a tall A: OUT (m x n) = A B, A's rows STRIDE apart. */
void dense_rows_times(struct dense_shape shape, const float *a, size_t stride, const float *b,
                      float *out, int threads);

/* C (m x n, double) += A' B with A (k x m) and B (k x n) in float. The k products are summed in
 * float, so k should not exceed about a thousand; split larger sums into several calls. The rows of
 * C are divided among the threads. */
void dense_add_products(size_t m, size_t n, size_t k, const float *a, const float *b, double *c,
                        int threads);

/* GRAM (cols x cols, double) += X'X with X (rows x cols) in float. A sum in float would turn the
 * rounding of columns that are nearly dependent into a direction. */
film_status dense_add_gram(const float *x, size_t rows, size_t cols, int threads, double *gram,
                           film_error *error);

double dense_dot(const double *a, const double *b, size_t n);

#endif
