/* Recall of a graph search against the exact result. */
#ifndef INDEX_RECALL_H
#define INDEX_RECALL_H

#include "index/graph.h"

struct recall {
    double share;   /* share of the k best of each query that were found */
    size_t queries; /* number of queries */
};

/* Searches the k nearest other rows of SAMPLE living rows (drawn with SEED; all when there are
 * fewer) and compares them with an exact scan. A row counts as found when its score is as good as
 * the k-th exact one, because equal rows are interchangeable. */
film_status recall_measure(const struct graph_view *view, const float *rows, size_t sample,
                           uint64_t seed, size_t k, size_t ef, int threads, struct recall *out,
                           film_error *error);

/* The same count for existing results: COUNT x K scores each, descending. Missing results have
 * score 0 and id GRAPH_NONE. */
size_t recall_count(const uint32_t *exact_id, const float *exact_score, const uint32_t *id,
                    const float *score, size_t count, size_t k, size_t *wanted);

#endif
