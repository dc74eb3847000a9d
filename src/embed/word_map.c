/* Sums and products of the rows of the map, for floats and for codes of 8 bits (embed/code_rows.h)
 * and 4 bits, and rounding to codes. There is one version of each kernel per instruction set. */
#include "embed/word_map.h"
#include "embed/code_rows.h"
#include "embed/vec.h"

#include <math.h>
#include <string.h>

static const uint8_t *codes_of(const struct word_map *map, uint32_t id)
{
    return map->codes + (size_t)id * map->stride;
}

static const float *floats_of(const struct word_map *map, uint32_t id, size_t dim)
{
    return map->rows + (size_t)id * dim;
}

/* ---- Kernels ---- */

VEC_KERNEL static void add_bytes(float *restrict y, float factor, const int8_t *restrict code,
                                 size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) y[i] += factor * (float)code[i];
}

/* The lower halves are the first dimensions, the upper halves the last HIGH ones. */
VEC_KERNEL static void add_nibbles(float *restrict y, float factor, const uint8_t *restrict code,
                                   size_t low, size_t high)
{
    float *restrict second = y + low;
#pragma omp simd
    for (size_t i = 0; i < low; i++) y[i] += factor * (float)((int)(code[i] & 15) - 8);
#pragma omp simd
    for (size_t i = 0; i < high; i++) second[i] += factor * (float)((int)(code[i] >> 4) - 8);
}

/* With an odd number of dimensions the last upper half is 8: the value 0. */
VEC_KERNEL static int32_t multiply_nibbles(const uint8_t *a, const uint8_t *b, size_t n)
{
    int32_t sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) {
        int32_t low = ((int32_t)(a[i] & 15) - 8) * ((int32_t)(b[i] & 15) - 8);
        int32_t high = ((int32_t)(a[i] >> 4) - 8) * ((int32_t)(b[i] >> 4) - 8);
        sum += low + high;
    }
    return sum;
}

/* ---- Sums of many rows of 4 bits ----
 *
 * A block of 32 bytes of all rows is added at a time, so that the sums stay in registers. A block
 * is read as 8 words of 4 bytes; byte K of every word goes to sum K. Every instruction set has the
 * shifts that this takes. Every value is added in the order of the rows. */

enum { ROWS = CODED_ROWS, LANES = 8, BLOCK = 4 * LANES, LINE = 64 };
typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t whole __attribute__((vector_size(4 * LANES)));
typedef uint32_t words __attribute__((vector_size(4 * LANES)));

/* Moves the sums of COUNT dimensions to or from memory; the first SKIPPED are not written. */
static void gather(lanes *sum, const float *out, size_t count)
{
    for (size_t i = 0; i < BLOCK; i++) sum[i % 4][i / 4] = i < count ? out[i] : 0;
}

static void scatter(const lanes *sum, float *out, size_t skipped, size_t count)
{
    for (size_t i = skipped; i < count; i++) out[i] = sum[i % 4][i / 4];
}

/* The first place of the block that covers dimension AT: the last block overlaps the one before. */
static size_t block_at(size_t at, size_t size)
{
    return at + BLOCK <= size ? at : size - BLOCK;
}

/* sum[k] += factor * the signed number in BITS bits of every word, below which there are SHIFT. */
#define ADD(k, x, shift, bits)                  \
    sum[k] += factor * __builtin_convertvector( \
                           (whole)((x) << (32 - (bits) - (shift))) >> (32 - (bits)), lanes)

/* LOW dimensions in the lower halves of the bytes, HIGH in the upper ones. */
VEC_KERNEL static void sum_nibbles(const struct coded_rows *rows, float *out, size_t low,
                                   size_t high)
{
    for (size_t at = 0; at < low; at += BLOCK) {
        size_t from = block_at(at, low), count = high - from < BLOCK ? high - from : BLOCK;
        lanes sum[8];
        gather(sum, out + from, BLOCK);
        gather(sum + 4, out + low + from, count);
        for (size_t r = 0; r < rows->count; r++) {
            float factor = rows->factor[r];
            words x;
            memcpy(&x, rows->code[r] + from, sizeof x);
            x ^= 0x88888888u; /* code + 8 to a signed number */
            ADD(0, x, 0, 4);
            ADD(1, x, 8, 4);
            ADD(2, x, 16, 4);
            ADD(3, x, 24, 4);
            ADD(4, x, 4, 4);
            ADD(5, x, 12, 4);
            ADD(6, x, 20, 4);
            ADD(7, x, 28, 4);
        }
        scatter(sum, out + from, at - from, BLOCK);
        scatter(sum + 4, out + low + from, at - from, count);
    }
}

static void sum_codes(const struct word_map *map, const uint32_t *ids, const float *values,
                      size_t count, float *out, size_t dim)
{
    for (size_t first = 0; first < count; first += ROWS) {
        struct coded_rows rows; /* not cleared: it is larger than most sentences need */
        rows.count = count - first < ROWS ? count - first : ROWS;
        for (size_t r = 0; r < rows.count; r++) {
            uint32_t id = ids[first + r];
            rows.code[r] = codes_of(map, id);
            for (size_t at = 0; at < map->stride; at += LINE) __builtin_prefetch(rows.code[r] + at);
            rows.factor[r] = values[first + r] * map->scales[id];
        }
        if (map->bits == 4 && map->stride < BLOCK)
            for (size_t r = 0; r < rows.count; r++)
                word_map_add(map, ids[first + r], values[first + r], out, dim);
        else if (map->bits == 8)
            codes_add_rows(&rows, out, dim);
        else
            sum_nibbles(&rows, out, map->stride, dim - map->stride);
    }
}

