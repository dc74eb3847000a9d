/* Exact nearest neighbours read from one byte per dimension: a quarter of the memory traffic of
 * floats.
 *
 * The bytes choose candidates, float vectors rank them, and a bound on what the bytes lost proves
 * that nothing else can be among the k best; the rare query without a proof is scanned a second
 * time with the threshold the first gave. So the answer is that of a float scan, of equal scores
 * the lower id, and the same for every number of threads. */
#ifndef INDEX_SCAN_H
#define INDEX_SCAN_H

#include "base/topk.h"
#include "index/codes.h"

#define SCAN_NONE UINT32_MAX

struct scan {
    struct codes codes;
    const float *rows;   /* count x dim: what the codes were made from */
    const uint8_t *dead; /* count: rows to pass over where not 0; NULL: none */
    float lost, longest; /* of scan_init: most that a row lost, longest decoded row */
};

/* Measures how far CODES are from ROWS (both stay the caller's), which the proof needs. */
film_status scan_init(struct scan *scan, struct codes codes, const float *rows, const uint8_t *dead,
                      int threads, film_error *error);

struct scan_counts {
    size_t again; /* queries that were scanned twice */
};

/* The K nearest rows of each of COUNT vectors are wanted. */
struct scan_queries {
    const float *vectors; /* count x dim */
    size_t count, k;
};

/* OUT's id and score (may be NULL) are count x k, best first; where there are fewer than k rows the rest is SCAN_NONE. COUNTS may be NULL. */
film_status scan_search(const struct scan *scan, const struct scan_queries *queries, int threads,
                        const film_progress *progress, const struct nearest *out,
                        struct scan_counts *counts, film_error *error);

#endif
