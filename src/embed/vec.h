/* Dense vectors: the only file with simd pragmas. float stored, double returned. */
#ifndef EMBED_VEC_H
#define EMBED_VEC_H

#include <stddef.h>

/* On a hot loop: several versions of the function, the best one for this machine chosen when the
 * program starts. Empty where the compiler or a sanitizer cannot do it; the result is then the
 * same, slower. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(FILM_ONE_KERNEL)
/* By feature level, not by model name: "arch=haswell" would leave an AMD machine with the slow
 * one. */
#define VEC_KERNEL __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define VEC_KERNEL
#endif

double vec_dot(const float *a, const float *b, size_t n);
void vec_add_scaled(float *y, float scale, const float *x, size_t n); /* y += scale x */
void vec_scale(float *x, float scale, size_t n);

/* Makes the length 1 and returns what it was; a zero vector stays zero. */
double vec_normalise(float *x, size_t n);

#endif
