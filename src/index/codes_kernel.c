/* Inner products of byte codes with a query and estimates from sketches: plain C, AVX2, AVX-512
 * VNNI, NEON. All give the same bits. codes.c chooses among them. */
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

/* The number behind a short float: the upper half of its bits. */
static inline float long_float(uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Compares the estimates of 32 links with the least score; SUM: of their table entries. */
static uint32_t compare_links(const struct sketch_query *query, const uint16_t *sum,
                              const uint8_t *block, const float bound[2])
{
    uint16_t numbers[2 * SKETCH_LINKS];
    uint32_t mask = 0;
    memcpy(numbers, block + 4 * query->signs, sizeof numbers);
    for (size_t i = 0; i < SKETCH_LINKS; i++) {
        float level = bound[0] + long_float(numbers[i]) * query->unit;
        float along = (float)sum[i] * query->step + query->base;
        mask |= (uint32_t)(level + along * long_float(numbers[SKETCH_LINKS + i]) >= bound[1]) << i;
    }
    return mask;
}

/* The signs of a block are 16 bytes per four dimensions: links 0 to 15 have the lower four bits of
 * a byte, links 16 to 31 the upper ones. */
static uint32_t pass_plain(const struct sketch_query *query, const uint8_t *block, float score,
                           float least)
{
    uint16_t sum[SKETCH_LINKS] = {0};
    for (size_t at = 0; at < 4 * query->signs; at += 16)
        for (size_t i = 0; i < 16; i++) {
            sum[i] = (uint16_t)(sum[i] + query->table[at + (block[at + i] & 15)]);
            sum[i + 16] = (uint16_t)(sum[i + 16] + query->table[at + (block[at + i] >> 4)]);
        }
    return compare_links(query, sum, block, (const float[2]){score, least});
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

/* Eight links: their estimates, from the score of the row, against the least score. */
AVX2 static inline uint32_t compare_eight(const struct sketch_query *query, __m128i sum,
                                          const uint8_t *numbers, const float bound[2])
{
    __m256i level = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)numbers)),
            slope = _mm256_cvtepu16_epi32(
                _mm_loadu_si128((const __m128i *)(numbers + 2 * SKETCH_LINKS)));
    __m256 high = _mm256_add_ps(_mm256_set1_ps(bound[0]),
                                _mm256_mul_ps(_mm256_castsi256_ps(_mm256_slli_epi32(level, 16)),
                                              _mm256_set1_ps(query->unit)));
    __m256 along = _mm256_add_ps(
        _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(sum)), _mm256_set1_ps(query->step)),
        _mm256_set1_ps(query->base));
    along = _mm256_mul_ps(along, _mm256_castsi256_ps(_mm256_slli_epi32(slope, 16)));
    return (uint32_t)_mm256_movemask_ps(
        _mm256_cmp_ps(_mm256_add_ps(high, along), _mm256_set1_ps(bound[1]), _CMP_GE_OQ));
}

/* Adds both halves of the sums of even and of odd bytes, and compares 16 links. */
AVX2 static inline uint32_t compare_sixteen(const struct sketch_query *query, __m256i even,
                                            __m256i odd, const uint8_t *numbers,
                                            const float bound[2])
{
    even = _mm256_sub_epi16(even, _mm256_slli_epi16(odd, 8));
    __m128i low = _mm_add_epi16(_mm256_castsi256_si128(even), _mm256_extracti128_si256(even, 1)),
            high = _mm_add_epi16(_mm256_castsi256_si128(odd), _mm256_extracti128_si256(odd, 1));
    return compare_eight(query, _mm_unpacklo_epi16(low, high), numbers, bound) |
           compare_eight(query, _mm_unpackhi_epi16(low, high), numbers + 16, bound) << 8;
}

/* Looks up the entries of eight signs of 32 links at once. Sums of 16 bits contain an even byte and
 * 256 times the odd one next to it, which is summed separately and subtracted at the end. */
AVX2 static uint32_t pass_avx2(const struct sketch_query *query, const uint8_t *block, float score,
                               float least)
{
    const __m256i four = _mm256_set1_epi8(15);
    __m256i even[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()}, odd[2] = {even[0], even[0]};
    for (size_t at = 0; at < 4 * query->signs; at += 32) {
        __m256i signs = _mm256_loadu_si256((const __m256i *)(block + at)),
                table = _mm256_loadu_si256((const __m256i *)(query->table + at));
        __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(signs, four)),
                high =
                    _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(signs, 4), four));
        even[0] = _mm256_add_epi16(even[0], low);
        even[1] = _mm256_add_epi16(even[1], high);
        odd[0] = _mm256_add_epi16(odd[0], _mm256_srli_epi16(low, 8));
        odd[1] = _mm256_add_epi16(odd[1], _mm256_srli_epi16(high, 8));
    }
    const uint8_t *numbers = block + 4 * query->signs;
    const float bound[2] = {score, least};
    return compare_sixteen(query, even[0], odd[0], numbers, bound) |
           compare_sixteen(query, even[1], odd[1], numbers + 32, bound) << 16;
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

const struct codes_kernel codes_kernels[] = {{"vnni", has_vnni, score_vnni, pass_avx2},
                                             {"avx2", has_avx2, score_avx2, pass_avx2},
                                             {"plain", always, score_plain, pass_plain}};
#elif defined(__aarch64__) && defined(__GNUC__)
#include <arm_neon.h>

/* Every such processor has NEON. The compiler uses it for plain products, but not for tables. */
static uint32_t pass_neon(const struct sketch_query *query, const uint8_t *block, float score,
                          float least)
{
    uint16x8_t sum[4] = {vdupq_n_u16(0), vdupq_n_u16(0), vdupq_n_u16(0), vdupq_n_u16(0)};
    uint16_t sums[SKETCH_LINKS];
    for (size_t at = 0; at < 4 * query->signs; at += 16) {
        uint8x16_t signs = vld1q_u8(block + at), table = vld1q_u8(query->table + at);
        uint8x16_t low = vqtbl1q_u8(table, vandq_u8(signs, vdupq_n_u8(15))),
                   high = vqtbl1q_u8(table, vshrq_n_u8(signs, 4));
        sum[0] = vaddw_u8(sum[0], vget_low_u8(low));
        sum[1] = vaddw_u8(sum[1], vget_high_u8(low));
        sum[2] = vaddw_u8(sum[2], vget_low_u8(high));
        sum[3] = vaddw_u8(sum[3], vget_high_u8(high));
    }
    for (size_t i = 0; i < 4; i++) vst1q_u16(sums + 8 * i, sum[i]);
    return compare_links(query, sums, block, (const float[2]){score, least});
}

const struct codes_kernel codes_kernels[] = {{"neon", always, score_plain, pass_neon},
                                             {"plain", always, score_plain, pass_plain}};
#else
const struct codes_kernel codes_kernels[] = {{"plain", always, score_plain, pass_plain}};
#endif

const size_t codes_kernel_count = sizeof codes_kernels / sizeof *codes_kernels;
