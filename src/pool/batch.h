/* Sentences on their way into a pool: copied out of a table's rows, with where they came from. */
#ifndef POOL_BATCH_H
#define POOL_BATCH_H

#include "film_pool.h"
#include "base/status.h"

struct batch_block;

struct batch {
    film_sentence *rows;
    uint64_t *lines; /* where in the file; counted from 1 */
    size_t count, capacity, lines_capacity;
    size_t bytes;               /* of all texts */
    struct batch_block *blocks; /* where the texts lie; their addresses stay */
};

/* A copy of SENTENCE and all its texts. */
film_status batch_add(struct batch *batch, const film_sentence *sentence, uint64_t line,
                      film_error *error);
void batch_clear(struct batch *batch); /* keeps the arrays for the next batch */
void batch_free(struct batch *batch);

#endif
