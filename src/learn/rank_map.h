/* The parameters of the ranking map (learn/rank.h). In a job each process has some columns of L,
 * and all term weights and sums of squares. */
#ifndef LEARN_RANK_MAP_H
#define LEARN_RANK_MAP_H

#include "base/comm.h"
#include "learn/rank.h"

struct rank_map {
    const struct comm *comm;
    size_t features;
    size_t all_dim;      /* columns of all processes */
    size_t dim;          /* columns of this one */
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

/* Initialises this process's columns of L: random signs by seed over sqrt(d), so that every row has
 * length 1; g = 0. */
film_status rank_map_init(struct rank_map *map, const struct comm *comm,
                          const struct rank_start *start, film_error *error);
void rank_map_free(struct rank_map *map);

/* The number of columns of process RANK. */
size_t rank_map_dim(const struct rank_map *map, int rank);

/* out (dim) = this process's columns of the vector of a row of COUNT entries. */
void rank_map_project(const struct rank_map *map, const uint32_t *col, const float *val,
                      size_t count, float *out);

/* ROWS (count x all_dim) from BLOCKS: the columns of each process (count x its dim), one block
 * after the other. */
void rank_map_join(const struct rank_map *map, const float *blocks, size_t count, int threads,
                   float *rows);
/* The inverse of rank_map_join. */
void rank_map_cut(const struct rank_map *map, const float *rows, size_t count, int threads,
                  float *blocks);

/* Gives every process all columns, in place of its own. Only map->rows may be used afterwards.
 * Collective. */
film_status rank_map_complete(struct rank_map *map, int threads, film_error *error);

#endif
