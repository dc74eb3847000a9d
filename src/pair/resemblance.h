/* How much two sentences resemble each other, without labels: a fixed line over five traits. It is
 * the decision of a model without labels (learn/prior.h), and part of that of a model with labels
 * where duplicates are looked for in a whole set of sentences (struct pool_rule). */
#ifndef PAIR_RESEMBLANCE_H
#define PAIR_RESEMBLANCE_H

#include "embed/encoder.h"
#include "pair/linear.h"

/* Builds the line; it owns its arrays. */
film_status resemblance_line(struct linear *line, const struct encoder *encoder, film_error *error);

#endif
