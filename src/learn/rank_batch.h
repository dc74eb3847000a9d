/* One batch of the ranking loss (learn/rank.h): vectors, loss, gradient, AdaGrad update. */
#ifndef LEARN_RANK_BATCH_H
#define LEARN_RANK_BATCH_H

#include "learn/rank_map.h"

struct rank_batch {
    size_t dim;
    size_t pairs, hard, opposed; /* of this batch */
    /* The entries of the batch's rows, with dropout, without gain. */
    size_t *row_start; /* rows + 1 */
    uint32_t *col;
    float *val;
    /* rows x dim, length 1: all a, all b, all hard ones, then u and v of each opposed pair. */
    float *y;
    float *dy;         /* rows x dim: gradient of the vectors before normalisation */
    float *length;     /* rows: before normalisation */
    float *s;          /* pairs x (pairs + hard): exponentials, then gradient of the cosines */
    float *sums;       /* tiles x pairs: column sums per tile; finally the total in the first */
    float *row_sum;    /* pairs */
    double *rankings;  /* pairs: losses of the ranking */
    double *losses;    /* pairs + opposed: losses of the decision */
    double *slopes;    /* pairs + opposed: sigma, near 1 where the decision is wrong */
    uint32_t *cluster; /* candidates */
    /* The same entries by feature. */
    uint32_t *local;   /* features: index in touched, or UINT32_MAX */
    uint32_t *touched; /* features of the batch, in order of appearance */
    size_t *start;     /* touched + 1 */
    uint32_t *entry_row;
    float *entry_val;
    double (*by_feature)[2]; /* touched: gradient of g; squared gradient of L */
    size_t touched_count;
    size_t col_room, val_room;
    size_t touched_room, start_room, entry_row_room, entry_val_room, feature_room;
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

/* The sentences of a batch, as rows of X: all a, all b, the hard ones, then u and v of
 * each opposed pair. */
struct rank_rows {
    uint32_t *row;
    size_t pairs, hard, opposed;
    const uint32_t *cluster; /* of every sentence */
};

struct rank_loss {
    double value, by_border; /* the loss and its derivative with respect to the border */
};

/* Computes vectors and loss of a batch, and the gradient of the vectors. */
film_status rank_batch_gradient(struct rank_batch *batch, const struct rank_map *map,
                                const struct csr *x, const struct rank_rows *rows,
                                const struct rank_step *step, struct rank_loss *loss,
                                film_error *error);

/* Computes the gradient of the batch's features: GRADIENT is touched_count x dim, GAIN
 * touched_count. For tests. */
void rank_batch_read(struct rank_batch *batch, const struct rank_map *map, float *gradient,
                     float *gain);

/* Makes one AdaGrad step; returns the norm of the gradient. */
double rank_batch_update(struct rank_batch *batch, struct rank_map *map,
                         const struct rank_step *step);

#endif
