/* Sums and products of the rows of the map, for floats and for codes of 8 and 4 bits, and rounding
 * to codes. One version of each kernel per instruction set (embed/vec.h). */
#include "embed/word_map.h"
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

void word_map_prefetch(const struct word_map *map, uint32_t id, size_t dim)
{
    enum { LINE = 64 };
    const char *row =
        map->rows ? (const char *)floats_of(map, id, dim) : (const char *)codes_of(map, id);
    size_t bytes = map->rows ? dim * sizeof(float) : map->stride;
    for (size_t at = 0; at < bytes; at += LINE) __builtin_prefetch(row + at);
    if (!map->rows) __builtin_prefetch(map->scales + id);
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

VEC_KERNEL static int32_t multiply_bytes(const int8_t *a, const int8_t *b, size_t n)
{
    int32_t sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++) sum += (int32_t)a[i] * (int32_t)b[i];
    return sum;
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

double word_map_product(const struct word_map *map, uint32_t a, uint32_t b, size_t dim)
{
    if (map->rows) return vec_dot(floats_of(map, a, dim), floats_of(map, b, dim), dim);
    int32_t sum = map->bits == 8
                      ? multiply_bytes((const int8_t *)codes_of(map, a),
                                       (const int8_t *)codes_of(map, b), dim)
                      : multiply_nibbles(codes_of(map, a), codes_of(map, b), map->stride);
    return (double)map->scales[a] * (double)map->scales[b] * sum;
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
    enum { BLOCK = 256 };
    double sum = 0;
    for (size_t first = 0; first < dim; first += BLOCK) {
        float block[BLOCK];
        size_t count = dim - first < BLOCK ? dim - first : BLOCK;
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
        code[i] = bits == 8 ? (uint8_t)(int8_t)low : (uint8_t)((high + 8) << 4 | (low + 8));
    }
}
