/* Sparse matrices in compressed sparse row (CSR) format. A row is a sentence, a column a
 * feature. */
#ifndef LA_CSR_H
#define LA_CSR_H

#include "base/status.h"

#include <stdint.h>

struct packed_rows;

struct csr {
    size_t rows, cols;
    size_t *start; /* rows + 1; row i has the entries start[i] .. start[i+1] - 1 */
    uint32_t *col; /* ascending within a row */
    float *val;
    /* The rows in another form instead of COL and VAL (learn/packed_rows.h); NULL: none. */
    const struct packed_rows *packed;
};

film_status csr_alloc(struct csr *matrix, size_t rows, size_t cols, size_t entries,
                      film_error *error);
void csr_free(struct csr *matrix);

/* OUT = the transposed matrix, with ascending columns in each row. The result is the same for every
 * number of threads. */
film_status csr_transpose(const struct csr *matrix, int threads, struct csr *out,
                          film_error *error);

/* out (rows x width) = matrix * block (cols x width), both row-major. To compute matrix' * block,
 * call csr_times on the transposed matrix: then one thread writes each row of the result, in one
 * fixed order of summation. */
void csr_times(const struct csr *matrix, const float *block, size_t width, int threads, float *out);

/* Returns 1 when row starts and columns ascend and are in range and all values are finite, else
 * 0. */
int csr_valid(const struct csr *matrix);

#endif
