/* What the verbs about duplicates share: rows of a table or JSON lines, and the review. */
#ifndef CLI_DEDUP_H
#define CLI_DEDUP_H

#include "cli.h"
#include "film_pool.h"

/* A table on its way to a file or standard output. */
struct sheet {
    film_output *output;
    int json; /* an object per line instead */
    int first_field;
    film_status status; /* of the first write that failed */
    film_error error;
};

/* NAMES separated by tabs: the header. */
void sheet_open(struct sheet *sheet, const char *path, int json, const char *names);
void sheet_text(struct sheet *sheet, const char *name, film_text text); /* {NULL, 0}: none */
void sheet_number(struct sheet *sheet, const char *name, const char *format, double number);
void sheet_flag(struct sheet *sheet, const char *name, int flag);
void sheet_end_row(struct sheet *sheet);
/* Writes the last of it; the file appears only now. */
film_status sheet_close(struct sheet *sheet, film_status status, film_error *error);

/* What --json says of a job, "" without one: its processes, and the bytes they handed to each
 * other. */
const char *job_figures(uint64_t sent);

/* A pair to be reviewed; copies. */
struct review_pair {
    film_record first, second;
    double probability;
};
struct review {
    struct review_pair *pairs;
    size_t count, capacity;
};

/* A film_duplicate_fn's work: 0, or no memory. */
int review_keep(struct review *review, const film_duplicate *pair);
void review_free(struct review *review);

/* Asks about each pair on the terminal (or whatever standard input is); answers go to POOL. */
film_status review_ask(const struct review *review, film_pool *pool,
                       const film_answer_options *answer, film_error *error);

/* Writes them for film pool label --from. */
film_status review_write(const struct review *review, const char *path, film_error *error);

#endif
