/* Inner loops of the ranking loss, written for vectorisation: sums of scattered rows, softmax
 * terms. rank_batch.c calls them. */
#include "learn/rank_kernel.h"
#include "embed/vec.h"

#include <math.h>
#include <string.h>

/* ---- Sums of scattered rows ---- */

/* Four vectors of sixteen floats stay in registers while the entries are read; the compiler splits
 * them to what the machine has. They are unaligned and may alias floats. */
typedef float lane __attribute__((vector_size(64), aligned(4), may_alias));

typedef float half_lane __attribute__((vector_size(32), aligned(4), may_alias));
typedef float quarter_lane __attribute__((vector_size(16), aligned(4), may_alias));

#define LANES (sizeof(lane) / sizeof(float))

/* Computes one vector of the result, at AT. */
#define GATHER(type)                                                                   \
    do {                                                                               \
        type sum_ = {0};                                                               \
        for (size_t k = 0; k < count; k++)                                             \
            sum_ += value[k] * *(const type *)(base + (size_t)index[k] * stride + at); \
        *(type *)(out + at) = sum_;                                                    \
    } while (0)

enum { AHEAD = 3 };

static inline void prefetch_row(const float *row, size_t width)
{
    for (size_t i = 0; i < width; i += 16) __builtin_prefetch(row + i);
}

VEC_KERNEL void rank_gather(const float *base, size_t stride, const uint32_t *index,
                            const float *value, size_t count, size_t width, float *out)
{
    size_t at = 0;
    for (; at + 4 * LANES <= width; at += 4 * LANES) {
        lane s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
        for (size_t k = 0; k < count; k++) {
            const lane *row = (const lane *)(base + (size_t)index[k] * stride + at);
            if (at == 0 && k + AHEAD < count) /* rows are scattered over a map beyond the cache */
                prefetch_row(base + (size_t)index[k + AHEAD] * stride, width);
            s0 += value[k] * row[0];
            s1 += value[k] * row[1];
            s2 += value[k] * row[2];
            s3 += value[k] * row[3];
        }
        lane *to = (lane *)(out + at);
        to[0] = s0, to[1] = s1, to[2] = s2, to[3] = s3;
    }
    for (; at + LANES <= width; at += LANES) GATHER(lane);
    for (; at + LANES / 2 <= width; at += LANES / 2) GATHER(half_lane);
    for (; at + LANES / 4 <= width; at += LANES / 4) GATHER(quarter_lane);
    if (at == width) return;
    memset(out + at, 0, (width - at) * sizeof *out);
    for (size_t k = 0; k < count; k++) {
        const float *row = base + (size_t)index[k] * stride;
        for (size_t i = at; i < width; i++) out[i] += value[k] * row[i];
    }
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
