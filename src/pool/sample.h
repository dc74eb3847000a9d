/* A random sample of the sentences of a pool. */
#ifndef POOL_SAMPLE_H
#define POOL_SAMPLE_H

#include "base/rng.h"
#include "pool/batch.h"

/* A random pair is a sentence and one of its three nearest neighbours. Of pairs farther apart,
 * nearly all differ: an answer would teach nothing. */
enum { SAMPLE_NEAREST = 3 };

/* OUT = at most ROOM sentences (id and text), drawn uniformly, in random order. */
film_status sample_sentences(film_pool *pool, struct rng *rng, size_t room, struct batch *out,
                             film_error *error);

#endif
