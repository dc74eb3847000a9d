/* State shared by the files of film_pool_check. */
#ifndef POOL_CHECK_H
#define POOL_CHECK_H

#include "pool/pool.h"
#include "film_pool.h"

struct checking {
    film_pool *pool;
    const film_pool_check_options *options;
    film_pool_checked *result;
    struct db *db; /* a reading transaction while checking, the writing one while repairing */
    struct pool_learned *learned; /* NULL when the model is damaged */
    film_model *model;            /* the same */
    size_t dim;
    uint64_t reported;
    /* What can be recomputed: */
    int64_t *vectors; /* sentences whose vector is missing or wrong */
    size_t vector_count, vector_capacity;
    int indexes, orphans, counters; /* found wrong */
    int cache;                      /* the index file next to the pool is damaged */
};

/* Counts a problem and reports the first hundred. */
void check_problem(struct checking *checking, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* check_sentences.c: checks checksums, vectors, and some or all vectors against their texts. Then,
 * for a pool in PostgreSQL, compares the database with its copy. */
film_status check_sentences(struct checking *checking, film_error *error);
film_status check_database_rows(struct checking *checking, film_error *error);

/* check_recall.c: measures the recall of the index against an exact scan. */
film_status check_recall(struct checking *checking, film_error *error);

#endif
