/* Finding the duplicate of a question in a pool: the first question of each duplicate pair searches
 * for the second among all sentences. */
#ifndef EVAL_RETRIEVAL_H
#define EVAL_RETRIEVAL_H

#include "eval/knn.h"

struct retrieval {
    size_t queries, pool;
    double r1, r10,
        /* share of queries with their partner among the first 1, 10, 36; NaN: no queries */
        r36;
    double mrr;     /* mean of 1 / rank */
    uint32_t *rank; /* by query; ties count against it */
};

/* POOL: normalised vectors of the distinct sentences; those of the pairs have numbers. Only pairs
 * with label 1 and two different sentences count, and of these the first LIMIT (0: all). */
film_status retrieval_measure(struct retrieval *retrieval, const struct flat *pool,
                              const struct labelled_ids *pairs, size_t limit, int threads,
                              const film_progress *progress, film_error *error);
void retrieval_free(struct retrieval *retrieval);

#endif
