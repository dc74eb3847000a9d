/* Which function answers what, and what is refused before any of them is asked. */
#ifndef SERVER_ROUTE_H
#define SERVER_ROUTE_H

#include "service.h"

struct route {
    int method;
    const char *path;
    void (*answer)(struct worker *worker, const struct request *request, struct response *response);
    int open;  /* no token needed */
    int slow;  /* may take milliseconds or more: not to be done by a thread that serves sockets */
    int pool;  /* needs one */
    int write; /* changes it */
};

/* NULL: there is none. */
const struct route *route_find(int method, const char *path);

/* A number for the route's path below METRICS_ENDPOINTS, and the path of such a number (NULL: past
 * the last). Everything unknown is one. */
size_t route_number(const char *path);
const char *route_path(size_t number);

void route_answer(struct worker *worker, const struct request *request, struct response *response);

/* The routes' functions, by the file that holds them. */
void answer_match(struct worker *worker, const struct request *request, struct response *response);
void answer_predict(struct worker *worker, const struct request *request,
                    struct response *response);
void answer_explain(struct worker *worker, const struct request *request,
                    struct response *response);
void answer_embed(struct worker *worker, const struct request *request, struct response *response);
void answer_search(struct worker *worker, const struct request *request, struct response *response);
void answer_add(struct worker *worker, const struct request *request, struct response *response);
void answer_remove(struct worker *worker, const struct request *request, struct response *response);
void answer_dedup(struct worker *worker, const struct request *request, struct response *response);
void answer_model(struct worker *worker, const struct request *request, struct response *response);
void answer_health(struct worker *worker, const struct request *request, struct response *response);
void answer_metrics(struct worker *worker, const struct request *request,
                    struct response *response);
void answer_report(struct worker *worker, const struct request *request, struct response *response);
void answer_asset(struct worker *worker, const struct request *request, struct response *response);

#endif
