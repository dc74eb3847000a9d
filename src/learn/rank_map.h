/* The parameters of the ranking map (learn/rank.h). In a job of several processes each holds
 * some columns of L, and all of the term weights and sums of squares. */
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

/* How a map starts. */
struct rank_start {
    size_t features, dim;
    double ground; /* AdaGrad's sums of squares start at its square */
    uint64_t seed;
    int threads;
};

/* L: signs by seed over sqrt(d), so that every row has length 1; g = 0. This process's columns
 * of them. */
film_status rank_map_init(struct rank_map *map, const struct comm *comm,
                          const struct rank_start *start, film_error *error);
void rank_map_free(struct rank_map *map);

/* How many columns process RANK has. */
size_t rank_map_dim(const struct rank_map *map, int rank);

/* out (dim) = this process's columns of the vector of a row of COUNT entries. */
void rank_map_project(const struct rank_map *map, const uint32_t *col, const float *val,
                      size_t count, float *out);

/* ROWS (count x all_dim) from BLOCKS: the columns of each process (count x its dim), one block
 * behind the other. */
void rank_map_join(const struct rank_map *map, const float *blocks, size_t count, int threads,
                   float *rows);
/* The way back. */
void rank_map_cut(const struct rank_map *map, const float *rows, size_t count, int threads,
                  float *blocks);

/* Gives every process all columns, in the place of its own: what remains to be done is to hand out
 * map->rows. Collective. */
film_status rank_map_complete(struct rank_map *map, int threads, film_error *error);

#endif