void word_map_add_rows(const struct word_map *map, const uint32_t *ids, const float *values,
                       size_t count, float *out, size_t dim)
{
    enum { AHEAD = 2 };
    if (!map->rows) {
        sum_codes(map, ids, values, count, out, dim);
        return;
    }
    for (size_t i = 0; i < count; i++) { /* the rows are far apart: fetch the next ones */
        if (i + AHEAD < count)
            for (size_t at = 0; at < dim; at += LINE / sizeof(float))
                __builtin_prefetch(floats_of(map, ids[i + AHEAD], dim) + at);
        vec_add_scaled(out, values[i], floats_of(map, ids[i], dim), dim);
    }
}

void word_map_sum(const struct word_map *map, const uint32_t *ids, const float *values,
                  size_t count, float *out, size_t dim)
{
    memset(out, 0, dim * sizeof *out);
    word_map_add_rows(map, ids, values, count, out, dim);
}

/* ---- Rows ---- */

void word_map_add(const struct word_map *map, uint32_t id, float factor, float *out, size_t dim)
{
    if (map->rows)
        vec_add_scaled(out, factor, floats_of(map, id, dim), dim);
    else if (map->bits == 8)
        add_bytes(out, factor * map->scales[id], (const int8_t *)codes_of(map, id), dim);
    else
        add_nibbles(out, factor * map->scales[id], codes_of(map, id), map->stride,
                    dim - map->stride);
}

/* As word_map_products, for at most CODED_ROWS rows of codes. */
static void multiply_codes(const struct word_map *map, uint32_t id, const uint32_t *others,
                           size_t count, size_t dim, double *out)
{
    const int8_t *rows[CODED_ROWS];
    int32_t sum[CODED_ROWS];
    for (size_t i = 0; i < count; i++) rows[i] = (const int8_t *)codes_of(map, others[i]);
    if (map->bits == 8)
        codes_multiply((const int8_t *)codes_of(map, id), rows, count, dim, sum);
    else
        for (size_t i = 0; i < count; i++)
            sum[i] = multiply_nibbles(codes_of(map, id), codes_of(map, others[i]), map->stride);
    for (size_t i = 0; i < count; i++)
        out[i] = (double)map->scales[id] * (double)map->scales[others[i]] * sum[i];
}

void word_map_products(const struct word_map *map, uint32_t id, const uint32_t *others,
                       size_t count, size_t dim, double *out)
{
    for (size_t i = 0; map->rows && i < count; i++)
        out[i] = vec_dot(floats_of(map, id, dim), floats_of(map, others[i], dim), dim);
    for (size_t i = 0; !map->rows && i < count; i += CODED_ROWS)
        multiply_codes(map, id, others + i, count - i < CODED_ROWS ? count - i : CODED_ROWS, dim,
                       out + i);
}

double word_map_product(const struct word_map *map, uint32_t a, uint32_t b, size_t dim)
{
    double product;
    word_map_products(map, a, &b, 1, dim, &product);
    return product;
}

float word_map_value(const struct word_map *map, uint32_t id, size_t dimension, size_t dim)
{
    if (map->rows) return floats_of(map, id, dim)[dimension];
    const uint8_t *code = codes_of(map, id);
    int value = map->bits == 8            ? (int8_t)code[dimension]
                : dimension < map->stride ? (code[dimension] & 15) - 8
                                          : (code[dimension - map->stride] >> 4) - 8;
    return map->scales[id] * (float)value;
}

void word_map_row(const struct word_map *map, uint32_t id, float *out, size_t dim)
{
    memset(out, 0, dim * sizeof *out);
    word_map_add(map, id, 1.0f, out, dim);
}

double word_map_toward(const struct word_map *map, uint32_t id, const float *vector, size_t dim)
{
    if (map->rows) return vec_dot(floats_of(map, id, dim), vector, dim);
    enum { PART = 256 };
    double sum = 0;
    for (size_t first = 0; first < dim; first += PART) {
        float block[PART];
        size_t count = dim - first < PART ? dim - first : PART;
        for (size_t i = 0; i < count; i++) block[i] = word_map_value(map, id, first + i, dim);
        sum += vec_dot(block, vector + first, count);
    }
    return sum;
}

/* ---- Rounding ---- */

static int round_to(float value, float scale, int most)
{
    int code = scale > 0 ? (int)lrintf(value / scale) : 0;
    return code > most ? most : code < -most ? -most : code;
}

void word_map_round(const float *row, size_t dim, unsigned bits, uint8_t *code, float *scale)
{
    size_t stride = word_map_stride(bits, dim);
    int most = bits == 8 ? 127 : 7;
    float largest = 0;
    for (size_t i = 0; i < dim; i++) largest = fmaxf(largest, fabsf(row[i]));
    *scale = largest / (float)most;
    for (size_t i = 0; i < stride; i++) {
        int low = round_to(row[i], *scale, most);
        int high = bits == 4 && stride + i < dim ? round_to(row[stride + i], *scale, most) : 0;
        int both = bits == 8 ? low & 255 : (high + 8) << 4 | (low + 8);
        code[i] = (uint8_t)both;
    }
}
