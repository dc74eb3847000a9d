/* Computes the cover of each leaf: the training weight that reaches it. Explanations use it as the
 * baseline (pair/tree_terms.h). */
#ifndef LEARN_TREES_COVER_H
#define LEARN_TREES_COVER_H

#include "learn/boosting.h"

/* Sets the covers from the rows that TREES were trained on; WEIGHT NULL: 1 each. The result does
 * not depend on the number of threads, to the last bit. Only for trees made with trees_init. */
film_status trees_cover(struct trees *trees, const struct boosting_data *data, size_t features,
                        int threads, film_error *error);

#endif
