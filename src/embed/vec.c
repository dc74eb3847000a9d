/* Inner product, sum and scaling of dense vectors, with one version per instruction set, selected
 * at program start. All versions give the same bits, also in WebAssembly: the order of the sums is
 * fixed, and libfilm is compiled without fused multiply-add (-ffp-contract=off). */
#include "embed/vec.h"

#include <math.h>
#include <string.h>

/* The address sanitizer makes these loops twenty times slower, and tests spend a quarter of their
 * time in them: build/asan compiles this file without it and checks each range once
 * (cmake/libraries.cmake). */
#ifdef FILM_CHECKED_RANGES
#include <sanitizer/asan_interface.h>
static void check_range(const void *start, size_t bytes, int is_write)
{
    void *bad = bytes > 0 ? __asan_region_is_poisoned((void *)start, bytes) : NULL;
    void *frame = __builtin_frame_address(0);
    if (bad) __asan_report_error(__builtin_return_address(0), frame, frame, bad, is_write, 1);
}
#define READS(x, n) check_range(x, (n) * sizeof *(x), 0)
#define WRITES(x, n) check_range(x, (n) * sizeof *(x), 1)
#else
#define READS(x, n) ((void)0)
#define WRITES(x, n) ((void)0)
#endif

/* Eight floats: a register of AVX2, two of older machines. */
typedef float eight __attribute__((vector_size(32)));
typedef float eight_anywhere __attribute__((vector_size(32), aligned(4), may_alias));

/* Sixteen lanes are summed over blocks of 256, blocks in double: the speed of float, with an error
 * that does not grow with n. */
enum { LANES = 16, BLOCK = 256 };

static inline __attribute__((always_inline)) void add_products(eight sum[2], const float *a,
                                                               const float *b)
{
    const eight_anywhere *left = (const eight_anywhere *)a, *right = (const eight_anywhere *)b;
    for (int i = 0; i < 2; i++) sum[i] += left[i] * right[i];
}

VEC_KERNEL double vec_dot(const float *a, const float *b, size_t n)
{
    READS(a, n);
    READS(b, n);
    double total = 0.0;
    for (size_t start = 0; start < n; start += BLOCK) {
        size_t end = start + BLOCK < n ? start + BLOCK : n, i = start;
        eight sum[2] = {{0}};
        for (; i + LANES <= end; i += LANES) add_products(sum, a + i, b + i);
        if (end - i == LANES / 2) { /* as below: the other half adds zeros */
            sum[0] += *(const eight_anywhere *)(a + i) * *(const eight_anywhere *)(b + i);
        } else if (i < end) {
            float left[LANES] = {0}, right[LANES] = {0};
            memcpy(left, a + i, (end - i) * sizeof *left);
            memcpy(right, b + i, (end - i) * sizeof *right);
            add_products(sum, left, right);
        }
        float four[4];
        for (int k = 0; k < 4; k++)
            four[k] = (sum[0][k] + sum[0][k + 4]) + (sum[1][k] + sum[1][k + 4]);
        total += (double)((four[0] + four[1]) + (four[2] + four[3]));
    }
    return total;
}

VEC_KERNEL void vec_add_scaled(float *y, float scale, const float *x, size_t n)
{
    WRITES(y, n);
    READS(x, n);
#pragma omp simd
    for (size_t i = 0; i < n; i++) y[i] += scale * x[i];
}

/* 64 dimensions are summed at a time, so that their sums stay in registers. */
VEC_KERNEL void vec_add_sum(float *y, float scale, const float *const *x, size_t count, size_t n)
{
    enum { PART = 64 };
    size_t at = 0;
    for (; at + PART <= n; at += PART) {
        eight sum[8] = {{0}};
        eight_anywhere *to = (eight_anywhere *)(y + at);
        for (size_t k = 0; k < count; k++) {
            const eight_anywhere *from = (const eight_anywhere *)(x[k] + at);
            for (int i = 0; i < 8; i++) sum[i] += from[i];
        }
        for (int i = 0; i < 8; i++) to[i] += scale * sum[i];
    }
    for (; at + 8 <= n; at += 8) {
        eight sum = {0};
        for (size_t k = 0; k < count; k++) sum += *(const eight_anywhere *)(x[k] + at);
        *(eight_anywhere *)(y + at) += scale * sum;
    }
    for (; at < n; at++) {
        float sum = 0;
        for (size_t k = 0; k < count; k++) sum += x[k][at];
        y[at] += scale * sum;
    }
}

VEC_KERNEL void vec_scale(float *x, float scale, size_t n)
{
    WRITES(x, n);
#pragma omp simd
    for (size_t i = 0; i < n; i++) x[i] *= scale;
}

double vec_normalise(float *x, size_t n)
{
    double length = sqrt(vec_dot(x, x, n));
    if (length > 0.0) vec_scale(x, (float)(1.0 / length), n);
    return length;
}
