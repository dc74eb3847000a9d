/* Learning word evidence: logistic loss, AdaGrad, pairs in random order.
 *
 * The items of all pairs are collected once, in parallel, as rows of column numbers; every fit (one for
 * each fold, one for the model) walks over those rows by itself, in one thread: fits run side by side
 * and the result does not depend on the number of threads.
 *
 * In a job every process learns from its own pairs, and several times in an epoch what they have learned is
 * mixed. Of F features and I items a process of N sends, for each fit,
 *     epochs * (8 N * 2 F + 8 I) * 8 bytes. */
#ifndef LEARN_EVIDENCE_FIT_H
#define LEARN_EVIDENCE_FIT_H

#include "base/comm.h"
#include "pair/evidence.h"

/* Where pairs come from. */
struct evidence_source {
    void (*pair)(const void *user, size_t i, film_text *a, film_text *b);
    const void *user;
    size_t count;
    const struct comm *comm; /* every process has pairs of its own */
};

/* The pairs as rows of columns: [2 f], [2 f + 1] of features, then items. */
struct evidence_rows {
    size_t pairs, features, columns;
    uint64_t *start; /* pairs + 1 */
    uint32_t *column;
    float *value;        /* what each counts */
    struct keytab items; /* key -> column - 2 * features; the same in every process */
};

film_status evidence_rows_collect(struct evidence_rows *rows, const struct encoder *encoder,
                                  const struct evidence_source *source, int threads,
                                  const film_progress *progress, film_error *error);
void evidence_rows_free(struct evidence_rows *rows);

/* Frees the pairs, which learning alone reads; what the columns mean stays for evidence_from_weights. */
void evidence_rows_let_go(struct evidence_rows *rows);

struct evidence_options {
    size_t epochs; /* 4 */
    double rate;   /* of the first step, falling to 0 in a straight line: 0.1 */
    double ridge;  /* L2 on every weight met: 0 */
    double ground; /* what AdaGrad's sums of squares start at: 1e-8 */
    uint64_t seed;
    size_t fits; /* 1 */
    int threads; /* 1; as openmp_use: so many fits side by side */
    const struct comm *comm;
};

void evidence_defaults(struct evidence_options *options);

/* What is known of each pair. */
struct evidence_labels {
    const float *target;      /* in 0 .. 1 */
    const float *weight;      /* of the pair */
    const float *offset;      /* log-odds known beforehand; NULL: nothing */
    const unsigned char *use; /* fits x pairs: whether a fit learns from it; NULL: from all */
};

/* OUT[fit] (columns + 1) receives the weights, the bias last; the same in every process. */
film_status evidence_learn(const struct evidence_rows *rows, const struct evidence_labels *labels,
                           const struct evidence_options *options, float *const *out,
                           film_error *error);

/* The margin of pair I under the weights of evidence_learn. */
double evidence_rows_margin(const struct evidence_rows *rows, const float *weights, size_t i);

/* A model's evidence from those weights; items whose weight is nearly nothing are dropped. */
film_status evidence_from_weights(struct evidence *evidence, const struct evidence_rows *rows,
                                  const float *weights, film_error *error);

#endif
