/* The service: the current model or pool, and one worker per thread.
 *
 * service_answer handles a request without sockets, threads or signals; those are in http.c and
 * serve.c. Matching waits for no other thread: a worker has its own context and counters, and other
 * threads lock its mutex only when the model is replaced. */
#ifndef SERVER_SERVICE_H
#define SERVER_SERVICE_H

#include "film_pool.h"
#include "message.h"
#include "metrics.h"
#include "connections.h"
#include "leases.h"
#include "background.h"

#include <pthread.h>
#include <stdatomic.h>

struct service_limits {
    size_t body;     /* bytes of a request */
    size_t buffer;   /* bytes of all requests and responses in memory; at least `body` */
    size_t texts;    /* sentences of a request */
    size_t sentence; /* bytes of a sentence */
    size_t pool;     /* maximum number of sentences in the pool; 0: no limit */
    size_t header;   /* bytes of a request's headers */
    size_t connections;
    size_t queue;    /* requests that wait for a thread, in each queue */
    double timeout;  /* seconds to receive a request, and to send its response */
    double deadline; /* seconds to compute a response, including the wait for a thread */
};

struct service_options {
    const char *path;   /* of the model or pool */
    const char *report; /* an HTML file, or NULL */
    const char *words;  /* a file of word relations, read again at a reload; or NULL */
    const char *token;  /* NULL: no token required */
    const char *const *origins;
    size_t origin_count;
    /* Accept only Host headers that name this machine: protects against DNS rebinding. */
    int local;
    int read_only;
    film_arithmetic arithmetic; /* of the encoder; OWN for a pool that is not read-only */
    const char *start; /* the model of other data that pools and learning begin from; NULL: none */
    int fresh;         /* without a file at `path`, wait for a table to build the pool from */
    int threads;
    /* Learn after this number of new labels, and a tenth of all; 0: only on request. */
    size_t learn_after;
    struct service_limits limits;
};

/* A model or pool as it was opened once. A reload replaces it; the last user closes it. */
struct generation {
    film_model *opened; /* NULL if a pool is served */
    const film_model *model;
    film_pool *pool; /* NULL if only a model is served */
    char *about;     /* film_describe of the model */
    char *report;
    size_t report_length;
    atomic_uint users;
};

/* Why a request is no longer worth computing. */
enum cancel_reason { CANCEL_NONE, CANCEL_STOPPING, CANCEL_LATE, CANCEL_GONE };

struct worker {
    pthread_mutex_t lock; /* held while a request is processed */
    const struct request *request;
    enum cancel_reason cancelled;
    double next_look; /* when to check again whether the client has left */
    struct service *service;
    struct generation *generation;
    film_context *context;
    struct metrics metrics;
    struct worker *next;
};

struct service {
    struct service_options options;
    pthread_mutex_t lock; /* protects `workers`, and taking a reference to `current` */
    struct generation *_Atomic current;
    struct worker *workers;
    struct leases leases; /* pairs that are being reviewed */
    struct background background;
    pthread_mutex_t writing; /* makes checking the pool's size and adding one step */
    atomic_int stopping, in_flight;
    atomic_uint reloads, failed_reloads;
    struct connections_refused away;
    /* Requests that were cancelled because they were late or their client had left, or rejected
     * because a queue or the buffer was full. */
    atomic_uint late, gone, busy;
    atomic_size_t buffered; /* bytes of requests and responses in memory */
    double started;         /* Unix time */
};

film_status service_open(struct service *service, const struct service_options *options,
                         film_error *error);
/* All workers must be idle. */
void service_close(struct service *service);

/* Opens the file again. On failure, the old model or pool stays in use. */
film_status service_reload(struct service *service, film_error *error);

/* Returns whether the pool that is served has got another model (film pool update). Only the thread
 * that reloads calls it. */
int service_outdated(struct service *service);

/* Creates a worker, one per thread; service_close frees it. NULL: out of memory. */
struct worker *service_worker(struct service *service);

/* Builds or maps the index of a pool, before the first search needs it. */
void service_warm_up(struct worker *worker);

/* Handles a request. The caller frees the response. */
void service_answer(struct worker *worker, const struct request *request,
                    struct response *response);

/* Sets the current number of sentences in the pool; 0 without a pool. */
film_status service_pool_size(const struct generation *generation, uint64_t *count,
                              film_error *error);

/* Returns a progress callback that cancels long calls when the server stops. */
film_progress service_progress(struct service *service);

/* Returns whether the worker's request should end: the server stops, the request is late, or its
 * client has left. */
int worker_cancelled(struct worker *worker);

/* Returns a progress callback that cancels a call when worker_cancelled returns 1. */
film_progress worker_progress(struct worker *worker);

/* The same for calls that may build the index of the pool: other requests need the index, too, so
 * building it continues. */
film_progress worker_search_progress(struct worker *worker);

#endif
