/* Owns the current model or pool and one worker per thread. Replaces the model under load, without
 * a lock that a match would wait for. */
#include "service.h"
#include "clock.h"
#include "route.h"
#include "terminal_text.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* glibc keeps freed memory for later allocations; this returns it to the system. */
#ifdef __GLIBC__
#include <malloc.h>
#define MALLOC_TRIM() malloc_trim(0)
#else
#define MALLOC_TRIM() (void)0
#endif

/* A request with a larger body may leave a context with much scratch memory behind. */
enum { LARGE_SCRATCH = 1 << 20 };

static film_status failed(film_error *error, film_status status, const char *what, const char *path)
{
    error->status = status;
    if (status == FILM_NO_MEMORY)
        snprintf(error->message, sizeof error->message, "out of memory");
    else
        snprintf(error->message, sizeof error->message, "%s %s: %s", what, path, strerror(errno));
    return status;
}

/* ---- generations ---- */

static void generation_free(struct generation *generation)
{
    if (!generation) return;
    film_pool_close(generation->pool);
    film_close(generation->opened);
    film_free(generation->about);
    free(generation->report);
    free(generation);
}

static void generation_release(struct generation *generation)
{
    if (generation && atomic_fetch_sub(&generation->users, 1) == 1) generation_free(generation);
}

/* Detects a pool: a SQLite file, recognised by its first bytes, or the URI of a database. */
static film_status is_pool(const char *path, int *pool, film_error *error)
{
    static const char magic[] = "SQLite format 3";
    char start[sizeof magic];
    *pool = film_pool_is_uri(path);
    if (*pool) return FILM_OK;
    FILE *file = fopen(path, "rb");
    if (!file) return failed(error, FILM_IO, "cannot open", path);
    *pool = fread(start, 1, sizeof start, file) == sizeof start &&
            memcmp(start, magic, sizeof magic) == 0;
    fclose(file);
    return FILM_OK;
}

/* Prints events of the pool's database to standard error. */
static void print_event(void *user, const char *line)
{
    (void)user;
    print_clean(stderr, "film: %s\n", line);
}

static film_status read_report(struct generation *generation, const char *path, film_error *error)
{
    struct bytes report = {.data = NULL};
    if (!path) return FILM_OK;
    FILE *file = fopen(path, "rb");
    if (!file) return failed(error, FILM_IO, "cannot open", path);
    while (!feof(file) && !ferror(file) && bytes_reserve(&report, 65536))
        report.length += fread(report.data + report.length, 1, 65536, file);
    int bad = ferror(file);
    fclose(file);
    generation->report = report.data;
    generation->report_length = report.length;
    if (report.failed) return failed(error, FILM_NO_MEMORY, NULL, NULL);
    return bad ? failed(error, FILM_IO, "cannot read", path) : FILM_OK;
}

/* CURRENT is the generation in use, or NULL. Its pool file must not be opened directly: closing the
 * file would release SQLite's POSIX locks of this process. */
static film_status generation_open(const struct service_options *options,
                                   const struct generation *current, struct generation **out,
                                   film_error *error)
{
    int pool = current && current->pool;
    int waits = options->fresh && !pool && access(options->path, F_OK) != 0;
    film_status status = pool || waits ? FILM_OK : is_pool(options->path, &pool, error);
    if (status != FILM_OK) return status;
    struct generation *generation = calloc(1, sizeof *generation);
    if (!generation) return failed(error, FILM_NO_MEMORY, NULL, NULL);
    atomic_init(&generation->users, 1);
    if (waits) { /* for a table */
        *out = generation;
        return FILM_OK;
    }
    status = pool ? film_pool_open(options->path, &generation->pool, error)
                  : film_open_private(options->path, &generation->opened, error);
    if (status == FILM_OK)
        status = pool ? film_pool_set_arithmetic(generation->pool, options->arithmetic, error)
                      : film_set_arithmetic(generation->opened, options->arithmetic, error);
    if (status == FILM_OK && options->words)
        status = pool ? film_pool_set_words(generation->pool, options->words, error)
                      : film_add_words(generation->opened, options->words, error);
    generation->model = generation->opened;
    if (status == FILM_OK && pool)
        status = film_pool_follow(generation->pool, print_event, NULL, error);
    if (status == FILM_OK && pool)
        status = film_pool_model(generation->pool, &generation->model, error);
    if (status == FILM_OK) status = film_describe(generation->model, &generation->about, error);
    if (status == FILM_OK) status = read_report(generation, options->report, error);
    if (status == FILM_OK)
        *out = generation;
    else
        generation_free(generation);
    return status;
}

static int enough(void *user, const film_found *found)
{
    (void)user;
    (void)found;
    return 1;
}

/* Runs a search: the first one builds or maps the index. */
static void generation_warm_up(struct generation *generation, struct service *service)
{
    film_search_options options = {.size = sizeof options};
    if (!generation->pool) return;
    options.k = options.candidates = 1;
    options.answer.threads = service->options.threads;
    options.progress = service_progress(service);
    film_pool_search(generation->pool, film_string("?"), &options, enough, NULL, NULL);
}

