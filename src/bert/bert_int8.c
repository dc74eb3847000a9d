/* Products of 8-bit weights and activations, with one kernel per instruction set. All kernels
 * compute the same bits, because the sums are integers. */
#include "bert/bert_int8.h"
#include "base/mem.h"
#include "embed/vec.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* One instruction multiplies and sums STEP inputs; a kernel computes BLOCK outputs at a time. */
enum { BLOCK = 32, STEP = 4, ZERO = 128, LARGEST = 127, ROWS = BERT_INT8_ROWS };

size_t bert_int8_stride(size_t n)
{
    return (n + STEP - 1) / STEP * STEP;
}

/* ---- Quantisation ---- */

film_status bert_int8_init(struct bert_int8 *matrix, const float *weights, size_t inputs,
                           size_t outputs, film_error *error)
{
    film_status status = FILM_OK;
    size_t stride = bert_int8_stride(inputs), blocks = (outputs + BLOCK - 1) / BLOCK;
    *matrix = (struct bert_int8){inputs, outputs, NULL, NULL};
    TRY_ALLOC(matrix->bytes = mem_aligned(blocks * BLOCK, stride), error);
    TRY_ALLOC(matrix->scale = mem_array(outputs, sizeof *matrix->scale), error);
    memset(matrix->bytes, ZERO, blocks * BLOCK * stride);
    for (size_t o = 0; o < outputs; o++) {
        float largest = 0;
        for (size_t i = 0; i < inputs; i++)
            largest = fmaxf(largest, fabsf(weights[i * outputs + o]));
        /* Weights too small for a scale are treated as zero. */
        float scale = matrix->scale[o] = largest / LARGEST > FLT_MIN ? largest / LARGEST : 1;
        uint8_t *block = matrix->bytes + o / BLOCK * BLOCK * stride + o % BLOCK * STEP;
        for (size_t i = 0; i < inputs; i++) {
            float rounded = rintf(weights[i * outputs + o] / scale);
            block[i / STEP * STEP * BLOCK + i % STEP] = (uint8_t)((int)rounded + ZERO);
        }
    }
done:
    if (status != FILM_OK) bert_int8_free(matrix);
    return status;
}

void bert_int8_free(struct bert_int8 *matrix)
{
    mem_free_aligned(matrix->bytes);
    mem_free(matrix->scale);
    memset(matrix, 0, sizeof *matrix);
}

/* Quantises a row of activations. Returns their scale, or NaN when one of them is not finite, so
 * that the result is not finite either. *SUM is their sum. */
VEC_KERNEL static float round_row(const float *x, size_t n, int8_t *out, int32_t *sum)
{
    /* 1.5 * 2^23: adding it leaves an integer in the low bits. */
    const float rounder = 12582912.0f;
    float largest = 0, probe = 0;
    int32_t total = 0;
#pragma omp simd reduction(max : largest) reduction(+ : probe)
    for (size_t i = 0; i < n; i++) {
        float size = fabsf(x[i]);
        largest = size > largest ? size : largest;
        probe += x[i] * 0.0f;
    }
    float factor = largest / LARGEST > FLT_MIN && probe == 0 ? LARGEST / largest : 0;
#pragma omp simd reduction(+ : total)
    for (size_t i = 0; i < n; i++) {
        union {
            float number;
            int32_t bits;
        } shifted = {x[i] * factor + rounder};
        int32_t value = (int8_t)(shifted.bits & 0xFF);
        out[i] = (int8_t)value;
        total += value;
    }
    *sum = total;
    return probe == 0 ? largest / LARGEST : NAN;
}

/* ---- Products ---- */

VEC_KERNEL static void products_plain(const int8_t *rows, size_t stride, const uint8_t *block,
                                      int32_t *sums)
{
    memset(sums, 0, ROWS * BLOCK * sizeof *sums);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t i = 0; i < stride; i += STEP)
            for (size_t o = 0; o < BLOCK; o++)
                for (size_t s = 0; s < STEP; s++)
                    sums[r * BLOCK + o] +=
                        rows[r * stride + i + s] * (int32_t)block[i * BLOCK + o * STEP + s];
}

