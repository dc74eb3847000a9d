/* Kernels for dense vectors: the only file with simd pragmas. Input is float, results are
 * double. */
#ifndef EMBED_VEC_H
#define EMBED_VEC_H

#include <stddef.h>

/* Marks a hot function: the compiler makes several versions, and the best for this machine is
 * chosen when the program starts. Empty where the compiler or a sanitizer does not support it; the
 * result is the same, only slower. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(FILM_ONE_KERNEL)
/* By feature level, not by processor model: "arch=haswell" would select the slow version on AMD. */
#define VEC_KERNEL __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define VEC_KERNEL
#endif

double vec_dot(const float *a, const float *b, size_t n);
void vec_add_scaled(float *y, float scale, const float *x, size_t n); /* y += scale x */
/* y += scale * (the sum of COUNT vectors x), in the order of the vectors. */
void vec_add_sum(float *y, float scale, const float *const *x, size_t count, size_t n);
void vec_scale(float *x, float scale, size_t n);

/* Scales the vector to length 1 and returns its former length; a zero vector stays zero. */
double vec_normalise(float *x, size_t n);

#endif
