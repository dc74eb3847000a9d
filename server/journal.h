/* The request log: a JSON object per line. */
#ifndef SERVER_JOURNAL_H
#define SERVER_JOURNAL_H

#include "message.h"

struct journal {
    const char *path; /* NULL: none; "-": standard output */
    int with_text;    /* bodies too */
    int file;         /* its descriptor */
};

struct journal_entry {
    const char *method;
    const struct request *request;
    const struct response *response;
    size_t answered; /* bytes of the answer */
    double seconds;
};

/* Opens it, or opens it again where it was renamed meanwhile; on failure the old file stays. */
film_status journal_open(struct journal *journal, film_error *error);
void journal_close(struct journal *journal);

/* One line with one write: lines of several threads do not mix. A line that cannot be written is lost,
 * the answer is not. */
void journal_write(const struct journal *journal, const struct journal_entry *entry);

#endif