static int always_available(void)
{
    return 1;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define VNNI __attribute__((target("avx512f,avx512vnni")))

/* Keeps 24 sums in registers, so that each loaded weight is used twelve times. */
VNNI static void products_vnni(const int8_t *rows, size_t stride, const uint8_t *block,
                               int32_t *sums)
{
    __m512i left[ROWS], right[ROWS];
#pragma GCC unroll 12
    for (int r = 0; r < ROWS; r++) left[r] = right[r] = _mm512_setzero_si512();
    for (size_t i = 0; i < stride; i += STEP, block += STEP * BLOCK) {
        __m512i a = _mm512_load_si512(block), b = _mm512_load_si512(block + 64);
#pragma GCC unroll 12
        for (int r = 0; r < ROWS; r++) {
            int32_t four;
            memcpy(&four, rows + (size_t)r * stride + i, sizeof four);
            __m512i x = _mm512_set1_epi32(four);
            left[r] = _mm512_dpbusd_epi32(left[r], a, x);
            right[r] = _mm512_dpbusd_epi32(right[r], b, x);
        }
    }
#pragma GCC unroll 12
    for (int r = 0; r < ROWS; r++) {
        _mm512_storeu_si512(sums + r * BLOCK, left[r]);
        _mm512_storeu_si512(sums + r * BLOCK + 16, right[r]);
    }
}

static int cpu_has_vnni(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni");
}

const struct bert_int8_kernel bert_int8_kernels[] = {{"vnni", cpu_has_vnni, products_vnni},
                                                     {"plain", always_available, products_plain}};
#else
const struct bert_int8_kernel bert_int8_kernels[] = {{"plain", always_available, products_plain}};
#endif

const size_t bert_int8_kernel_count = sizeof bert_int8_kernels / sizeof *bert_int8_kernels;

const struct bert_int8_kernel *bert_int8_best(void)
{
    const struct bert_int8_kernel *kernel = bert_int8_kernels;
    while (!kernel->here()) kernel++;
    return kernel;
}

/* Scales and sums of the rows of activations as bytes. */
struct row_figures {
    float scale[ROWS];
    int32_t sum[ROWS];
};

/* OUT (count x at most 32) from the integer sums. The offset of 128 of the weights has added 128
 * times the sum of the row. */
VEC_KERNEL static void scale_sums(const int32_t *sums, const struct row_figures *row,
                                  const float *scale, size_t rows, size_t columns, float *out,
                                  size_t stride)
{
    for (size_t r = 0; r < rows; r++) {
        int32_t offset = ZERO * row->sum[r];
        float row_scale = row->scale[r];
#pragma omp simd
        for (size_t o = 0; o < columns; o++)
            out[r * stride + o] = (float)(sums[r * BLOCK + o] - offset) * (row_scale * scale[o]);
    }
}

void bert_int8_multiply(const struct bert_int8 *matrix, const struct bert_int8_kernel *kernel,
                        const float *x, size_t rows, int8_t *spare, float *out)
{
    size_t inputs = matrix->inputs, outputs = matrix->outputs, stride = bert_int8_stride(inputs);
    int32_t sums[ROWS * BLOCK];
    struct row_figures row;
    memset(spare, 0, ROWS * stride);
    for (size_t first = 0; first < rows; first += ROWS) {
        size_t count = rows - first < ROWS ? rows - first : ROWS;
        for (size_t r = 0; r < count; r++)
            row.scale[r] =
                round_row(x + (first + r) * inputs, inputs, spare + r * stride, &row.sum[r]);
        for (size_t o = 0; o < outputs; o += BLOCK) {
            size_t columns = outputs - o < BLOCK ? outputs - o : BLOCK;
            kernel->products(spare, stride, matrix->bytes + o * stride, sums);
            scale_sums(sums, &row, matrix->scale + o, count, columns, out + first * outputs + o,
                       outputs);
        }
    }
}
