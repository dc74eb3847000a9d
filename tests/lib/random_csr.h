/* A random sparse matrix for tests; needs `static film_error error`. */
#ifndef RANDOM_CSR_H
#define RANDOM_CSR_H

#include "base/rng.h"
#include "la/csr.h"

static struct csr random_matrix(size_t rows, size_t cols, size_t most, uint64_t seed)
{
    struct csr x;
    struct rng rng;
    size_t used = 0;
    rng_seed(&rng, seed);
    assert_ok(csr_alloc(&x, rows, cols, rows * cols, &error));
    for (size_t i = 0; i < rows; i++) {
        for (uint32_t f = 0; f < cols; f++) {
            if (rng_below(&rng, cols) >= most) continue;
            x.col[used] = f;
            x.val[used++] = (float)(0.2 + rng_uniform(&rng));
        }
        x.start[i + 1] = used;
    }
    return x;
}

#endif