/* ---- workers ---- */

static void worker_release(struct worker *worker)
{
    film_context_free(worker->context);
    generation_release(worker->generation);
    worker->context = NULL;
    worker->generation = NULL;
}

/* Switches the worker to the current generation, with a context for it. Returns 0 if memory runs
 * out. */
static int worker_update(struct worker *worker)
{
    struct service *service = worker->service;
    if ((worker->context || (worker->generation && !worker->generation->model)) &&
        worker->generation == atomic_load(&service->current))
        return 1;
    worker_release(worker);
    pthread_mutex_lock(&service->lock);
    worker->generation = atomic_load(&service->current);
    atomic_fetch_add(&worker->generation->users, 1);
    pthread_mutex_unlock(&service->lock);
    return !worker->generation->model ||
           film_context_new(worker->generation->model, &worker->context, NULL) == FILM_OK;
}

/* Releases an outdated generation as soon as it is unused. The worker does it after its request, or
 * the reload does it if the worker is idle. Whichever runs second releases it. */
static void worker_drop_old(struct worker *worker)
{
    if (pthread_mutex_trylock(&worker->lock) != 0)
        return; /* busy: it checks again after its request */
    if (worker->generation != atomic_load(&worker->service->current)) worker_release(worker);
    pthread_mutex_unlock(&worker->lock);
}

struct worker *service_worker(struct service *service)
{
    struct worker *worker = calloc(1, sizeof *worker);
    if (!worker) return NULL;
    pthread_mutex_init(&worker->lock, NULL);
    worker->service = service;
    pthread_mutex_lock(&service->lock);
    worker->next = service->workers;
    service->workers = worker;
    pthread_mutex_unlock(&service->lock);
    return worker;
}

void service_warm_up(struct worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    if (worker_update(worker)) generation_warm_up(worker->generation, worker->service);
    pthread_mutex_unlock(&worker->lock);
    worker_drop_old(worker);
}

/* Replaces the response of a cancelled call, which says that the server is stopping. */
static void explain_cancel(struct worker *worker, struct response *response)
{
    struct service *service = worker->service;
    if (worker->cancelled == CANCEL_GONE) {
        atomic_fetch_add(&service->gone, 1);
        response_error(response, 503, "the client closed the connection");
    } else if (worker->cancelled == CANCEL_LATE) {
        atomic_fetch_add(&service->late, 1);
        response->retry = 1;
        response_error(response, 503,
                       "no response within %g seconds (--deadline); send a smaller request or "
                       "try again later",
                       service->options.limits.deadline);
    }
}

/* One response must not take the memory of all others: it is kept until the client has read it, and
 * a client may read slowly. */
static size_t longest_response(const struct service *service)
{
    return service->options.limits.buffer / 4;
}

/* Replaces a response that could not be written whole. */
static void check_length(const struct service *service, struct response *response)
{
    size_t most = longest_response(service);
    if (response->body.full || (response->given && response->given_length > most))
        response_error(response, 413,
                       "the response would have more than %zu bytes, a quarter of --max-buffer; "
                       "ask for fewer results or reasons, or send fewer or shorter sentences",
                       most);
    else if (response->body.failed)
        response_error(response, 503, "out of memory; send a smaller request");
}

void service_answer(struct worker *worker, const struct request *request, struct response *response)
{
    struct service *service = worker->service;
    *response = (struct response){.status = 200, .body = {.limit = longest_response(service)}};
    pthread_mutex_lock(&worker->lock);
    struct generation *generation = NULL;
    worker->request = request;
    worker->cancelled = CANCEL_NONE;
    worker->next_look = 0;
    /* A request may be late, or its client may have left, after a wait in a queue. */
    if (worker_cancelled(worker) && worker->cancelled != CANCEL_STOPPING) {
        response_error(response, 503, "cancelled");
    } else if (worker_update(worker)) {
        generation = worker->generation;
        route_answer(worker, request, response);
    } else {
        response_error(response, 503, "out of memory");
    }
    check_length(service, response);
    if (response->status == 503) explain_cancel(worker, response);
    worker->request = NULL;
    /* The scratch memory of a context grows with the longest sentence. */
    if (request->body.length > LARGE_SCRATCH) {
        worker_release(worker);
        MALLOC_TRIM();
    }
    pthread_mutex_unlock(&worker->lock);
    if (generation != atomic_load(&service->current)) worker_drop_old(worker);
}

/* ---- the service ---- */

film_status service_open(struct service *service, const struct service_options *options,
                         film_error *error)
{
    struct generation *generation = NULL;
    struct timespec now;
    memset(service, 0, sizeof *service);
    clock_gettime(CLOCK_REALTIME, &now);
    service->options = *options;
    service->started = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    film_status status = generation_open(options, NULL, &generation, error);
    if (status != FILM_OK) return status;
    atomic_init(&service->current, generation);
    pthread_mutex_init(&service->lock, NULL);
    pthread_mutex_init(&service->writing, NULL);
    leases_open(&service->leases);
    background_open(&service->background);
    return FILM_OK;
}

