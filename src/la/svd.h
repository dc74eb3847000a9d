/* Truncated SVD of a sparse matrix by block Krylov iteration on its shorter side.
 *
 * X (rows x cols, a row per sentence) ~ V diag(sigma) U'. In the notation of the paper, whose X has
 * a column per sentence, U holds the features' side and V the sentences'.
 *
 * The largest-magnitude entry of each column of U is positive. The result has the same bytes for
 * every thread count while the basis has fewer than 2,500 vectors, agrees to rounding above that.
 * Accuracy: singular values near the last wanted one to 1e-3 or better, the others to float's
 * rounding. Those below 1e-3 of the first are lost in that rounding when the basis does not span
 * the whole shorter side; they come out as some vectors of the right subspace.
 *
 * Memory, in floats: the basis, shorter side x basis, is the largest part while iterating; it is
 * freed before the other side is made. The peak is
 *     entries * 2 + longer * block + max(shorter * (basis + rank) + 32 * basis * block + 6 *
 * basis^2, (shorter + longer) * rank).
 *
 * Several processes: each has its rows of X, the vectors of the rows' side by the same rows and
 * those of the columns' side by stretches of the columns. Both sides and the work on them are
 * divided by their number N; left over in each are cols * block, 32 * basis * block + 6 * basis^2
 * and, for a moment, 32 * (cols + rows / N). Each process hands over, in bytes per step with COUNT
 * vectors in the basis:
 *     columns' side: gathered 4 cols block / N, shared 4 cols block
 *     rows' side: summed 4 cols block
 *     either side: summed 4 block (COUNT + 2 block) + 16 block^2, and 8 to stop together
 * and at the end: gathered 4 cols rank / N (rows' side: shared 4 cols rank); from the first process
 * 4 basis rank. Products with half a block could run while the other half travels; not done: half a
 * block costs as many cache lines as a whole one, and the orthogonalisation, 8 cols COUNT block / N
 * operations a step, outgrows the exchange. */
#ifndef LA_SVD_H
#define LA_SVD_H

#include "base/comm.h"
#include "la/csr.h"

struct svd_options {
    size_t rank;  /* r; reduced when the matrix has less */
    size_t block; /* vectors per Krylov step, at most 64; 0: 16 */
    size_t basis; /* size of the Krylov basis; 0: 2.25 rank + 8 block */
    uint64_t seed;
    int threads;
    film_progress progress;
    const struct comm *comm; /* rows of X are spread over its processes; NULL: comm_single */
};

struct svd {
    size_t rank;  /* how many were found: those with sigma above 1e-5 sigma[0] */
    float *sigma; /* rank, falling */
    float *u;     /* cols x rank, row-major, columns orthonormal */
    size_t u_first,
        u_rows; /* which rows of it: in a job each process has a stretch (la/spread.h) */
    float *v;   /* rows x rank, row-major, columns orthonormal */
    double
        residual; /* largest ||X'X u_i - sigma_i^2 u_i|| / sigma_0^2, as estimated from the basis */
    size_t basis; /* size of the basis used */
};

film_status svd_compute(const struct csr *x, const struct svd_options *options, struct svd *out,
                        film_error *error);

/* The same of a dense matrix X (rows x cols, row-major) of few columns: by the eigenvectors of X'X,
 * summed in double. Exact but for rounding; residual is 0 and the basis all columns. In one process
 * only. */
film_status svd_dense(const float *x, size_t rows, size_t cols, const struct svd_options *options,
                      struct svd *out, film_error *error);
void svd_free(struct svd *svd);

#endif
