/* Block orthonormalisation: makes the columns of a tall matrix (rows x width, row-major float,
 * width at most ORTHO_WIDEST) orthonormal to each other and to an existing basis.
 *
 * The work is divided into ORTHO_PARTS parts for every thread count, so the result does not depend
 * on it, to the last bit. */
#ifndef LA_ORTHO_H
#define LA_ORTHO_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { ORTHO_WIDEST = 64, ORTHO_PARTS = 32 };

/* One side of a matrix (rows or columns): the shape of its vectors, and scratch memory. */
struct ortho {
    size_t rows; /* also the largest possible dimension */
    int threads;
    uint64_t seed, draws; /* DRAWS counts the random blocks drawn so far */
    size_t most;          /* capacity: the largest basis */
    float *sums;          /* ORTHO_PARTS x most x width: partial inner products */
    float *factor;        /* most x width: their sum */
    double *gram;         /* (ORTHO_PARTS + 1) x width x width */
};

/* What there must be room for: a basis of MOST columns and blocks of WIDTH. */
struct ortho_room {
    size_t rows, most, width;
};

film_status ortho_init(struct ortho *side, struct ortho_room room, uint64_t seed, int threads,
                       film_error *error);
void ortho_free(struct ortho *side);

/* Fills a block with normal random numbers. They depend only on the seed, the number of the draw
 * and the row. */
void ortho_random(struct ortho *side, float *block, size_t width);

/* Orthonormal columns, rows x count. */
struct ortho_basis {
    const float *values;
    size_t ld, count; /* LD: floats from row to row */
};

/* block -= basis basis' block. The inner products basis' block (count x width) are in side->factor
 * after it. */
void ortho_project(struct ortho *side, const struct ortho_basis *basis, float *block, size_t width);

/* gram (width x width, row-major) = block' block, in double. */
void ortho_gram(struct ortho *side, const float *block, size_t width, double *gram);

/* Makes the columns of a block that was projected against the basis orthonormal. SCALE is their
 * length before the projection: a remainder below 1e-6 SCALE is rounding. Such a
 * column, or one that depends on those before it, is replaced by a random vector orthogonal to all
 * others. count + width <= rows. */
film_status ortho_block(struct ortho *side, const struct ortho_basis *basis, float *block,
                        size_t width, double scale, film_error *error);

#endif
