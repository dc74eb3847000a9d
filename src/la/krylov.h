/* Block Lanczos with full reorthogonalisation: the largest eigenvalues of a symmetric positive
 * semi-definite operator A that is known only by its product with a block of vectors.
 *
 * Memory: rows x basis floats for the basis (rounded up to a multiple of 16, sometimes 16 more),
 * and 32 x basis x block floats and 3 x basis^2 doubles. */
#ifndef LA_KRYLOV_H
#define LA_KRYLOV_H

#include "la/ortho.h"

struct krylov {
    struct ortho side; /* the vectors; the caller initialises it for BASIS and BLOCK */
    size_t basis;      /* vectors to build, <= side.rows */
    size_t block;      /* vectors per step, <= basis and <= ORTHO_WIDEST */
    size_t rank;       /* eigenvectors wanted, <= basis */
    film_progress progress;
    /* block (rows x width) = A block. */
    void (*apply)(void *self, float *block, size_t width);
    void *self;
};

/* Computes VALUES (rank, descending) and VECTORS (rows x rank, row-major; free with mem_free).
 * RESIDUAL (rank) is ||A u - value u||, estimated from the basis without another product. */
film_status krylov_top(struct krylov *job, double *values, double *residual, float **vectors,
                       film_error *error);

/* Eigenvalues (ascending) and eigenvectors of a symmetric matrix (size x size). The eigenvectors
 * replace the matrix, each stored contiguously. */
film_status krylov_small(double *matrix, size_t size, double *values, film_error *error);

#endif
