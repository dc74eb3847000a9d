/* How much of the exact answer a graph finds. */
#ifndef INDEX_RECALL_H
#define INDEX_RECALL_H

#include "index/graph.h"

struct recall {
    double share;   /* of the k best of each query, how many were found */
    size_t queries; /* asked */
};

/* Asks for the k nearest other rows of SAMPLE living rows (drawn with SEED; all when there are
 * fewer) and compares with a scan of all. A row counts as found when its score is as good as the
 * k-th exact one: of equal rows it does not matter which. */
film_status recall_measure(const struct graph_view *view, const float *rows, size_t sample,
                           uint64_t seed, size_t k, size_t ef, int threads, struct recall *out,
                           film_error *error);

/* The same count for answers that are there already: both are COUNT x K scores, falling, with 0
 * where there were fewer; ids GRAPH_NONE mark those. */
size_t recall_count(const uint32_t *exact_id, const float *exact_score, const uint32_t *id,
                    const float *score, size_t count, size_t k, size_t *wanted);

#endif