void service_close(struct service *service)
{
    struct worker *next;
    for (struct worker *worker = service->workers; worker; worker = next) {
        next = worker->next;
        worker_release(worker);
        pthread_mutex_destroy(&worker->lock);
        free(worker);
    }
    generation_release(atomic_load(&service->current));
    pthread_mutex_destroy(&service->lock);
    pthread_mutex_destroy(&service->writing);
    leases_close(&service->leases);
    background_close(&service->background);
}

/* Rejects a reload if another file has replaced the open pool: the log of the old pool is still
 * next to it. film_pool_open notices this only if it can see the locks of other processes, which a
 * systemd unit with ProcSubset=pid prevents. Only this thread replaces generations. */
static film_status check_replaced(struct service *service, film_error *error)
{
    const char *path = service->options.path;
    const struct generation *current = atomic_load(&service->current);
    if (!film_pool_replaced(current->pool, path)) return FILM_OK;
    snprintf(error->message, sizeof error->message,
             "%s has been replaced while it is being served; stop the server, remove "
             "%s-wal and %s-shm, then start it again",
             path, path, path);
    return error->status = FILM_IO;
}

film_status service_reload(struct service *service, film_error *error)
{
    struct generation *fresh = NULL;
    film_status status = check_replaced(service, error);
    if (status == FILM_OK)
        status = generation_open(&service->options, atomic_load(&service->current), &fresh, error);
    if (status != FILM_OK) {
        atomic_fetch_add(&service->failed_reloads, 1);
        return status;
    }
    pthread_mutex_lock(&service->lock);
    struct generation *old = atomic_exchange(&service->current, fresh);
    struct worker *workers = service->workers; /* workers created later use the fresh one */
    pthread_mutex_unlock(&service->lock);
    atomic_fetch_add(&service->reloads, 1);
    generation_release(old);
    for (struct worker *worker = workers; worker; worker = worker->next) worker_drop_old(worker);
    return FILM_OK;
}

int service_outdated(struct service *service)
{
    const struct generation *current = atomic_load(&service->current);
    if (!current->model) return access(service->options.path, F_OK) == 0;
    return current->pool && film_pool_outdated(current->pool, current->model);
}

film_status service_pool_size(const struct generation *generation, uint64_t *count,
                              film_error *error)
{
    char *about = NULL;
    *count = 0;
    if (!generation->pool) return FILM_OK;
    film_status status = film_pool_describe_json(generation->pool, &about, error);
    if (status != FILM_OK) return status;
    json_t *object = json_loads(about, 0, NULL);
    if (!object) status = error ? failed(error, FILM_NO_MEMORY, NULL, NULL) : FILM_NO_MEMORY;
    *count = (uint64_t)json_integer_value(json_object_get(object, "sentences"));
    json_decref(object);
    film_free(about);
    return status;
}

/* ---- cancelling ---- */

/* Returns whether the client has closed its end. A client that waits for a response keeps it
 * open. */
static int has_left(int socket)
{
    struct pollfd watched = {socket, POLLRDHUP, 0};
    return socket > 0 && poll(&watched, 1, 0) == 1 &&
           (watched.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

int worker_cancelled(struct worker *worker)
{
    static const double LOOK_SECONDS = 0.05;
    const struct request *request = worker->request;
    double now = monotonic_seconds();
    if (worker->cancelled) return 1;
    if (atomic_load(&worker->service->stopping)) {
        worker->cancelled = CANCEL_STOPPING;
    } else if (request->deadline > 0 && now > request->deadline) {
        worker->cancelled = CANCEL_LATE;
    } else if (now >= worker->next_look) {
        worker->next_look = now + LOOK_SECONDS;
        if (has_left(request->socket)) worker->cancelled = CANCEL_GONE;
    }
    return worker->cancelled != CANCEL_NONE;
}

static int is_cancelled(void *user, const char *phase, double done, double total)
{
    (void)phase;
    (void)done;
    (void)total;
    return worker_cancelled(user);
}

film_progress worker_progress(struct worker *worker)
{
    return (film_progress){is_cancelled, worker, NULL};
}

static int is_stopping(void *user, const char *phase, double done, double total)
{
    struct service *service = user;
    (void)phase;
    (void)done;
    (void)total;
    return atomic_load(&service->stopping);
}

film_progress service_progress(struct service *service)
{
    return (film_progress){is_stopping, service, NULL};
}

static int is_cancelled_or_indexes(void *user, const char *phase, double done, double total)
{
    struct worker *worker = user;
    if (strcmp(phase, "indexing") == 0) return is_stopping(worker->service, phase, done, total);
    return worker_cancelled(worker);
}

film_progress worker_search_progress(struct worker *worker)
{
    return (film_progress){is_cancelled_or_indexes, worker, NULL};
}
