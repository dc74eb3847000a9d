/* Draws a bounded random sample of the labelled pairs, which the model stores as its examples. */
#ifndef TRAIN_EXAMPLES_SAMPLE_H
#define TRAIN_EXAMPLES_SAMPLE_H

#include "learn/corpus.h"
#include "model/examples.h"

/* Draws at most WANTED pairs with equal probability (reservoir sampling by SEED); 0 leaves EXAMPLES
 * empty. */
film_status examples_sample(struct examples *examples, const struct corpus *corpus, size_t wanted,
                            uint64_t seed, film_error *error);

#endif
