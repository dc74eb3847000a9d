/* Orthonormal blocks: tall matrices (rows x width, row-major float, width at most ORTHO_WIDEST)
 * whose columns are made orthonormal, among each other and against a basis that exists already.
 *
 * The rows may be spread over processes; inner products are then summed through the side's comm.
 * The work is cut into the same parts for every thread count: the bytes do not depend on it. */
#ifndef LA_ORTHO_H
#define LA_ORTHO_H

#include "base/comm.h"

enum { ORTHO_WIDEST = 64, ORTHO_PARTS = 32 };

/* One side of a matrix: what its vectors look like, and scratch for working with them. */
struct ortho {
    size_t rows;             /* of this process */
    size_t first;            /* this process's first row among all rows */
    size_t all;              /* rows of all processes: no more vectors than this are independent */
    const struct comm *comm; /* comm_single when every process holds all rows */
    int threads;
    uint64_t seed, draws; /* random blocks drawn so far */
    size_t most;          /* largest basis there is room for */
    float *sums;          /* ORTHO_PARTS x most x width: inner products, part by part */
    float *factor;        /* most x width: their sum */
    double *gram;         /* (ORTHO_PARTS + 1) x width x width */
};

/* What there must be room for: a basis of MOST columns and blocks of WIDTH. */
struct ortho_room {
    size_t rows, most, width;
};

/* Every process of COMM calls it. */
film_status ortho_init(struct ortho *side, struct ortho_room room, uint64_t seed, int threads,
                       const struct comm *comm, film_error *error);
void ortho_free(struct ortho *side);

/* Fills a block with normal random numbers that depend on the seed, the number of the draw and the
 * row's place among all rows only. */
void ortho_random(struct ortho *side, float *block, size_t width);

/* Orthonormal columns, rows x count. */
struct ortho_basis {
    const float *values;
    size_t ld, count; /* LD: floats from row to row */
};

/* block -= basis basis' block. The inner products basis' block (count x width) are in side->factor after it. */
film_status ortho_project(struct ortho *side, const struct ortho_basis *basis, float *block,
                          size_t width, film_error *error);

/* gram (width x width, row-major) = block' block, in double. */
film_status ortho_gram(struct ortho *side, const float *block, size_t width, double *gram,
                       film_error *error);

/* Makes the columns of a block that was projected against the basis orthonormal. SCALE is their
 * length before the projection: what is left of a column below 1e-6 SCALE is rounding. Such a
 * column, or one that depends on those before it, is replaced by a random vector orthogonal to all
 * others. count + width <= all. */
film_status ortho_block(struct ortho *side, const struct ortho_basis *basis, float *block,
                        size_t width, double scale, film_error *error);

#endif
