/* Hard negatives: sentences that are close under the current map. */
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

/* For each sentence of the corpus, finds the WIDTH nearest among a random chunk of at most CHUNK
 * sentences, best first; FLAT_NONE where there are fewer. VECTORS (sentences x dim) are normalised
 * in place. NEIGHBOURS is sentences x width. Comparing all with all costs count^2 dim: 40 s for the
 * 165,000 Quora questions, against 4 s with chunks of 16,384. A sample also contains fewer
 * unlabelled duplicates.
 *
 * In a job VECTORS and NEIGHBOURS have rows for the process's own sentences, with global ids. ORDER
 * (corpus_order; NULL in one process) makes the chunks independent of the number of processes. Each
 * chunk's vectors are sent to all processes, 4 dim bytes per sentence, and each process searches
 * them for neighbours of its own sentences. */
film_status hard_negatives_find(const struct corpus *corpus, const struct hard_search *search,
                                float *vectors, uint32_t *neighbours, film_error *error);

#endif
