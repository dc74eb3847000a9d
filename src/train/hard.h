/* Hard negatives: sentences that lie close under a current map. */
#ifndef TRAIN_HARD_H
#define TRAIN_HARD_H

#include "base/status.h"

#include <stdint.h>

/* For each of COUNT vectors (count x dim, any length; normalised in place) its WIDTH nearest among a random
 * chunk of at most CHUNK of them, best first; FLAT_NONE where there are fewer. NEIGHBOURS is
 * count x width. All against all would cost count^2 dim: 40 s for the 165,000 Quora questions where
 * chunks of 16,384 take 4 and, being a sample, hold fewer duplicates that nobody labelled. */
film_status hard_neighbours(float *vectors, size_t count, size_t dim, size_t chunk, size_t width,
                            uint64_t seed, int threads, const film_progress *progress,
                            uint32_t *neighbours, film_error *error);

#endif
