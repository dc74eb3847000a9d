/* Inner loops of the ranking loss, written for vectorisation: sums of scattered rows, softmax
 * terms. rank_batch.c calls them. */
#include "learn/rank_kernel.h"
#include "embed/vec.h"

#include <math.h>
#include <string.h>

/* ---- Sums of scattered rows ---- */

/* Eight floats, unaligned, which may alias floats. Wider vectors are not split over registers of
 * AVX2: the compiler keeps their sums on the stack, at a quarter of the speed. */
typedef float lane __attribute__((vector_size(32), aligned(4), may_alias));

#define LANES (sizeof(lane) / sizeof(float))
enum { AHEAD = 3 };

static inline void prefetch_row(const float *row, size_t width)
{
    for (size_t i = 0; i < width; i += 16) __builtin_prefetch(row + i);
}

/* Computes VECTORS (a constant) vectors of the result, from AT on; their sums stay in registers
 * while the entries are read. */
#define GATHER(VECTORS)                                                                            \
    do {                                                                                           \
        lane sum_[VECTORS] = {{0}};                                                                \
        for (size_t k = 0; k < count; k++) {                                                       \
            const lane *row_ = (const lane *)(base + (size_t)index[k] * stride + at);              \
            if (at == 0 && k + AHEAD < count) /* rows are scattered over a map beyond the cache */ \
                prefetch_row(base + (size_t)index[k + AHEAD] * stride, width);                     \
            _Pragma("GCC unroll 12") for (int v = 0; v < VECTORS; v++) sum_[v] +=                  \
                value[k] * row_[v];                                                                \
        }                                                                                          \
        _Pragma("GCC unroll 12") for (int v = 0; v < VECTORS; v++)((lane *)(out + at))[v] =        \
            sum_[v];                                                                               \
    } while (0)

VEC_KERNEL void rank_gather(const float *base, size_t stride, const uint32_t *index,
                            const float *value, size_t count, size_t width, float *out)
{
    size_t at = 0;
    for (; at + 12 * LANES <= width; at += 12 * LANES) GATHER(12);
    for (; at + 4 * LANES <= width; at += 4 * LANES) GATHER(4);
    for (; at + LANES <= width; at += LANES) GATHER(1);
    if (at == width) return;
    memset(out + at, 0, (width - at) * sizeof *out);
    for (size_t k = 0; k < count; k++) {
        const float *row = base + (size_t)index[k] * stride;
        for (size_t i = at; i < width; i++) out[i] += value[k] * row[i];
    }
}

VEC_KERNEL void rank_scale(float *restrict gradient, float scale, const float *restrict row,
                           size_t width, double *product, double *square)
{
    float along = 0.0f, own = 0.0f;
#pragma omp simd reduction(+ : along, own)
    for (size_t i = 0; i < width; i++) {
        float g = gradient[i] *= scale;
        along += g * row[i];
        own += g * g;
    }
    *product = (double)along;
    *square = (double)own;
}

/* ---- Softmax ---- */

/* exp for x in [-87, 87], relative error below 2e-7: x = n log 2 + r, a polynomial for e^r, n added
 * to the exponent. A library call would prevent vectorisation. */
static inline float fast_exp(float x)
{
    float n = floorf(x * 1.44269504f + 0.5f);
    float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    int32_t bits = ((int32_t)n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}

float rank_exp(float x)
{
    return fast_exp(x < -80.0f ? -80.0f : x > 80.0f ? 80.0f : x);
}

VEC_KERNEL float rank_exponentials(float *restrict s, size_t count, float t,
                                   const uint32_t *restrict cluster, uint32_t own,
                                   float *restrict sums, size_t pairs)
{
    float total = 0.0f;
#pragma omp simd
    for (size_t j = 0; j < count; j++) {
        float e = fast_exp(t * (s[j] - 1.0f));
        s[j] = cluster[j] == own ? 0.0f : e;
    }
#pragma omp simd
    for (size_t j = 0; j < pairs; j++) sums[j] += s[j];
#pragma omp simd reduction(+ : total)
    for (size_t j = 0; j < count; j++) total += s[j];
    return total;
}

VEC_KERNEL void rank_probabilities(float *restrict s, size_t count, size_t pairs, float factor,
                                   float row_sum, const float *restrict inverse)
{
    float row = factor / row_sum;
#pragma omp simd
    for (size_t j = 0; j < pairs; j++) s[j] *= row + factor * inverse[j];
#pragma omp simd
    for (size_t j = pairs; j < count; j++) s[j] *= row;
}
