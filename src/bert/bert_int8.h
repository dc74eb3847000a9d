/* 8-bit matrix products. Weights are quantised with one scale per output, activations on the fly
 * with one scale per row. Sums are integers, so every machine computes the same result. */
#ifndef BERT_BERT_INT8_H
#define BERT_BERT_INT8_H

#include "base/status.h"

#include <stdint.h>

/* Rows are multiplied in groups of this size. */
enum { BERT_INT8_ROWS = 12 };

struct bert_int8 {
    size_t inputs, outputs;
    /* weight + 128, in blocks of 32 outputs; each holds 32 x 4 bytes per 4 inputs */
    uint8_t *bytes;
    float *scale; /* by output */
};

/* Quantises WEIGHTS (inputs x outputs). */
film_status bert_int8_init(struct bert_int8 *matrix, const float *weights, size_t inputs,
                           size_t outputs, film_error *error);
void bert_int8_free(struct bert_int8 *matrix);

/* Bytes per row of N quantised activations. */
size_t bert_int8_stride(size_t n);

struct bert_int8_kernel {
    const char *name;
    int (*here)(void); /* whether this machine has the instructions */
    /* SUMS (12 x 32) = the products of 12 ROWS (STRIDE bytes each) with one BLOCK of 32 outputs. */
    void (*products)(const int8_t *rows, size_t stride, const uint8_t *block, int32_t *sums);
};
/* Fastest first; the last is plain C, which runs everywhere. */
extern const struct bert_int8_kernel bert_int8_kernels[];
extern const size_t bert_int8_kernel_count;
const struct bert_int8_kernel *bert_int8_best(void);

/* OUT (rows x outputs) = X (rows x inputs) times the matrix. SPARE has room for BERT_INT8_ROWS rows
 * of bert_int8_stride bytes. */
void bert_int8_multiply(const struct bert_int8 *matrix, const struct bert_int8_kernel *kernel,
                        const float *x, size_t rows, int8_t *spare, float *out);

#endif
