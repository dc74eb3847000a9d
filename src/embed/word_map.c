/* Sums and products of the rows of the map, for floats and for codes (embed/code_rows.h), and
 * rounding to codes. There is one version of each kernel per instruction set. */
#include "embed/word_map.h"
#include "embed/code_rows.h"
#include "embed/vec.h"

#include <math.h>
#include <string.h>

static const int8_t *codes_of(const struct word_map *map, uint32_t id, size_t dim)
{
    return map->codes + (size_t)id * dim;
}

static const float *floats_of(const struct word_map *map, uint32_t id, size_t dim)
{
    return map->rows + (size_t)id * dim;
}

VEC_KERNEL static void add_bytes(float *restrict y, float factor, const int8_t *restrict code,
                                 size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++) y[i] += factor * (float)code[i];
}

/* ---- Sums of many rows ---- */

enum { ROWS = CODED_ROWS, LINE = 64 };

static void sum_codes(const struct word_map *map, const uint32_t *ids, const float *values,
                      size_t count, float *out, size_t dim)
{
    for (size_t first = 0; first < count; first += ROWS) {
        struct coded_rows rows; /* not cleared: it is larger than most sentences need */
        rows.count = count - first < ROWS ? count - first : ROWS;
        for (size_t r = 0; r < rows.count; r++) {
            uint32_t id = ids[first + r];
            rows.code[r] = (const uint8_t *)codes_of(map, id, dim);
            for (size_t at = 0; at < dim; at += LINE) __builtin_prefetch(rows.code[r] + at);
            rows.factor[r] = values[first + r] * map->scales[id];
        }
        codes_add_rows(&rows, out, dim);
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
    else
        add_bytes(out, factor * map->scales[id], codes_of(map, id, dim), dim);
}

/* As word_map_products, for at most CODED_ROWS rows of codes. */
static void multiply_codes(const struct word_map *map, uint32_t id, const uint32_t *others,
                           size_t count, size_t dim, double *out)
{
    const int8_t *rows[CODED_ROWS];
    int32_t sum[CODED_ROWS];
    if (count == 0) return;
    for (size_t i = 0; i < count; i++) rows[i] = codes_of(map, others[i], dim);
    codes_multiply(codes_of(map, id, dim), rows, count, dim, sum);
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
    return map->scales[id] * (float)codes_of(map, id, dim)[dimension];
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

void word_map_round(const float *row, size_t dim, int most, int8_t *code, float *scale)
{
    float largest = 0;
    for (size_t i = 0; i < dim; i++) largest = fmaxf(largest, fabsf(row[i]));
    *scale = largest / (float)most;
    for (size_t i = 0; i < dim; i++) {
        long rounded = *scale > 0 ? lrintf(row[i] / *scale) : 0;
        code[i] = (int8_t)(rounded > most ? most : rounded < -most ? -most : rounded);
    }
}
