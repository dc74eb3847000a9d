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
 *     + max(shorter * (basis + rank) + 32 * basis * block + 6 * basis^2, (shorter + longer) * rank)
 *
 * Several processes: the rows of X, and the vectors of the rows' side with them, are partitioned;
 * the columns' side is partitioned into ranges of columns. N processes divide both sides and the
 * work on them by N. Each process still needs cols * block, 32 * basis * block + 6 * basis^2 and,
 * briefly, 32 * (cols + rows / N). Each process sends, in bytes per step with COUNT vectors in the
 * basis:
 *     columns' side: all-gather 4 cols block / N, reduce-scatter 4 cols block
 *     rows' side: sum 4 cols block
 *     either side: sum 4 block (COUNT + 2 block) + 16 block^2, and 8 to stop together
 * and at the end: all-gather 4 cols rank / N (rows' side: reduce-scatter 4 cols rank), and from the
 * first process 4 basis rank. We do not overlap products with transfers in half blocks: half a
 * block touches as many cache lines as a whole one, and the orthogonalisation (8 cols COUNT block /
 * N operations per step) soon costs more than the transfer. */
#ifndef LA_SVD_H
#define LA_SVD_H

#include "base/comm.h"
#include "la/csr.h"

struct svd_options {
    size_t rank;  /* r; reduced when the matrix has a lower rank */
    size_t block; /* vectors per Krylov step, at most 64; 0: 16 */
    size_t basis; /* size of the Krylov basis; 0: 2.25 rank + 8 block */
    uint64_t seed;
    int threads;
    film_progress progress;
    /* the rows of X are partitioned over its processes; NULL: comm_single */
    const struct comm *comm;
};

struct svd {
    size_t rank;  /* number found: those with sigma above 1e-5 sigma[0] */
    float *sigma; /* rank, descending */
    float *u;     /* cols x rank, row-major, columns orthonormal */
    /* The range of rows of u that this process has: in a job each has one (la/spread.h). */
    size_t u_first, u_rows;
    float *v; /* rows x rank, row-major, columns orthonormal */
    /* Largest ||X'X u_i - sigma_i^2 u_i|| / sigma_0^2, estimated from the basis. */
    double residual;
    size_t basis; /* size of the basis used */
};

film_status svd_compute(const struct csr *x, const struct svd_options *options, struct svd *out,
                        film_error *error);

/* SVD of a dense matrix X (rows x cols, row-major) with few columns, by the eigenvectors of X'X
 * summed in double. Exact up to rounding: residual is 0 and the basis is all columns. Runs in one
 * process only. */
film_status svd_dense(const float *x, size_t rows, size_t cols, const struct svd_options *options,
                      struct svd *out, film_error *error);
void svd_free(struct svd *svd);

#endif
