/* Inner products of byte codes with a query: plain C, AVX2, AVX-512 VNNI. All give the same
 * integers. codes.c chooses among them. */
#include "index/codes_kernel.h"
#include "embed/vec.h"

#include <string.h>

/* Number of rows to prefetch ahead. We prefetch all cache lines of a row, because the hardware does
 * not predict random rows. 6 to 16 performed alike. Four rows at a time with one reduction was not
 * faster: memory is the bottleneck. */
enum { AHEAD = 8, LINE = 64, FORWARD = 4096 };

static inline void fetch(const uint8_t *row, size_t stride)
{
    for (size_t at = 0; at < stride; at += LINE) __builtin_prefetch(row + at);
    __builtin_prefetch(row + stride - 1);
}

static inline float row_scale(const uint8_t *row, size_t stride)
{
    float scale;
    memcpy(&scale, row + stride - sizeof scale, sizeof scale);
    return scale;
}

/* The loop over rows, the same for all kernels. The product is always inlined, so that it is
 * compiled for the instruction set of the kernel. */
#define SCORE_ROWS(product)                                                                \
    do {                                                                                   \
        for (size_t i = 0; id && i < count && i < AHEAD; i++)                              \
            fetch(rows + (size_t)id[i] * stride, stride);                                  \
        for (size_t i = 0; i < count; i++) {                                               \
            const uint8_t *row = rows + (id ? (size_t)id[i] : i) * stride;                 \
            if (!id) /* ahead of the hardware, which stops at the end of a page */         \
                __builtin_prefetch(row + FORWARD);                                         \
            else if (i + AHEAD < count)                                                    \
                fetch(rows + (size_t)id[i + AHEAD] * stride, stride);                      \
            out[i] = (float)(product(row, values, dim) - offset) * row_scale(row, stride); \
        }                                                                                  \
    } while (0)

/* ---- Plain C ---- */

static inline int32_t product_plain(const uint8_t *row, const int8_t *values, size_t dim)
{
    int32_t sum = 0;
    for (size_t i = 0; i < dim; i++) sum += (int16_t)row[i] * (int16_t)values[i];
    return sum;
}

VEC_KERNEL static void score_plain(const struct codes_rows *codes, const int8_t *values,
                                   int32_t offset, const uint32_t *id, size_t count, float *out)
{
    const uint8_t *rows = codes->rows;
    size_t stride = codes->stride, dim = codes->dim;
    SCORE_ROWS(product_plain);
}

static int always(void)
{
    return 1;
}

/* ---- x86: AVX2 and AVX-512 VNNI ---- */
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

/* maddubs adds two products with saturation to 16 bits. With the magnitude of the row (at most 127)
 * and the sign moved to the query, 2 * 127 * 127 fits. The result is the signed product, so the
 * caller sets OFFSET to 0. */
AVX2 static inline __m256i add_products(__m256i sum, __m256i row, __m256i value)
{
    __m256i plain = _mm256_xor_si256(row, _mm256_set1_epi8((char)0x80));
    __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(plain), _mm256_sign_epi8(value, plain));
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

/* After DIM the query is zero, and the bytes of a row extend to a multiple of 16. */
AVX2 static inline int32_t product_avx2(const uint8_t *row, const int8_t *values, size_t dim)
{
    __m256i sum = _mm256_setzero_si256(), more = _mm256_setzero_si256();
    size_t at = 0;
    for (; at + 64 <= dim; at += 64) {
        sum = add_products(sum, _mm256_loadu_si256((const __m256i *)(row + at)),
                           _mm256_loadu_si256((const __m256i *)(values + at)));
        more = add_products(more, _mm256_loadu_si256((const __m256i *)(row + at + 32)),
                            _mm256_loadu_si256((const __m256i *)(values + at + 32)));
    }
    for (; at < dim; at += 16)
        sum =
            add_products(sum, _mm256_zextsi128_si256(_mm_loadu_si128((const __m128i *)(row + at))),
                         _mm256_zextsi128_si256(_mm_loadu_si128((const __m128i *)(values + at))));
    sum = _mm256_add_epi32(sum, more);
    __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1));
    return _mm_cvtsi128_si32(half);
}

AVX2 static void score_avx2(const struct codes_rows *codes, const int8_t *values, int32_t offset,
                            const uint32_t *id, size_t count, float *out)
{
    const uint8_t *rows = codes->rows;
    size_t stride = codes->stride, dim = codes->dim;
    offset = 0; /* this product is signed already */
    SCORE_ROWS(product_avx2);
}

static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

VNNI static inline int32_t product_vnni(const uint8_t *row, const int8_t *values, size_t dim)
{
    __m512i sum = _mm512_setzero_si512(), more = _mm512_setzero_si512();
    size_t at = 0;
    for (; at + 128 <= dim; at += 128) {
        sum =
            _mm512_dpbusd_epi32(sum, _mm512_loadu_si512(row + at), _mm512_loadu_si512(values + at));
        more = _mm512_dpbusd_epi32(more, _mm512_loadu_si512(row + at + 64),
                                   _mm512_loadu_si512(values + at + 64));
    }
    if (at + 64 <= dim) {
        sum =
            _mm512_dpbusd_epi32(sum, _mm512_loadu_si512(row + at), _mm512_loadu_si512(values + at));
        at += 64;
    }
    if (at < dim) { /* masked: the last row may end at the end of the mapped file */
        __mmask64 left = (__mmask64)-1 >> (64 - (dim - at));
        more = _mm512_dpbusd_epi32(more, _mm512_maskz_loadu_epi8(left, row + at),
                                   _mm512_loadu_si512(values + at));
    }
    return _mm512_reduce_add_epi32(_mm512_add_epi32(sum, more));
}

VNNI static void score_vnni(const struct codes_rows *codes, const int8_t *values, int32_t offset,
                            const uint32_t *id, size_t count, float *out)
{
    const uint8_t *rows = codes->rows;
    size_t stride = codes->stride, dim = codes->dim;
    SCORE_ROWS(product_vnni);
}

static int has_vnni(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}

const struct codes_kernel codes_kernels[] = {
    {"vnni", has_vnni, score_vnni}, {"avx2", has_avx2, score_avx2}, {"plain", always, score_plain}};
#else
const struct codes_kernel codes_kernels[] = {{"plain", always, score_plain}};
#endif

const size_t codes_kernel_count = sizeof codes_kernels / sizeof *codes_kernels;
