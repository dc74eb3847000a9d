/* The stored training examples nearest to a pair. Their vectors are computed on first use: a
 * context that never explains does not pay for them, and no file stores them. */
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

/* Zero-initialise all but EXAMPLES. */
struct nearest_examples {
    const struct examples *examples; /* NULL: none */
    struct feature_row row;          /* scratch */
    int ready;                       /* the vectors are computed */
    float *vectors;                  /* 2 count x dim; NULL without a map */
    struct nearest_rows rows;        /* without a map: 2 count sparse rows */
    film_example list[NEAREST_MOST];
    size_t count;
};

void nearest_free(struct nearest_examples *nearest);

/* Finds the examples nearest to the pair that was read. The measure is the mean similarity of the
 * sentences, in whichever order of the example is nearer. */
film_status nearest_find(struct nearest_examples *nearest, const struct reading *reading,
                         film_error *error);

#endif
