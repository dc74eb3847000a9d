/* The kept examples nearest to a pair. Their vectors are made when first asked for: a context that
 * never explains does not pay for them, and no file has to hold them. */
#ifndef EXPLAIN_NEAREST_H
#define EXPLAIN_NEAREST_H

#include "film_explain.h"
#include "model/examples.h"
#include "pair/reading.h"

enum { NEAREST_MOST = 3 };

/* Sparse rows: row i is entries start[i] .. start[i + 1]. */
struct nearest_rows {
    size_t *start;
    uint32_t *id;
    float *value;
    size_t id_capacity, value_capacity;
};

/* Zero-initialised but for EXAMPLES. */
struct nearest {
    const struct examples *examples; /* NULL: none */
    struct feature_row row;          /* scratch */
    int ready;                       /* the vectors are there */
    float *vectors;                  /* 2 count x dim; NULL without a map: */
    struct nearest_rows rows;        /* 2 count sparse rows */
    film_example list[NEAREST_MOST];
    size_t count;
};

void nearest_free(struct nearest *nearest);

/* Of the pair that was read. How near: the mean similarity of the sentences, each with one of the
 * other pair, whichever way round is nearer. */
film_status nearest_find(struct nearest *nearest, const struct reading *reading, film_error *error);

#endif
