/* Dense products in double whose bytes do not depend on the number of threads.
 *
 * OpenBLAS cuts a product differently for every thread count, and an optimiser magnifies the last
 * bit over hundreds of steps. Here the result is cut into tiles of fixed size, each computed by one
 * single-threaded BLAS call; the threads only share the tiles out. dense_begin makes BLAS calls of
 * this thread single-threaded (small solves included), dense_end puts the setting back. */
#ifndef LA_DENSE_H
#define LA_DENSE_H

#include <stddef.h>

int dense_begin(void); /* returns what dense_end wants back */
void dense_end(int before);

/* Of a product: m x n, of k terms each. */
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

/* C (m x n, double) += A' B with A (k x m) and B (k x n) in float: the k products are summed in
 * float, so k should be a thousand or so; larger sums are made of several calls. m rows of C per
 * thread. */
void dense_add_products(size_t m, size_t n, size_t k, const float *a, const float *b, double *c,
                        int threads);

double dense_dot(const double *a, const double *b, size_t n);

#endif
