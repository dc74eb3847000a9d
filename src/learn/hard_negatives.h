/* Hard negatives: sentences that lie close under a current map. */
#ifndef LEARN_HARD_NEGATIVES_H
#define LEARN_HARD_NEGATIVES_H

#include "learn/corpus.h"

struct hard_search {
    const uint32_t *order;
    size_t dim, chunk, width;
    uint64_t seed;
    int threads;
    const film_progress *progress;
};

/* For each sentence of the corpus the WIDTH nearest among a random chunk of at most CHUNK of them,
 * best first; FLAT_NONE where there are fewer. VECTORS is sentences x dim, any length; normalised
 * in place. NEIGHBOURS is sentences x width. All against all would cost count^2 dim: 40 s for the
 * 165,000 Quora questions where chunks of 16,384 take 4 and, being a sample, hold fewer duplicates
 * that nobody labelled.
 *
 * In a job VECTORS and NEIGHBOURS are of the process's own sentences, the numbers in them those
 * of all. ORDER (corpus_order; NULL in one process) makes the chunks what they are for one
 * process. A chunk's vectors are sent to all, each process sending 4 dim bytes a sentence, and
 * each looks for those near its own. */
film_status hard_negatives_find(const struct corpus *corpus, const struct hard_search *search,
                                float *vectors, uint32_t *neighbours, film_error *error);

#endif
