/* A request and its response as plain bytes, without sockets. */
#ifndef SERVER_MESSAGE_H
#define SERVER_MESSAGE_H

#include "bytes.h"

enum { METHOD_GET, METHOD_POST, METHOD_DELETE, METHOD_OPTIONS, METHOD_OTHER };

/* Missing headers are NULL. */
struct request {
    int method; /* HEAD is METHOD_GET; libmicrohttpd omits the body */
    const char *path;
    const char *host, *origin, *authorization, *content_type, *if_none_match;
    const char *number; /* the parameter n of the address, ?n=10 */
    film_text body;
    size_t longest;  /* bytes of a string in the body; 0: no limit */
    double deadline; /* when the response must be ready, by clock_seconds(); 0: never */
    int socket;      /* of the client, to notice that it has left; 0: none */
};

struct response {
    const film_model *model; /* whose fields the records of the request have; NULL: any */
    unsigned status;
    const char *type;  /* of the content; NULL: none */
    struct bytes body; /* the body: written here, or */
    char *given;       /* allocated by the library, given_length bytes, or */
    size_t given_length;
    film_text lasting;  /* static, lives as long as the service */
    const char *etag;   /* NULL: must not be cached */
    const char *policy; /* Content-Security-Policy */
    const char *allow;  /* methods, with 405 and OPTIONS */
    const char *origin; /* Access-Control-Allow-Origin; NULL: none */
    int preflight;      /* this is the response to a CORS preflight */
    int challenge;      /* WWW-Authenticate: Bearer */
    int retry;          /* Retry-After: 1 */
};

/* Makes RESPONSE an error with this message. Returns 0, so that callers can write
 * `return response_error(...)`. */
int response_error(struct response *response, unsigned status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Makes RESPONSE the error of a failed library call: 400 for bad requests, otherwise 403 or 5xx.
 * Returns 0. */
int response_failure(struct response *response, film_status status, const film_error *error);

/* Returns the body, from whichever of the three is set. */
film_text response_content(const struct response *response);

void response_free(struct response *response);

#endif
