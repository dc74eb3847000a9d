/* Matrices of bytes: weights rounded to 8 bits, one scale per output, and activations rounded to 8
 * bits as they come, one scale per row. Sums are whole numbers, so every machine gives the same. */
#ifndef BERT_BERT_INT8_H
#define BERT_BERT_INT8_H

#include "base/status.h"

#include <stdint.h>

enum { BERT_INT8_ROWS = 12 }; /* rows are multiplied in groups of this size */

struct bert_int8 {
    size_t inputs, outputs;
    uint8_t *bytes; /* weight + 128, in blocks of 32 outputs: per 4 inputs, 32 x 4 bytes */
    float *scale;   /* by output */
};

/* From WEIGHTS (inputs x outputs). */
film_status bert_int8_init(struct bert_int8 *matrix, const float *weights, size_t inputs,
                           size_t outputs, film_error *error);
void bert_int8_free(struct bert_int8 *matrix);

/* Bytes of a row of N activations in a group. */
size_t bert_int8_stride(size_t n);

struct bert_int8_kernel {
    const char *name;
    int (*here)(void); /* whether this machine has the instructions */
    /* SUMS (12 x 32) = the products of 12 ROWS (STRIDE bytes each) with one BLOCK of outputs. */
    void (*products)(const int8_t *rows, size_t stride, const uint8_t *block, int32_t *sums);
};
/* Best first, ends with the plain one, which every machine has. */
extern const struct bert_int8_kernel bert_int8_kernels[];
extern const size_t bert_int8_kernel_count;
const struct bert_int8_kernel *bert_int8_best(void);

/* OUT (rows x outputs) = X (rows x inputs) times the matrix. SPARE has room for BERT_INT8_ROWS
 * rows. */
void bert_int8_multiply(const struct bert_int8 *matrix, const struct bert_int8_kernel *kernel,
                        const float *x, size_t rows, int8_t *spare, float *out);

#endif
