/* A batch of sentences to be added to a pool: copies of table rows, with their line numbers. */
#ifndef POOL_BATCH_H
#define POOL_BATCH_H

#include "film_pool.h"
#include "base/status.h"

struct batch_block;

struct batch {
    film_sentence *rows;
    uint64_t *lines; /* line in the file, from 1 */
    size_t count, capacity, lines_capacity;
    size_t bytes;               /* of all texts */
    struct batch_block *blocks; /* memory of the texts; addresses are stable */
};

/* Adds a copy of SENTENCE and all its texts. */
film_status batch_add(struct batch *batch, const film_sentence *sentence, uint64_t line,
                      film_error *error);
/* Keeps the arrays for the next batch. */
void batch_clear(struct batch *batch);
void batch_free(struct batch *batch);

#endif
