/* How much training weight reaches each leaf: what an explanation calls usual
 * (pair/tree_terms.h). */
#ifndef LEARN_TREES_COVER_H
#define LEARN_TREES_COVER_H

#include "pair/trees.h"

/* Sets the covers from the rows a forest was trained on; WEIGHT NULL: each counts 1. The same
 * bits for any number of threads. Only for trees made with trees_init. */
film_status trees_cover(struct trees *trees, const float *x, size_t rows, size_t features,
                        const float *weight, int threads, film_error *error);

#endif
