/* Learns word evidence: logistic regression by stochastic gradient descent with AdaGrad.
 *
 * The items of all pairs are collected once, in parallel, as rows of column numbers. Each fit (one
 * per fold, one for the model) iterates over those rows in a single thread. Fits run in parallel,
 * so the result does not depend on the number of threads. */
#ifndef LEARN_EVIDENCE_FIT_H
#define LEARN_EVIDENCE_FIT_H

#include "pair/evidence.h"
#include "pair/survey.h"

/* The source of pairs. */
struct evidence_source {
    void (*pair)(const void *user, size_t i, film_text *a, film_text *b);
    const void *user;
    size_t count;
    /* Receives the survey of every pair, without map and evidence, in any order and by several
     * threads; NULL: pairs are only read. */
    void (*keep)(void *keeper, size_t i, const struct survey *survey);
    void *keeper;
};

/* The pairs as sparse rows: columns 2 f and 2 f + 1 belong to feature f; items follow. Rows are
 * packed, in half the memory of plain columns and values; evidence_rows_read unpacks them. */
struct evidence_rows {
    size_t pairs, features, columns;
    const float *idf;    /* of the features; theirs */
    uint8_t **chunk;     /* the packed rows of consecutive pairs */
    uint32_t *start;     /* of each pair in its chunk */
    struct keytab items; /* key -> column - 2 * features */
};

film_status evidence_rows_collect(struct evidence_rows *rows, const struct encoder *encoder,
                                  const struct evidence_source *source, int threads,
                                  const film_progress *progress, film_error *error);
void evidence_rows_free(struct evidence_rows *rows);

/* Frees the pairs, which only training needs. The meaning of the columns stays, for
 * evidence_from_weights. */
void evidence_rows_free_pairs(struct evidence_rows *rows);

/* Reads a row from its first entry to its last. */
struct evidence_cursor {
    const struct evidence_rows *rows;
    const uint8_t *at;
    int section; /* group of features, or GROUPS: the items */
    uint32_t left, column;
    float factor[2]; /* of the group's shared and unshared features */
};
struct evidence_cursor evidence_rows_open(const struct evidence_rows *rows, size_t i);
/* Reads up to MOST entries; returns their number, fewer than MOST only at the row's end. */
size_t evidence_rows_read(struct evidence_cursor *cursor, size_t most, uint32_t *column,
                          float *value);

struct evidence_options {
    size_t epochs; /* 4 */
    double rate;   /* initial learning rate, decays linearly to 0: 0.1 */
    double ridge;  /* L2 penalty on every weight of a row: 0 */
    double ground; /* initial value of AdaGrad's sums of squares: 1e-8 */
    uint64_t seed;
    size_t fits; /* 1 */
    int threads; /* 1; as threads_count: the number of parallel fits */
};

void evidence_defaults(struct evidence_options *options);

/* The labels of the pairs. */
struct evidence_labels {
    const float *target;      /* in 0 .. 1 */
    const float *weight;      /* of each pair */
    const float *offset;      /* log-odds known beforehand; NULL: 0 */
    const unsigned char *use; /* fits x pairs: whether a fit trains on it; NULL: on all */
};

/* OUT[fit] (columns + 1) receives the weights, the bias last. */
film_status evidence_learn(const struct evidence_rows *rows, const struct evidence_labels *labels,
                           const struct evidence_options *options, float *const *out,
                           film_error *error);

/* The margin of pair I under the weights of evidence_learn. */
double evidence_rows_margin(const struct evidence_rows *rows, const float *weights, size_t i);

/* Builds a model's evidence from those weights; items with a negligible weight are dropped. */
film_status evidence_from_weights(struct evidence *evidence, const struct evidence_rows *rows,
                                  const float *weights, film_error *error);

#endif
