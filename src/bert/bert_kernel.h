/* The operations between the matrix products of a BERT network: layer norm, activations, attention.
 * Each makes one pass over memory. */
#ifndef BERT_BERT_KERNEL_H
#define BERT_BERT_KERNEL_H

#include <stddef.h>

enum { BERT_LANES = 16 };

/* STATE (n) = layer norm of STATE + MORE + BIAS; MORE and BIAS may be NULL. */
void bert_kernel_norm(float *state, const float *more, const float *bias, const float *weight,
                      const float *shift, size_t n, float epsilon);

/* VALUES (n) += BIAS, then applies the activation. */
void bert_kernel_gelu(float *values, const float *bias, size_t n);
void bert_kernel_gelu_tanh(float *values, const float *bias, size_t n);
void bert_kernel_relu(float *values, const float *bias, size_t n);

/* One head of one sentence. Up to BERT_LANES floats after a row of VALUE are read and not used. */
struct bert_head {
    const float *query, *key, *value; /* tokens x size, rows STRIDE apart */
    size_t stride;
    const float *query_bias; /* size */
    float scale;
    size_t tokens, size;
};

/* OUT (tokens x size, rows OUT_STRIDE apart) = softmax(scale (Q + query_bias) K') V. */
void bert_kernel_attention(const struct bert_head *head, float *out, size_t out_stride,
                           float *scratch);
/* Floats that SCRATCH must have, aligned to a line of memory. */
size_t bert_kernel_scratch(size_t tokens, size_t size);

#endif
