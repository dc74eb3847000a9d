/* Shared by film dedup and film link: output as a table or JSON lines, and the review. */
#ifndef CLI_DEDUP_H
#define CLI_DEDUP_H

#include "cli.h"
#include "film_pool.h"

/* A table that is being written to a file or standard output. */
struct sheet {
    film_output *output;
    int json; /* write an object per line instead */
    int first_field;
    film_status status; /* of the first failed write */
    film_error error;
};

/* Opens the output and writes the header: NAMES, separated by tabs. */
void sheet_open(struct sheet *sheet, const char *path, int json, const char *names);
void sheet_text(struct sheet *sheet, const char *name, film_text text); /* {NULL, 0}: none */
void sheet_number(struct sheet *sheet, const char *name, const char *format, double number);
void sheet_flag(struct sheet *sheet, const char *name, int flag);
void sheet_end_row(struct sheet *sheet);
/* Completes the output. The file appears only now. */
film_status sheet_close(struct sheet *sheet, film_status status, film_error *error);

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
