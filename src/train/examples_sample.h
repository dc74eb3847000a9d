/* A bounded random sample of the labelled pairs, kept in the model as its examples. */
#ifndef TRAIN_EXAMPLES_SAMPLE_H
#define TRAIN_EXAMPLES_SAMPLE_H

#include "learn/corpus.h"
#include "model/examples.h"

/* At most WANTED of the pairs, each as likely to stay (reservoir sampling by SEED); 0: EXAMPLES
 * is left empty. */
film_status examples_sample(struct examples *examples, const struct corpus *corpus, size_t wanted,
                            uint64_t seed, film_error *error);

#endif
