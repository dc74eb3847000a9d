/* The request log: a JSON object per line. */
#ifndef SERVER_ACCESS_LOG_H
#define SERVER_ACCESS_LOG_H

#include "message.h"

struct access_log {
    const char *path; /* NULL: none; "-": standard output */
    int with_text;    /* bodies too */
    int file;         /* its descriptor */
};

struct access_log_entry {
    const char *method;
    const struct request *request;
    const struct response *response;
    size_t answered; /* bytes of the answer */
    double seconds;
};

/* Opens it, or opens it again where it was renamed meanwhile; on failure the old file stays. */
film_status access_log_open(struct access_log *access_log, film_error *error);
void access_log_close(struct access_log *access_log);

/* One line with one write: lines of several threads do not mix. A line that cannot be written is
 * lost, the answer is not. */
void access_log_write(const struct access_log *access_log, const struct access_log_entry *entry);

#endif
