/* A request and its answer, without sockets: what comes in is bytes, what goes out is bytes. */
#ifndef SERVER_MESSAGE_H
#define SERVER_MESSAGE_H

#include "bytes.h"

enum { METHOD_GET, METHOD_POST, METHOD_DELETE, METHOD_OPTIONS, METHOD_OTHER };

/* Headers that are not there are NULL. */
struct request {
    int method; /* HEAD is METHOD_GET: who sends the answer leaves its body out */
    const char *path;
    const char *host, *origin, *authorization, *content_type, *if_none_match;
    film_text body;
};

struct response {
    unsigned status;
    const char *type;  /* of the content; NULL: none */
    struct bytes body; /* what was written for this answer, or */
    char *given;       /* what the library wrote, given_length bytes, or */
    size_t given_length;
    film_text lasting;  /* what lives as long as the service */
    const char *etag;   /* NULL: not to be kept by anyone */
    const char *policy; /* Content-Security-Policy */
    const char *allow;  /* methods, with 405 and OPTIONS */
    const char *origin; /* who else may read it: the Access-Control headers; NULL: nobody */
    int preflight;      /* ... as the answer to a preflight */
    int challenge;      /* WWW-Authenticate: Bearer */
    int retry;          /* Retry-After: 1 */
};

/* Makes RESPONSE an error with this message; returns 0, so that a reader of requests can say
 * `return response_error(...)`. */
int response_error(struct response *response, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A call of the library that failed: what is wrong with the request is 400, the rest 500 and the
 * like. */
int response_failure(struct response *response, film_status status, const film_error *error);

/* What is sent: whichever of the three there is. */
film_text response_content(const struct response *response);

void response_free(struct response *response);

#endif
