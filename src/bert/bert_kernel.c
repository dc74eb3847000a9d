/* The operations between the matrix products of a BERT network: bias, GELU, layer norm, softmax,
 * attention, each in one pass over memory. Matrix products are in bert_forward.c. */
#include "bert/bert_kernel.h"
#include "embed/vec.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Sixteen floats; the compiler uses two or four registers where the machine has no wider ones. They
 * are passed by address, because passing by value depends on the instruction set. */
typedef float lanes __attribute__((vector_size(BERT_LANES * sizeof(float))));
typedef int32_t int_lanes __attribute__((vector_size(BERT_LANES * sizeof(int32_t))));
typedef float loose_lanes
    __attribute__((vector_size(BERT_LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

#define INLINE static inline __attribute__((always_inline))
#define LOAD(from) ((lanes) * (const loose_lanes *)(from))
#define STORE(to, value) (*(loose_lanes *)(to) = (loose_lanes)(value))

/* A where the comparison MASK is true, B elsewhere. */
#define SELECT(mask, a, b) ((lanes)(((mask) & (int_lanes)(a)) | (~(mask) & (int_lanes)(b))))
#define ALL(value) ((lanes){0} + (value))

/* x = n ln 2 + r, |r| <= ln 2 / 2: exp(x) = 2^n (1 + r + r^2 p(r)). p minimises the relative error,
 * which is 3e-9 before rounding. */
INLINE void exp_lanes(lanes *x)
{
    const float rounder = 12582912.0f; /* 1.5 * 2^23: adding it leaves n in the low bits */
    lanes v = *x;
    v = SELECT(v < -87.0f, ALL(-87.0f), v);
    v = SELECT(v > 88.0f, ALL(88.0f), v);
    lanes shifted = v * 1.44269504f + rounder;
    lanes n = shifted - rounder;
    lanes r = v - n * 0.693145752f; /* ln 2 in two parts; n times the first is exact */
    r = r - n * 1.42860677e-6f;
    lanes p = r * 0.00138146f + 0.00836871f;
    p = p * r + 0.04166839f;
    p = p * r + 0.16666521f;
    p = p * r + 0.49999993f;
    p = p * (r * r) + r + 1.0f;
    int_lanes exponent = (int_lanes)shifted << 23; /* the rounder's own bits are shifted out */
    *x = (lanes)((int_lanes)p + exponent);
}

/* ---- Layer norm ---- */

VEC_KERNEL void bert_kernel_norm(float *state, const float *more, const float *bias,
                                 const float *weight, const float *shift, size_t n, float epsilon)
{
    float sum = 0.0f, squares = 0.0f;
    if (more) {
#pragma omp simd
        for (size_t i = 0; i < n; i++) state[i] += more[i] + bias[i];
    }
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) sum += state[i];
    float mean = sum / (float)n;
#pragma omp simd reduction(+ : squares)
    for (size_t i = 0; i < n; i++) squares += (state[i] - mean) * (state[i] - mean);
    float scale = 1.0f / sqrtf(squares / (float)n + epsilon);
#pragma omp simd
    for (size_t i = 0; i < n; i++) state[i] = (state[i] - mean) * scale * weight[i] + shift[i];
}

/* ---- Activations ---- */

/* x times the normal distribution function of x. Below -t that function is exp(-q(t)), where q is a
 * polynomial fitted on 0 .. 6 for the smallest error of the product (4e-8; beyond 6 it is below
 * 1e-8). */
INLINE void gelu_lanes(lanes *x)
{
    lanes v = *x, t = SELECT(v < 0.0f, -v, v);
    t = SELECT(t > 6.0f, ALL(6.0f), t);
    lanes q = t * -2.64443798e-7f + 5.27725024e-6f;
    q = q * t - 4.37495873e-5f;
    q = q * t + 1.70401996e-4f;
    q = q * t + 3.98096927e-5f;
    q = q * t - 4.85982234e-3f;
    q = q * t + 3.63800675e-2f;
    q = q * t + 0.318296462f;
    q = q * t + 0.797886312f;
    q = q * t + 0.693147123f;
    lanes below = -q;
    exp_lanes(&below);
    *x = v * SELECT(v < 0.0f, below, 1.0f - below);
}

/* 0.5 x (1 + tanh(u)) = x / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3). */
INLINE void gelu_tanh_lanes(lanes *x)
{
    lanes v = *x, e = (v + 0.044715f * v * v * v) * -1.59576912f;
    exp_lanes(&e);
    *x = v / (1.0f + e);
}

INLINE void relu_lanes(lanes *x)
{
    *x = SELECT(*x > 0.0f, *x, ALL(0.0f));
}

#define ACTIVATE(one)                                                      \
    do {                                                                   \
        size_t i = 0;                                                      \
        for (; i + BERT_LANES <= n; i += BERT_LANES) {                     \
            lanes x = LOAD(values + i) + LOAD(bias + i);                   \
            one(&x);                                                       \
            STORE(values + i, x);                                          \
        }                                                                  \
        if (i < n) {                                                       \
            lanes x = {0};                                                 \
            for (size_t j = i; j < n; j++) x[j - i] = values[j] + bias[j]; \
            one(&x);                                                       \
            for (size_t j = i; j < n; j++) values[j] = x[j - i];           \
        }                                                                  \
    } while (0)

VEC_KERNEL void bert_kernel_gelu(float *values, const float *bias, size_t n)
{
    ACTIVATE(gelu_lanes);
}

VEC_KERNEL void bert_kernel_gelu_tanh(float *values, const float *bias, size_t n)
{
    ACTIVATE(gelu_tanh_lanes);
}

VEC_KERNEL void bert_kernel_relu(float *values, const float *bias, size_t n)
{
    ACTIVATE(relu_lanes);
}

/* ---- Attention ---- */

/* Queries processed together: each loaded vector of keys or values is used this number of times. */
enum { QUERIES = 4 };

static size_t whole_lanes(size_t n)
{
    return (n + BERT_LANES - 1) / BERT_LANES * BERT_LANES;
}

/* Holds the transposed keys (size x columns) and the queries and scores of a block. */
size_t bert_kernel_scratch(size_t tokens, size_t size)
{
    return (size + QUERIES) * whole_lanes(tokens) + whole_lanes(QUERIES * size);
}

/* TO (size x columns) = K'; columns after the last token are zero. */
INLINE void transpose_keys(const float *key, size_t stride, size_t tokens, size_t size,
                           size_t columns, float *to)
{
    memset(to, 0, size * columns * sizeof *to);
    for (size_t j = 0; j < tokens; j++)
        for (size_t d = 0; d < size; d++) to[d * columns + j] = key[j * stride + d];
}

/* SCORES (QUERIES x columns) = QUERY (QUERIES x size) KEYS (size x columns). */
INLINE void multiply_keys(const float *query, const float *keys, size_t size, size_t columns,
                          float *scores)
{
    for (size_t at = 0; at < columns; at += BERT_LANES) {
        lanes sum[QUERIES] = {{0}};
        for (size_t d = 0; d < size; d++) {
            lanes row = *(const lanes *)(keys + d * columns + at);
#pragma GCC unroll 4
            for (int i = 0; i < QUERIES; i++) sum[i] += query[(size_t)i * size + d] * row;
        }
#pragma GCC unroll 4
        for (int i = 0; i < QUERIES; i++) *(lanes *)(scores + (size_t)i * columns + at) = sum[i];
    }
}

/* Replaces scores by exponentials and returns their sum; the division is done at the end. */
INLINE float exponentials(float *scores, size_t tokens, size_t columns)
{
    float largest = scores[0];
    for (size_t j = 1; j < tokens; j++) largest = scores[j] > largest ? scores[j] : largest;
    lanes total = {0};
    for (size_t at = 0; at < columns; at += BERT_LANES) {
        lanes x = *(lanes *)(scores + at) - largest;
        exp_lanes(&x);
        *(lanes *)(scores + at) = x;
        if (at + BERT_LANES <= tokens) {
            total += x;
        } else {
            for (size_t j = at; j < tokens; j++) total[j - at] += x[j - at];
        }
    }
    float sum = 0.0f;
    for (int i = 0; i < BERT_LANES; i++) sum += total[i];
    return sum;
}

/* COUNT rows of OUT = WEIGHTS (QUERIES x columns) V, each divided by its sum. */
INLINE void mix_values(const struct bert_head *head, const float *weights, const float *sums,
                       size_t columns, size_t count, float *out, size_t out_stride)
{
    const float *value = head->value;
    size_t stride = head->stride, tokens = head->tokens, size = head->size;
    for (size_t at = 0; at < size; at += BERT_LANES) {
        lanes sum[QUERIES] = {{0}};
        for (size_t j = 0; j < tokens; j++) {
            lanes row = LOAD(value + j * stride + at);
#pragma GCC unroll 4
            for (int i = 0; i < QUERIES; i++) sum[i] += weights[(size_t)i * columns + j] * row;
        }
        size_t left = size - at < BERT_LANES ? size - at : BERT_LANES;
        for (size_t i = 0; i < count; i++) {
            lanes x = sum[i] / sums[i];
            if (left == BERT_LANES)
                STORE(out + i * out_stride + at, x);
            else
                memcpy(out + i * out_stride + at, &x, left * sizeof *out);
        }
    }
}

VEC_KERNEL void bert_kernel_attention(const struct bert_head *head, float *out, size_t out_stride,
                                      float *scratch)
{
    const float *query = head->query, *query_bias = head->query_bias;
    float scale = head->scale;
    size_t stride = head->stride, tokens = head->tokens, size = head->size;
    size_t columns = whole_lanes(tokens);
    float *keys = scratch, *scores = keys + size * columns, *block = scores + QUERIES * columns;
    transpose_keys(head->key, stride, tokens, size, columns, keys);
    for (size_t first = 0; first < tokens; first += QUERIES) {
        size_t count = tokens - first < QUERIES ? tokens - first : QUERIES;
        float sums[QUERIES];
        for (size_t i = 0; i < QUERIES; i++) { /* repeats the last query when fewer are left */
            const float *row = query + (first + (i < count ? i : count - 1)) * stride;
            for (size_t d = 0; d < size; d++)
                block[i * size + d] = (row[d] + query_bias[d]) * scale;
        }
        multiply_keys(block, keys, size, columns, scores);
        for (size_t i = 0; i < QUERIES; i++)
            sums[i] = exponentials(scores + i * columns, tokens, columns);
        mix_values(head, scores, sums, columns, count, out + first * out_stride, out_stride);
    }
}
