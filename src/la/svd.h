/* Truncated SVD of a sparse matrix by block Krylov iteration on its shorter side.
 *
 * X (rows x cols, a row per sentence) ~ V diag(sigma) U'. In the notation of the paper, whose X has
 * a column per sentence, U holds the features' side and V the sentences'. */
#ifndef LA_SVD_H
#define LA_SVD_H

#include "base/comm.h"
#include "la/csr.h"

struct svd_options {
    size_t rank;  /* r; reduced when the matrix has less */
    size_t block; /* vectors per Krylov step; 0: the default */
    size_t basis; /* size of the Krylov basis; 0: the default multiple of the rank */
    uint64_t seed;
    int threads;
    film_progress progress;
    const struct comm *comm; /* rows of X are spread over its processes */
};

struct svd {
    size_t rank;     /* how many were found: those with sigma above 1e-5 sigma[0] */
    float *sigma;    /* rank, falling */
    float *u;        /* cols x rank, row-major, columns orthonormal */
    float *v;        /* rows x rank, row-major, columns orthonormal */
    double residual; /* largest ||X'X u_i - sigma_i^2 u_i|| / sigma_0^2, as estimated from the basis */
    size_t basis;    /* size of the basis used */
};

film_status svd_compute(const struct csr *x, const struct svd_options *options, struct svd *out,
                        film_error *error);
void svd_free(struct svd *svd);

#endif
