/* Vectors for tests of nearest neighbours: clusters on the unit sphere. */
#ifndef TESTING_VECTORS_H
#define TESTING_VECTORS_H

#include "base/rng.h"
#include "embed/vec.h"

#include <stdlib.h>

/* COUNT rows around COUNT / 50 + 1 centres. */
static inline float *clustered_rows(size_t count, size_t dim, uint64_t seed)
{
    struct rng rng;
    size_t centres = count / 50 + 1;
    float *rows = malloc(count * dim * sizeof *rows + 1);
    float *centre = malloc(centres * dim * sizeof *centre);
    rng_seed(&rng, seed);
    for (size_t i = 0; i < centres * dim; i++) centre[i] = (float)rng_normal(&rng);
    for (size_t i = 0; i < count; i++) {
        const float *from = centre + rng_below(&rng, centres) * dim;
        for (size_t d = 0; d < dim; d++)
            rows[i * dim + d] = from[d] + 0.6f * (float)rng_normal(&rng);
        vec_normalise(rows + i * dim, dim);
    }
    free(centre);
    return rows;
}

#endif
