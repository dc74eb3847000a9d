/* Sums and inner products of rows of signed bytes. Every instruction set gives the same bits. */
#ifndef EMBED_CODE_ROWS_H
#define EMBED_CODE_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* Rows of codes that are added together, with their factors. */
enum { CODED_ROWS = 128 };
struct coded_rows {
    const uint8_t *code[CODED_ROWS];
    float factor[CODED_ROWS];
    size_t count;
};

/* OUT (dim) += the sum over the rows of factor * code. Every value is added in the order of the
 * rows. */
void codes_add_rows(const struct coded_rows *rows, float *out, size_t dim);

/* OUT[k] = the inner product of A and row k of B, of N bytes each. */
void codes_multiply(const int8_t *a, const int8_t *const *b, size_t count, size_t n, int32_t *out);

#endif
