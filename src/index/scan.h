/* Exact nearest neighbours with one byte per dimension: a quarter of the memory traffic of floats.
 *
 * The codes select candidates, float vectors rank them, and a bound on the quantisation error
 * proves that no other row can be among the k best. The rare query without a proof is scanned again
 * with the threshold of the first scan. So the result is that of a float scan, equal scores by
 * ascending id, for any number of threads. */
#ifndef INDEX_SCAN_H
#define INDEX_SCAN_H

#include "base/topk.h"
#include "index/codes.h"

#define SCAN_NONE UINT32_MAX

struct scan {
    struct codes codes;
    const float *rows;   /* count x dim: the vectors that the codes were made from */
    const uint8_t *dead; /* count: non-zero for rows to skip; NULL: none */
    float lost, longest; /* set by scan_init: largest quantisation error, longest decoded row */
};

/* Measures the error of CODES against ROWS (the caller keeps both), which the proof needs. */
film_status scan_init(struct scan *scan, struct codes codes, const float *rows, const uint8_t *dead,
                      int threads, film_error *error);

struct scan_counts {
    size_t again; /* queries that were scanned twice */
};

/* A search for the K nearest rows of each of COUNT vectors. */
struct scan_queries {
    const float *vectors; /* count x dim */
    size_t count, k;
};

/* OUT's id and score (may be NULL) are count x k, best first. With fewer than k rows, the remaining
 * ids are SCAN_NONE. COUNTS may be NULL. */
film_status scan_search(const struct scan *scan, const struct scan_queries *queries, int threads,
                        const film_progress *progress, const struct nearest *out,
                        struct scan_counts *counts, film_error *error);

#endif
