/* film serve: a service, its HTTP server, and the signals that stop or reload it. */
#ifndef SERVER_SERVE_H
#define SERVER_SERVE_H

#include "service.h"

struct serve_options {
    const char *listen; /* "HOST:PORT", "[::1]:8080", ":8080"; port 0: any free port */
    const char *log;    /* a file, "-", or NULL */
    int log_text;
    int quiet;
    struct service_options service; /* serve sets `local` */
};

void serve_defaults(struct serve_options *options);

/* Serves until SIGTERM or SIGINT. Messages go to standard error: "listening on
 * http://127.0.0.1:8080". */
film_status serve(const struct serve_options *options, film_error *error);

#endif
