/* Which function answers what, and what is refused before any of them is asked. */
#ifndef SERVER_ROUTE_H
#define SERVER_ROUTE_H

#include "fields.h"
#include "service.h"

struct route {
    int method;
    const char *path;
    const char *summary;        /* as the documentation and /openapi.json have it */
    const struct field *fields; /* of the body; NULL: there is no body */
    void (*answer)(struct worker *worker, const struct request *request, struct response *response);
    int open; /* no token needed */
    int slow; /* may take milliseconds or more: not to be done by a thread that serves sockets */
    int needs_pool; /* refused where a bare model is served */
    int writes;     /* changes the pool */
};

/* The routes by number, NULL past the last. */
const struct route *route_at(size_t number);

/* "GET" for METHOD_GET. */
const char *route_method_name(int method);

/* NULL: there is none. */
const struct route *route_find(int method, const char *path);

/* A number for the route's path below METRICS_ENDPOINTS, and the path of such a number (NULL: past
 * the last). Everything unknown is one. */
size_t route_number(const char *path);
const char *route_path(size_t number);

void route_answer(struct worker *worker, const struct request *request, struct response *response);

/* The routes of the files that answer, each ended by one without a path. */
extern const struct route match_routes[], pool_routes[], dedup_routes[], about_routes[];

/* The files of the page. */
void answer_asset(struct worker *worker, const struct request *request, struct response *response);

#endif
