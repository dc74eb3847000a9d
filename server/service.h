/* What answers: the model or pool of the moment, and one worker per thread that asks it.
 *
 * A request is answered by service_answer, a function of the request alone: sockets, threads and
 * signals are around it (http.c, serve.c). Matching takes no lock that another thread wants: a
 * worker has its own context and counters, and its own mutex is touched by others only while the
 * model is exchanged. */
#ifndef SERVER_SERVICE_H
#define SERVER_SERVICE_H

#include "film_pool.h"
#include "message.h"
#include "metrics.h"
#include "connections.h"

#include <pthread.h>
#include <stdatomic.h>

struct service_limits {
    size_t body;   /* bytes of a request */
    size_t texts;  /* sentences of a request */
    size_t pool;   /* sentences a pool may grow to; 0: any number */
    size_t header; /* bytes of a request's head */
    size_t connections;
    double timeout; /* seconds for a request to arrive, and for its answer to be taken */
};

struct service_options {
    const char *path;   /* of the model or pool */
    const char *report; /* an HTML file, or NULL */
    const char *token;  /* NULL: none is asked for */
    const char *const *origins;
    size_t origin_count;
    /* answer only to names of this machine (Host), so that no page can reach it by a DNS trick */
    int local;
    int read_only;
    int threads;
    struct service_limits limits;
};

/* A model or pool as it was opened once. A newer one replaces it; the last worker that lets go
 * closes it. */
struct generation {
    film_model *opened; /* NULL where a pool is served */
    const film_model *model;
    film_pool *pool; /* NULL where a bare model is served */
    char *about;     /* film_describe of the model */
    char *report;
    size_t report_length;
    atomic_uint users;
};

struct worker {
    pthread_mutex_t lock; /* held while a request is answered */
    struct service *service;
    struct generation *generation;
    film_context *context;
    struct metrics metrics;
    struct worker *next;
};

struct service {
    struct service_options options;
    pthread_mutex_t lock; /* of `workers`, and of taking `current` */
    struct generation *_Atomic current;
    struct worker *workers;
    pthread_mutex_t writing; /* looking at the pool's size and adding are one step */
    atomic_int stopping, in_flight;
    atomic_uint reloads, failed_reloads;
    struct connections_refused away;
    double started; /* Unix time */
};

film_status service_open(struct service *service, const struct service_options *options,
                         film_error *error);
void service_close(struct service *service); /* nobody answers any more */

/* Opens the file again. When it cannot be used the old one keeps answering. */
film_status service_reload(struct service *service, film_error *error);

/* One per thread, freed with the service; NULL: no memory. */
struct worker *service_worker(struct service *service);

/* Makes or maps the index of a pool, before somebody waits for it. */
void service_warm_up(struct worker *worker);

/* The answer to a request. Free the response. */
void service_answer(struct worker *worker, const struct request *request,
                    struct response *response);

/* Sentences of the pool as it is now; 0 where there is none. */
film_status service_pool_size(const struct generation *generation, uint64_t *count,
                              film_error *error);

/* What long calls ask: does the server stop? */
film_progress service_progress(struct service *service);

#endif
