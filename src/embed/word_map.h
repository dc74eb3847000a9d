/* The map L: a vector for each feature, as floats or as compact codes.
 *
 * Codes are whole numbers of 8 or 4 bits with one scale per feature: value = scale * code. They
 * take a quarter or an eighth of the memory of floats. */
#ifndef EMBED_WORD_MAP_H
#define EMBED_WORD_MAP_H

#include "base/status.h"

#include <stdint.h>

/* A view; rows are numbered by feature. Without `rows` and `codes` there is no map. */
struct word_map {
    const float *rows; /* features x dim, or NULL: */
    /* Row w begins at w * stride. 8 bits: dim signed bytes. 4 bits: byte i has the values of
     * dimensions i (lower half) and stride + i, each plus 8. */
    const uint8_t *codes;
    const float *scales; /* by feature */
    unsigned bits;       /* 8 or 4 */
    size_t stride;       /* bytes of a row of codes */
};

static inline int word_map_exists(const struct word_map *map)
{
    return map->rows || map->codes;
}

/* Bytes of a row of DIM codes. */
static inline size_t word_map_stride(unsigned bits, size_t dim)
{
    return bits == 8 ? dim : (dim + 1) / 2;
}

/* OUT (dim) += factor * row */
void word_map_add(const struct word_map *map, uint32_t id, float factor, float *out, size_t dim);

/* OUT (dim) += the sum of COUNT rows, each times its value. */
void word_map_add_rows(const struct word_map *map, const uint32_t *ids, const float *values,
                       size_t count, float *out, size_t dim);
/* OUT (dim) = that sum. */
void word_map_sum(const struct word_map *map, const uint32_t *ids, const float *values,
                  size_t count, float *out, size_t dim);

/* The inner products of a row and COUNT others; of two rows; of a row and a vector. */
void word_map_products(const struct word_map *map, uint32_t id, const uint32_t *others,
                       size_t count, size_t dim, double *out);
double word_map_product(const struct word_map *map, uint32_t a, uint32_t b, size_t dim);
double word_map_toward(const struct word_map *map, uint32_t id, const float *vector, size_t dim);

/* Returns one value of a row; fills OUT (dim) with a row. */
float word_map_value(const struct word_map *map, uint32_t id, size_t dimension, size_t dim);
void word_map_row(const struct word_map *map, uint32_t id, float *out, size_t dim);

/* Rounds a row of floats to codes of BITS bits and a scale. The largest value becomes the largest
 * code, 127 or 7; a row of zeros has scale 0. */
void word_map_round(const float *row, size_t dim, unsigned bits, uint8_t *code, float *scale);

#endif
