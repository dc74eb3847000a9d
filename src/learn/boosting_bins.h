/* Rows for gradient boosting (learn/boosting.h): features as bins, gradients as whole numbers, and
 * their histograms. */
#ifndef LEARN_BOOSTING_BINS_H
#define LEARN_BOOSTING_BINS_H

#include "learn/boosting.h"

/* Returns the number of columns or parts, of ROWS each, that repay starting a thread. */
static inline size_t boosting_grain(size_t rows)
{
    return 1 + (1 << 13) / (rows + 1);
}

enum { BOOSTING_BINS = 64, BOOSTING_PARTS = 64 /* of the rows, for sums in a fixed order */ };

struct bins {
    size_t features;
    /* features x BOOSTING_BINS, ascending; a row's bin is the number of cuts <= x. */
    float *cut;
    unsigned char *count; /* of the cuts of each feature, at most BOOSTING_BINS - 1 */
};

film_status bins_choose(struct bins *bins, const struct boosting_data *data, size_t features,
                        film_error *error);
void bins_free(struct bins *bins);

/* Rows in training or validation. */
struct binned {
    const struct boosting_data *data;
    unsigned char *bin; /* features x rows: columns are contiguous */
    double *margin;
};

film_status binned_init(struct binned *rows, const struct boosting_data *data,
                        const struct bins *bins, int threads, film_error *error);
void binned_free(struct binned *rows);

/* A tree with the bins of its splits; its leaves are multiplied by the learning rate. */
struct binned_tree {
    struct tree tree;
    unsigned bin[TREE_SPLITS];
};

/* Adds a tree to the margins. *LOSS, unless LOSS is NULL, is then the weighted mean loss of the
 * margins, to the last bit the same for every number of threads. */
void binned_add(struct binned *rows, const struct binned_tree *grown, int logistic, int threads,
                double *loss);

/* First and second derivatives, in units of struct gradients. */
struct gradient_sums {
    int64_t g, h;
};

struct gradients {
    float *g, *h;
    int64_t *both; /* g * 2^32 + h of each row in whole units: one addition sums both */
    double unit_g, unit_h;
};

film_status gradients_init(struct gradients *gradients, size_t rows, film_error *error);
void gradients_free(struct gradients *gradients);

/* The derivatives of the loss at the margins of ROWS. */
void gradients_compute(struct gradients *out, const struct binned *rows, int logistic, int threads);

/* Adds a sum of at most 65,536 rows. */
static inline void gradient_sums_add(struct gradient_sums *sums, int64_t both)
{
    int64_t h = (int64_t)(uint32_t)both;
    sums->g += (both - h) / (INT64_C(1) << 32);
    sums->h += h;
}

/* OUT[bin] = the sums of the rows of LIST (NULL: of the first COUNT rows); BIN is their column. */
void gradients_histogram(const struct gradients *gradients, const unsigned char *bin,
                         const uint32_t *list, size_t count,
                         struct gradient_sums out[BOOSTING_BINS]);

#endif
