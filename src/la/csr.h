/* Sparse matrices, row by row (CSR). Here: a row is a sentence, a column a feature. */
#ifndef LA_CSR_H
#define LA_CSR_H

#include "base/status.h"

#include <stdint.h>

struct csr {
    size_t rows, cols;
    size_t *start; /* rows + 1; row i is entries start[i] .. start[i+1] */
    uint32_t *col; /* rising inside a row */
    float *val;
};

film_status csr_alloc(struct csr *matrix, size_t rows, size_t cols, size_t entries,
                      film_error *error);
void csr_free(struct csr *matrix);

/* OUT = matrix transposed, columns rising in each row; the same for every thread count. */
film_status csr_transpose(const struct csr *matrix, int threads, struct csr *out,
                          film_error *error);

/* out (rows x width) = matrix * block (cols x width), both row-major. The other product,
 * matrix' * block, is csr_times on the transposed matrix: every row of the result is then written
 * by one thread in one order. */
void csr_times(const struct csr *matrix, const float *block, size_t width, int threads, float *out);

/* Self-check: starts and columns rise and stay in range, values are finite. 0: broken. */
int csr_valid(const struct csr *matrix);

#endif
