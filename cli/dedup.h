/* Shared by film dedup and film link: figures of a job, and the review. */
#ifndef CLI_DEDUP_H
#define CLI_DEDUP_H

#include "cli.h"
#include "film_pool.h"
#include "sheet.h"

/* Returns JSON members with the number of processes and the bytes they sent to each other; ""
 * without an MPI job. */
const char *job_figures(uint64_t sent);

/* A pair to review. Owns copies of its texts. */
struct review_pair {
    film_record first, second;
    double probability;
};
struct review {
    struct review_pair *pairs;
    size_t count, capacity;
};

/* Adds a copy of PAIR. Returns 0, or 1 without memory. */
int review_add(struct review *review, const film_duplicate *pair);
void review_free(struct review *review);

/* Asks about each pair, reads answers from standard input and stores them as labels of POOL. */
film_status review_next(const struct review *review, film_pool *pool,
                        const film_answer_options *answer, film_error *error);

/* Writes the pairs as a table for film pool label --from. */
film_status review_write(const struct review *review, const char *path, film_error *error);

#endif
