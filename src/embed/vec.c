/* Inner product, sum and scaling of dense vectors, with one version per instruction set, selected
 * at program start. Inner products are summed in double. */
#include "embed/vec.h"

#include <math.h>

VEC_KERNEL double vec_dot(const float *a, const float *b, size_t n)
{
    /* Sixteen float lanes are summed over blocks of 256, blocks in double: the speed of float, with
     * an error that does not grow with n. */
    double total = 0.0;
    for (size_t start = 0; start < n; start += 256) {
        size_t end = start + 256 < n ? start + 256 : n;
        float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
        for (size_t i = start; i < end; i++) sum += a[i] * b[i];
        total += (double)sum;
    }
    return total;
}

VEC_KERNEL void vec_add_scaled(float *y, float scale, const float *x, size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) y[i] += scale * x[i];
}

VEC_KERNEL void vec_scale(float *x, float scale, size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) x[i] *= scale;
}

double vec_normalise(float *x, size_t n)
{
    double length = sqrt(vec_dot(x, x, n));
    if (length > 0.0) vec_scale(x, (float)(1.0 / length), n);
    return length;
}
