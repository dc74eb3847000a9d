/* The map L: a vector for each feature, as floats or as compact codes.
 *
 * Codes are signed bytes with one scale per feature: value = scale * code. They take a quarter of
 * the memory of floats. */
#ifndef EMBED_WORD_MAP_H
#define EMBED_WORD_MAP_H

#include "base/status.h"

#include <stdint.h>

/* A view; rows are numbered by feature. Without `rows` and `codes` there is no map. */
struct word_map {
    const float *rows;   /* features x dim, or NULL: */
    const int8_t *codes; /* features x dim */
    const float *scales; /* by feature */
};

static inline int word_map_exists(const struct word_map *map)
{
    return map->rows || map->codes;
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

/* Rounds a row of floats to codes and a scale. The largest value becomes the code MOST, 127 or
 * less; a row of zeros has scale 0. */
void word_map_round(const float *row, size_t dim, int most, int8_t *code, float *scale);

#endif
