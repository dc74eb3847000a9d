/* Kernels for rows of signed bytes: plain C, which compilers vectorise, and AVX2. gcc 12 converts
 * bytes to floats with twice the instructions of the kernel below, so that one is written out.
 * word_map.c uses them. */
#include "embed/code_rows.h"
#include "embed/vec.h"

/* ---- Plain C ---- */

/* Sixteen dimensions at a time, so that the sums stay in registers. */
VEC_KERNEL static void add_rows_plain(const struct coded_rows *rows, float *out, size_t dim)
{
    enum { PART = 16 };
    size_t at = 0;
    for (; at + PART <= dim; at += PART) {
        float sum[PART];
        for (size_t i = 0; i < PART; i++) sum[i] = out[at + i];
        for (size_t r = 0; r < rows->count; r++) {
            const int8_t *code = (const int8_t *)rows->code[r] + at;
            float factor = rows->factor[r];
#pragma omp simd
            for (size_t i = 0; i < PART; i++) sum[i] += factor * (float)code[i];
        }
        for (size_t i = 0; i < PART; i++) out[at + i] = sum[i];
    }
    for (size_t r = 0; r < rows->count && at < dim; r++)
        for (size_t i = at; i < dim; i++)
            out[i] += rows->factor[r] * (float)((const int8_t *)rows->code[r])[i];
}

VEC_KERNEL static void multiply_plain(const int8_t *a, const int8_t *const *b, size_t count,
                                      size_t n, int32_t *out)
{
    for (size_t k = 0; k < count; k++) {
        const int8_t *row = b[k];
        int32_t sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t i = 0; i < n; i++) sum += (int32_t)a[i] * (int32_t)row[i];
        out[k] = sum;
    }
}

/* ---- AVX2 ---- */

#if defined(__x86_64__) && defined(__GNUC__) && !defined(FILM_ONE_KERNEL)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256 eight_floats(const uint8_t *code)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)code)));
}

/* LANES times eight dimensions; always inlined with a constant. */
AVX2 static inline __attribute__((always_inline)) void add_lanes_avx2(const struct coded_rows *rows,
                                                                      float *out, size_t at,
                                                                      int lanes)
{
    __m256 sum[8];
    for (int k = 0; k < lanes; k++) sum[k] = _mm256_loadu_ps(out + at + 8 * k);
    for (size_t r = 0; r < rows->count; r++) {
        const uint8_t *code = rows->code[r] + at;
        __m256 factor = _mm256_broadcast_ss(&rows->factor[r]);
        for (int k = 0; k < lanes; k++)
            sum[k] = _mm256_add_ps(sum[k], _mm256_mul_ps(factor, eight_floats(code + 8 * k)));
    }
    for (int k = 0; k < lanes; k++) _mm256_storeu_ps(out + at + 8 * k, sum[k]);
}

AVX2 static void add_rows_avx2(const struct coded_rows *rows, float *out, size_t dim)
{
    size_t at = 0;
    for (; at + 64 <= dim; at += 64) add_lanes_avx2(rows, out, at, 8);
    for (; at + 32 <= dim; at += 32) add_lanes_avx2(rows, out, at, 4);
    for (; at + 8 <= dim; at += 8) add_lanes_avx2(rows, out, at, 1);
    for (size_t r = 0; r < rows->count && at < dim; r++)
        for (size_t i = at; i < dim; i++)
            out[i] += rows->factor[r] * (float)((const int8_t *)rows->code[r])[i];
}

AVX2 static inline __m256i widened(const int8_t *code)
{
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)code));
}

AVX2 static inline int32_t sum_of(__m256i sum)
{
    __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1));
    return _mm_cvtsi128_si32(half);
}

/* A with COUNT rows, always inlined with a constant: A is read once for all of them. */
AVX2 static inline __attribute__((always_inline)) void multiply_some_avx2(const int8_t *a,
                                                                          const int8_t *const *b,
                                                                          int count, size_t n,
                                                                          int32_t *out)
{
    __m256i sum[4];
    size_t i = 0;
    for (int k = 0; k < count; k++) sum[k] = _mm256_setzero_si256();
    for (; i + 16 <= n; i += 16) {
        __m256i left = widened(a + i);
        for (int k = 0; k < count; k++)
            sum[k] = _mm256_add_epi32(sum[k], _mm256_madd_epi16(left, widened(b[k] + i)));
    }
    if (i + 8 <= n) {
        __m128i left = _mm_cvtepi8_epi16(_mm_loadl_epi64((const __m128i *)(a + i)));
        for (int k = 0; k < count; k++) {
            __m128i right = _mm_cvtepi8_epi16(_mm_loadl_epi64((const __m128i *)(b[k] + i)));
            __m128i product = _mm_madd_epi16(left, right);
            sum[k] = _mm256_add_epi32(sum[k], _mm256_zextsi128_si256(product));
        }
        i += 8;
    }
    for (int k = 0; k < count; k++) {
        out[k] = sum_of(sum[k]);
        for (size_t rest = i; rest < n; rest++) out[k] += (int32_t)a[rest] * (int32_t)b[k][rest];
    }
}

AVX2 static void multiply_avx2(const int8_t *a, const int8_t *const *b, size_t count, size_t n,
                               int32_t *out)
{
    size_t k = 0;
    for (; k + 4 <= count; k += 4) multiply_some_avx2(a, b + k, 4, n, out + k);
    for (; k + 2 <= count; k += 2) multiply_some_avx2(a, b + k, 2, n, out + k);
    for (; k < count; k++) multiply_some_avx2(a, b + k, 1, n, out + k);
}

static int codes_have_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}
#else
#define add_rows_avx2 add_rows_plain
#define multiply_avx2 multiply_plain
static int codes_have_avx2(void)
{
    return 0;
}
#endif

void codes_add_rows(const struct coded_rows *rows, float *out, size_t dim)
{
    if (codes_have_avx2())
        add_rows_avx2(rows, out, dim);
    else
        add_rows_plain(rows, out, dim);
}

void codes_multiply(const int8_t *a, const int8_t *const *b, size_t count, size_t n, int32_t *out)
{
    if (codes_have_avx2())
        multiply_avx2(a, b, count, n, out);
    else
        multiply_plain(a, b, count, n, out);
}
