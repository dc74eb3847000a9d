/* The parameters of the ranking map (learn/rank.h). */
#ifndef LEARN_RANK_MAP_H
#define LEARN_RANK_MAP_H

#include "learn/rank.h"

enum { RANK_MOST_DIM = 4096 /* a vector is on the stack */ };

struct rank_map {
    size_t features, dim;
    float *rows;         /* features x dim: L */
    float *log_gain;     /* features: g */
    float *gain;         /* exp(g) */
    float *gain_squares; /* features: sum of squared gradients of g */
    float *squares;      /* features: sum over steps of the row's mean squared gradient */
};

/* The initial state of a map. */
struct rank_start {
    size_t features, dim;
    double ground; /* AdaGrad's sums of squares start at ground^2 */
    uint64_t seed;
    int threads;
};

/* Initialises L: random signs by seed over sqrt(d), so that every row has length 1; g = 0. */
film_status rank_map_init(struct rank_map *map, const struct rank_start *start, film_error *error);
void rank_map_free(struct rank_map *map);

/* out (dim) = the vector of a row of COUNT entries. */
void rank_map_project(const struct rank_map *map, const uint32_t *col, const float *val,
                      size_t count, float *out);

#endif
