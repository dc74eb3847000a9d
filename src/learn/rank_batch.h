/* One batch of the ranking loss (learn/rank.h): vectors, loss, gradient, AdaGrad update. */
#ifndef LEARN_RANK_BATCH_H
#define LEARN_RANK_BATCH_H

#include "learn/rank_fetch.h"
#include "learn/rank_map.h"

/* In a job every process has an equal share of the positive pairs and of the opposed pairs
 * (labelled negatives of the decision term) and computes their losses. It therefore has the vectors
 * of these and of all candidates; other rows of y and dy are unset. "Summed" below means over
 * processes. */
struct rank_batch {
    size_t dim;                  /* columns of all processes */
    size_t pairs, hard, opposed; /* of this batch */
    size_t first, end;           /* this process's share of the pairs */
    size_t first_opposed, end_opposed;
    struct rank_fetch fetch; /* the entries by row, with dropout, without gain */
    /* rows x dim, length 1: all a, all b, all hard ones, then u and v of each opposed pair. */
    float *y;
    float *dy; /* rows x dim: gradient of the vectors before normalisation */
    /* rows x the map's own columns: the vectors before normalisation; finally their gradient,
     * summed. */
    float *columns;
    float *length;     /* rows: before normalisation */
    float *s;          /* own pairs x (pairs + hard): exponentials, then gradient of the cosines */
    float *sums;       /* tiles x pairs: column sums per tile; finally the total in the first */
    float *row_sum;    /* pairs */
    double *losses;    /* pairs + opposed */
    double *slopes;    /* pairs + opposed: sigma, near 1 where the decision is wrong */
    uint32_t *cluster; /* candidates */
    /* The batch's entries by feature. */
    uint32_t *local;   /* features: index in touched, or UINT32_MAX */
    uint32_t *touched; /* features of the batch, in order of appearance */
    size_t *start;     /* touched + 1 */
    uint32_t *entry_row;
    float *entry_val;
    float *gradient;           /* of some of them x the map's own columns */
    double (*by_feature)[2];   /* touched: gradient of g; squared gradient of L. Summed */
    size_t *sizes, *own_sizes; /* processes */
    size_t touched_count;
    size_t touched_room, start_room, entry_row_room, entry_val_room, gradient_room, feature_room;
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

/* The sentences of a batch, by number (rank_fetch.h): all a, all b, the hard ones, then u and v of
 * each opposed pair. */
struct rank_rows {
    uint32_t *row;
    size_t pairs, hard, opposed;
    const uint32_t *cluster; /* of every sentence */
};

struct rank_loss {
    double value, by_border; /* the loss and its derivative with respect to the border */
};

/* Computes vectors and loss of a batch, and the gradient of the vectors. Collective. */
film_status rank_batch_gradient(struct rank_batch *batch, const struct rank_map *map,
                                const struct csr *x, const struct rank_rows *rows,
                                const struct rank_step *step, struct rank_loss *loss,
                                film_error *error);

/* Computes the gradient of the batch's features: GRADIENT is touched_count x dim, GAIN
 * touched_count. For tests. */
film_status rank_batch_read(struct rank_batch *batch, const struct rank_map *map, float *gradient,
                            float *gain, film_error *error);

/* Makes one AdaGrad step; *NORM becomes that of the gradient. Collective. */
film_status rank_batch_update(struct rank_batch *batch, struct rank_map *map,
                              const struct rank_step *step, double *norm, film_error *error);

#endif
