/* One batch of the ranking loss (metric/rank.h): vectors, loss, gradient, update. */
#ifndef METRIC_RANK_BATCH_H
#define METRIC_RANK_BATCH_H

#include "metric/rank.h"

/* The parameters and what their rule remembers. */
struct rank_map {
    size_t features, dim;
    size_t learned;      /* the first so many columns move */
    float *rows;         /* features x dim: L */
    float *log_gain;     /* features: g */
    float *gain;         /* exp(g) */
    float *gain_squares; /* features: sum of squared gradients of g */
    enum rank_rule rule;
    float *squares; /* features x learned, or features: squared gradients, summed or averaged */
    float *moment;  /* features x learned; Adam only */
    uint32_t *seen; /* features: steps that touched it; Adam only */
};

/* L: signs by seed over sqrt(d), so that every row has length 1; g = 0. */
film_status rank_map_init(struct rank_map *map, size_t features, size_t dim, size_t fixed,
                          enum rank_rule rule, double ground, uint64_t seed, int threads,
                          film_error *error);
/* GAIN: exp(g) of every feature, positive. */
void rank_map_set_gain(struct rank_map *map, const float *gain);
void rank_map_free(struct rank_map *map);

/* out (count x dim) = vectors of length 1 of the sentences ROWS (NULL: the first COUNT). */
void rank_map_embed(const struct rank_map *map, const struct csr *x, const uint32_t *rows,
                    size_t count, int threads, float *out);

struct rank_batch {
    size_t dim;
    size_t pairs, hard, opposed; /* of this batch */
    float *y;                    /* rows x dim, length 1: all a, all b, all hard, then u and v of
                         * each opposed pair */
    float *dy;                   /* rows x dim: gradient by the vectors before normalising */
    float *length;               /* rows: before normalising */
    float *s;          /* pairs x (pairs + hard): exponentials, then gradient by the cosines */
    float *sums;       /* tiles x pairs: column sums of each tile, in the end of all in the first */
    float *row_sum;    /* pairs */
    double *losses;    /* pairs + opposed */
    double *slopes;    /* pairs + opposed: sigma, near 1 where the decision is wrong */
    uint32_t *cluster; /* candidates */
    /* The batch's entries by row, then by feature. */
    size_t *row_start; /* rows + 1 */
    uint32_t *col;
    float *val;        /* dropout applied, gain not */
    uint32_t *local;   /* features: place in touched, or UINT32_MAX */
    uint32_t *touched; /* features of the batch, in order of appearance */
    size_t *start;     /* touched + 1 */
    double *square;    /* touched: of the feature's gradient */
    uint32_t *entry_row;
    float *entry_val;
    size_t entries, touched_count;
    size_t col_room, val_room, touched_room, start_room, square_room, entry_row_room,
        entry_val_room;
};

film_status rank_batch_init(struct rank_batch *batch, size_t pairs, size_t hard, size_t opposed,
                            const struct rank_map *map, film_error *error);
void rank_batch_free(struct rank_batch *batch);

struct rank_step {
    double temperature, rate, weight_rate, dropout;
    double decision, border;
    uint64_t seed; /* of the dropout */
    int threads;
};

/* The sentences of a batch: the a's, the b's, the hard ones, u and v of each opposed pair. */
struct rank_rows {
    uint32_t *row;
    size_t pairs, hard, opposed;
};

/* Vectors and loss of a batch, the gradient by the vectors in batch->dy and that by the border.
 * CLUSTER: of every sentence of X. */
film_status rank_batch_gradient(struct rank_batch *batch, const struct rank_map *map,
                                const struct csr *x, const struct rank_rows *rows,
                                const uint32_t *cluster, const struct rank_step *step, double *loss,
                                double *by_border, film_error *error);

/* The gradient of the batch's features: GRADIENT is touched_count x learned, GAIN touched_count.
 * What rank_batch_update does without keeping it; for tests. */
void rank_batch_read(const struct rank_batch *batch, const struct rank_map *map, float *gradient,
                     float *gain);

/* One step of the map's rule. Returns the length of the gradient it followed. */
double rank_batch_update(struct rank_batch *batch, struct rank_map *map,
                         const struct rank_step *step);

#endif
