/* The access log: one JSON object per line. */
#ifndef SERVER_ACCESS_LOG_H
#define SERVER_ACCESS_LOG_H

#include "message.h"

struct access_log {
    const char *path; /* NULL: none; "-": standard output */
    int with_text;    /* log request bodies, too */
    int file;         /* file descriptor */
};

struct access_log_entry {
    const char *method;
    const struct request *request;
    const struct response *response;
    size_t sent; /* bytes of the response body */
    double seconds;
};

/* Opens the log, or reopens it after a rename. On failure the old file stays in use. */
film_status access_log_open(struct access_log *access_log, film_error *error);
void access_log_close(struct access_log *access_log);

/* Writes one line with one write call, so lines of several threads do not mix. A line that cannot
 * be written is lost; the response is not affected. */
void access_log_write(const struct access_log *access_log, const struct access_log_entry *entry);

#endif
