/* The review of film dedup. */
#ifndef CLI_REVIEW_H
#define CLI_REVIEW_H

#include "cli.h"
#include "film_pool.h"
#include "sheet.h"

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
