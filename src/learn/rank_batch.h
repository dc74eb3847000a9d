/* One batch of the ranking loss (learn/rank.h): vectors, loss, gradient, update. */
#ifndef LEARN_RANK_BATCH_H
#define LEARN_RANK_BATCH_H

#include "learn/rank_fetch.h"
#include "learn/rank_map.h"

/* In a job every process has its even share of the pairs and of the opposed pairs, computes
 * their losses, and therefore has the vectors of these and of all candidates; other rows of y
 * and dy stay unset. What is summed over the processes is marked below. */
struct rank_batch {
    size_t dim;                  /* of all processes' columns */
    size_t pairs, hard, opposed; /* of this batch */
    size_t first, end;           /* this process's share of the pairs */
    size_t first_opposed, end_opposed;
    struct rank_fetch fetch; /* the entries by row; dropout applied, gain not */
    float *y;                /* rows x dim, length 1: all a, all b, all hard, then u and v of
                              * each opposed pair */
    float *dy;               /* rows x dim: gradient by the vectors before normalising */
    float
        *columns;  /* rows x the map's own columns: of all vectors before normalising; in the end of
                     * the gradient by them, summed */
    float *length; /* rows: before normalising */
    float *s;      /* own pairs x (pairs + hard): exponentials, then gradient by the cosines */
    float *sums;   /* tiles x pairs: column sums of each tile, in the end of all in the first */
    float *row_sum;    /* pairs */
    double *losses;    /* pairs + opposed */
    double *slopes;    /* pairs + opposed: sigma, near 1 where the decision is wrong */
    uint32_t *cluster; /* candidates */
    /* The batch's entries by feature. */
    uint32_t *local;   /* features: place in touched, or UINT32_MAX */
    uint32_t *touched; /* features of the batch, in order of appearance */
    size_t *start;     /* touched + 1 */
    uint32_t *entry_row;
    float *entry_val;
    float *gradient;           /* touched x the map's own columns */
    double (*by_feature)[2];   /* touched: gradient by g; square of that by L. Summed */
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

/* The sentences of a batch, by number (rank_fetch.h): the a's, the b's, the hard ones, u and v
 * of each opposed pair. */
struct rank_rows {
    uint32_t *row;
    size_t pairs, hard, opposed;
    const uint32_t *cluster; /* of every sentence there is */
};

struct rank_loss {
    double value, by_border; /* the loss and its derivative by the border */
};

/* Vectors and loss of a batch, and its gradient by the features, in the batch. Collective. */
film_status rank_batch_gradient(struct rank_batch *batch, const struct rank_map *map,
                                const struct csr *x, const struct rank_rows *rows,
                                const struct rank_step *step, struct rank_loss *loss,
                                film_error *error);

/* The gradient of the batch's features: GRADIENT is touched_count x dim, GAIN touched_count. For
 * tests. */
void rank_batch_read(const struct rank_batch *batch, const struct rank_map *map, float *gradient,
                     float *gain);

/* One step of AdaGrad. Returns the length of the gradient it followed. */
double rank_batch_update(struct rank_batch *batch, struct rank_map *map,
                         const struct rank_step *step);

#endif
