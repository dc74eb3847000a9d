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

/* One attention head of one sentence: OUT (tokens x size) = softmax(SCALE (Q + QUERY_BIAS) K') V.
 * Rows of Q, K and V are STRIDE floats apart, those of OUT OUT_STRIDE. Up to BERT_LANES floats
 * after a row of V are read and ignored. */
void bert_kernel_attention(const float *query, const float *key, const float *value, size_t stride,
                           const float *query_bias, float scale, size_t tokens, size_t size,
                           float *out, size_t out_stride, float *scratch);
/* The number of floats that SCRATCH needs; it must be aligned to a cache line. */
size_t bert_kernel_scratch(size_t tokens, size_t size);

#endif
