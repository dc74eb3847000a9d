/* What the parts of film_pool_check share. */
#ifndef POOL_CHECK_H
#define POOL_CHECK_H

#include "pool/pool.h"
#include "film_pool.h"

struct checking {
    film_pool *pool;
    const film_pool_check_options *options;
    film_pool_checked *result;
    struct db *db;     /* a reading transaction while looking, the writing one while repairing */
    film_model *model; /* NULL when it is damaged itself */
    uint64_t told;
    /* What can be computed again: */
    int64_t *vectors; /* sentences whose vector is missing or wrong */
    size_t vector_count, vector_capacity;
    int indexes, orphans, counters; /* found wrong */
    int cache;                      /* the index beside the pool is damaged */
};

/* Counts a problem, and tells the first hundred. */
void check_problem(struct checking *checking, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* check_sentences.c: checksums, vectors, and some or all vectors against their texts. Then, of a
 * pool in PostgreSQL, what lies there against its copy. */
film_status check_sentences(struct checking *checking, film_error *error);
film_status check_database_rows(struct checking *checking, film_error *error);

/* check_recall.c: how much of the exact answer the index finds. */
film_status check_recall(struct checking *checking, film_error *error);

#endif
