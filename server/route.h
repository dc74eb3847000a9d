/* The table of routes: which function handles which request. */
#ifndef SERVER_ROUTE_H
#define SERVER_ROUTE_H

#include "fields.h"
#include "service.h"

struct route {
    const char *path;
    const char *summary;        /* as in the documentation and /openapi.json */
    const struct field *fields; /* of the body; NULL: no body */
    void (*answer)(struct worker *worker, const struct request *request, struct response *response);
    int method;
    int open;       /* no token needed */
    int slow;       /* may take milliseconds or more: runs on a work queue */
    int batch;      /* about many sentences: slow, and has its own queue */
    int needs_pool; /* rejected if the server has only a model */
    int writes;     /* changes the pool */
    int bare;       /* needs no model: works before a server with --new has a pool */
    int table;      /* the body is a table, not JSON */
};

/* Returns a route by number; NULL after the last. */
const struct route *route_at(size_t number);

/* Returns "GET" for METHOD_GET. */
const char *route_method_name(int method);

/* Returns the route, or NULL. */
const struct route *route_find(int method, const char *path);

/* Maps a path to its number for metrics (below METRICS_ENDPOINTS), and back (NULL: after the last).
 * All unknown paths share one number. */
size_t route_number(const char *path);
const char *route_path(size_t number);

/* Checks the head of a request: host, path, method, token, content type. Returns its route, or NULL
 * with the error in RESPONSE. */
const struct route *route_admit(const struct service_options *options,
                                const struct request *request, struct response *response);

void route_answer(struct worker *worker, const struct request *request, struct response *response);

/* The tables of routes, each ended by an entry without a path. */
extern const struct route match_routes[], embed_routes[], classify_routes[], pool_routes[],
    review_routes[], learn_routes[], start_routes[], threshold_routes[], clusters_routes[],
    dedup_routes[], edit_routes[], about_routes[];

/* Handles the files of the web page. */
void answer_asset(struct worker *worker, const struct request *request, struct response *response);

#endif
