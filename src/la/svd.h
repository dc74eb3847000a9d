/* Truncated SVD of a sparse matrix by block Krylov iteration on its shorter side.
 *
 * X (rows x cols, a row per sentence) ~ V diag(sigma) U'. In the notation of the paper, whose X has
 * a column per sentence, U holds the features' side and V the sentences'.
 *
 * The largest-magnitude entry of each column of U is positive. The result is identical for every
 * thread count while the basis has fewer than 2,500 vectors; above that it agrees up to rounding.
 * Accuracy: singular values near the last wanted one to 1e-3 or better, the others to float
 * rounding. Values below 1e-3 of the first are lost in that rounding unless the basis spans the
 * whole shorter side; their vectors are then arbitrary vectors of the right subspace.
 *
 * Memory, in floats: the basis (shorter side x basis) dominates during the iteration. It is freed
 * before the other side is computed. The peak is
 *     entries * 2 + longer * block
 *     + max(shorter * (basis + rank) + 32 * basis * block + 6 * basis^2, (shorter + longer) *
 *     rank) */
#ifndef LA_SVD_H
#define LA_SVD_H

#include "la/csr.h"

struct svd_options {
    size_t rank;  /* r; reduced when the matrix has a lower rank */
    size_t block; /* vectors per Krylov step, at most 64; 0: 16 */
    size_t basis; /* size of the Krylov basis; 0: 2.25 rank + 8 block */
    uint64_t seed;
    int threads;
    film_progress progress;
};

struct svd {
    size_t rank;  /* number found: those with sigma above 1e-5 sigma[0] */
    float *sigma; /* rank, descending */
    float *u;     /* cols x rank, row-major, columns orthonormal */
    float *v;     /* rows x rank, row-major, columns orthonormal */
    /* Largest ||X'X u_i - sigma_i^2 u_i|| / sigma_0^2, estimated from the basis. */
    double residual;
    size_t basis; /* size of the basis used */
};

film_status svd_compute(const struct csr *x, const struct svd_options *options, struct svd *out,
                        film_error *error);

/* SVD of a dense matrix X (rows x cols, row-major) with few columns, by the eigenvectors of X'X
 * summed in double. Exact up to rounding: residual is 0 and the basis is all columns. */
film_status svd_dense(const float *x, size_t rows, size_t cols, const struct svd_options *options,
                      struct svd *out, film_error *error);
void svd_free(struct svd *svd);

#endif
