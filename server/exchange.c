/* Handles one request: checks its head before a byte of its body is stored, collects the body
 * within the limits of memory, answers at once or through a queue, sends the response. route.c
 * decides what the response is. */
#include "exchange.h"
#include "clock.h"
#include "route.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    LARGE_BODY = 8192, /* larger bodies are batches, and so slow */
    /* The body of a rejected request, up to PATIENCE times the limit, is read and discarded before
     * the response: most clients do not read a response before they have sent everything. */
    PATIENCE = 4
};

struct exchange {
    struct task task;
    struct http *http;
    struct MHD_Connection *connection;
    struct peer *peer;
    const char *method;
    const struct route *route;
    struct request request;
    struct bytes body;
    struct response response;
    size_t charged; /* bytes counted in service->buffered */
    int finished;   /* the response is complete; the rest of the body is discarded */
    int last;       /* the connection closes afterwards */
    double started;
};

struct worker *exchange_worker(struct service *service)
{
    static _Thread_local struct worker *worker;
    if (!worker) worker = service_worker(service);
    return worker;
}

/* ---- memory ---- */

/* Counts MORE bytes of this exchange; returns 0, and counts nothing, if that exceeds the limit. */
static int charge(struct exchange *exchange, size_t more)
{
    struct service *service = exchange->http->service;
    size_t before = atomic_fetch_add(&service->buffered, more);
    if (before + more > service->options.limits.buffer) {
        atomic_fetch_sub(&service->buffered, more);
        return 0;
    }
    exchange->charged += more;
    return 1;
}

static void discharge(struct exchange *exchange)
{
    atomic_fetch_sub(&exchange->http->service->buffered, exchange->charged);
    exchange->charged = 0;
}

/* The body is no longer needed; a response stays until the client has received it. It counts even
 * beyond the limit, so that no new body is accepted meanwhile. */
static void exchange_body_for_response(struct exchange *exchange)
{
    bytes_free(&exchange->body);
    discharge(exchange);
    if (exchange->response.lasting.bytes) return;
    exchange->charged = response_content(&exchange->response).length;
    atomic_fetch_add(&exchange->http->service->buffered, exchange->charged);
}

/* ---- responses ---- */

static void add_header(struct MHD_Response *response, const char *name, const char *value)
{
    if (value) MHD_add_response_header(response, name, value);
}

static void add_headers(const struct exchange *exchange, struct MHD_Response *out)
{
    const struct response *response = &exchange->response;
    const struct service *service = exchange->http->service;
    add_header(out, "Content-Type", response->type);
    add_header(out, "Content-Security-Policy", response->policy);
    add_header(out, "X-Content-Type-Options", "nosniff");
    add_header(out, "Cache-Control", response->etag ? "no-cache" : "no-store");
    add_header(out, "ETag", response->etag);
    add_header(out, "Allow", response->allow);
    if (response->type && strncmp(response->type, "text/html", 9) == 0) {
        add_header(out, "Referrer-Policy", "no-referrer");
        add_header(out, "Cross-Origin-Opener-Policy", "same-origin");
    }
    if (response->challenge) add_header(out, "WWW-Authenticate", "Bearer realm=\"film\"");
    if (response->retry) add_header(out, "Retry-After", "1");
    if (service->options.origin_count) add_header(out, "Vary", "Origin");
    add_header(out, "Access-Control-Allow-Origin", response->origin);
    if (response->preflight) {
        add_header(out, "Access-Control-Allow-Methods", response->allow);
        add_header(out, "Access-Control-Allow-Headers", "Authorization, Content-Type");
        add_header(out, "Access-Control-Max-Age", "600");
    }
    if (atomic_load_explicit(&service->stopping, memory_order_relaxed) || exchange->last)
        add_header(out, "Connection", "close");
}

/* Passes ownership of the content to libmicrohttpd, which frees it after sending. */
static struct MHD_Response *make_response(struct response *response)
{
    film_text content = response_content(response);
    void *bytes = (void *)(uintptr_t)content.bytes;
    struct MHD_Response *out;
    if (response->lasting.bytes)
        return MHD_create_response_from_buffer(content.length, bytes, MHD_RESPMEM_PERSISTENT);
    if (response->given) {
        out = MHD_create_response_from_buffer_with_free_callback(content.length, bytes, film_free);
        if (out) response->given = NULL;
    } else {
        out = MHD_create_response_from_buffer(content.length, bytes, MHD_RESPMEM_MUST_FREE);
        if (out) response->body = (struct bytes){.data = NULL};
    }
    return out;
}

static enum MHD_Result send_answer(struct exchange *exchange)
{
    struct response *response = &exchange->response;
    struct worker *worker = exchange_worker(exchange->http->service);
    double now = monotonic_seconds();
    struct access_log_entry entry = {exchange->method, &exchange->request, response,
                                     response_content(response).length, now - exchange->started};
    if (worker)
        metrics_count(&worker->metrics, route_number(exchange->request.path), response->status,
                      entry.seconds);
    access_log_write(&exchange->http->access_log, &entry);
    exchange_body_for_response(exchange);
    struct MHD_Response *out = make_response(response);
    if (!out) return MHD_NO;
    add_headers(exchange, out);
    if (exchange->peer) {
        atomic_store(&exchange->peer->reading, 0);
        atomic_store(&exchange->peer->since, now);
    }
    enum MHD_Result result = MHD_queue_response(exchange->connection, response->status, out);
    MHD_destroy_response(out);
    return result;
}

static void make_answer(struct exchange *exchange)
{
    struct service *service = exchange->http->service;
    struct worker *worker = exchange_worker(service);
    if (worker)
        service_answer(worker, &exchange->request, &exchange->response);
    else
        response_error(&exchange->response, 503, "out of memory");
    exchange->finished = 1;
}

/* Rejects a request for lack of room; the client may try again. Returns 0. */
static int busy(struct exchange *exchange, const char *message)
{
    atomic_fetch_add(&exchange->http->service->busy, 1);
    exchange->response.retry = 1;
    return response_error(&exchange->response, 503, "%s", message);
}

/* Runs on a thread of the queue while the connection is suspended. */
static void run_task(struct task *task)
{
    struct exchange *exchange = (struct exchange *)(void *)task;
    make_answer(exchange);
    MHD_resume_connection(exchange->connection);
}

static void enqueue(struct exchange *exchange, struct work_queue *queue)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    exchange->request.socket = info ? info->connect_fd : 0;
    exchange->task.run = run_task;
    MHD_suspend_connection(exchange->connection);
    if (work_queue_push(queue, &exchange->task)) return;
    busy(exchange, "too many requests are waiting (--max-queue); try again later");
    exchange->finished = 1;
    MHD_resume_connection(exchange->connection);
}

/* ---- the head of a request ---- */

static int method_number(const char *method)
{
    if (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0) return METHOD_GET;
    if (strcmp(method, "POST") == 0) return METHOD_POST;
    if (strcmp(method, "DELETE") == 0) return METHOD_DELETE;
    return strcmp(method, "OPTIONS") == 0 ? METHOD_OPTIONS : METHOD_OTHER;
}

/* The headers that we or libmicrohttpd use. */
struct head {
    struct request *request;
    const char *length, *encoding, *expect;
    const char *repeated; /* the name of a header that is there twice */
    int hides;            /* bytes after a NUL */
};

/* Stores a header. Two different values would be read differently by a proxy and by us. */
static enum MHD_Result take_header(void *user, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    struct head *head = user;
    struct request *request = head->request;
    const struct {
        const char *name;
        const char **value;
    } known[] = {{"Host", &request->host},
                 {"Origin", &request->origin},
                 {"Authorization", &request->authorization},
                 {"Content-Type", &request->content_type},
                 {"If-None-Match", &request->if_none_match},
                 {"Content-Length", &head->length},
                 {"Transfer-Encoding", &head->encoding},
                 {"Expect", &head->expect}};
    (void)kind;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcasecmp(name, known[i].name) != 0) continue;
        if (*known[i].value) head->repeated = known[i].name;
        *known[i].value = value ? value : "";
    }
    return MHD_YES;
}

static int refuse_body(struct exchange *exchange)
{
    exchange->last = 1;
    return response_error(&exchange->response, 413,
                          "request body too large: at most %zu bytes (--max-body)",
                          exchange->http->service->options.limits.body);
}

/* Checks what does not depend on the path. Returns 0 if the request is rejected. */
static int check_limits(struct exchange *exchange, const struct head *head)
{
    const struct service_limits *limits = &exchange->http->service->options.limits;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    if (info && info->header_size > limits->header)
        return response_error(&exchange->response, 431,
                              "request headers too large: at most %zu bytes (--max-header)",
                              limits->header);
    if (head->hides) {
        exchange->last = 1;
        return response_error(&exchange->response, 400, "NUL byte in the head of the request");
    }
    if (head->repeated || (head->length && head->encoding)) {
        exchange->last = 1; /* where the body ends is uncertain */
        return head->repeated
                   ? response_error(&exchange->response, 400, "repeated header %s", head->repeated)
                   : response_error(&exchange->response, 400,
                                    "both Content-Length and Transfer-Encoding; send one");
    }
    if (atomic_load(&exchange->http->connections.count) > limits->connections) {
        atomic_fetch_add(&exchange->http->service->away.full, 1);
        exchange->last = 1;
        exchange->response.retry = 1;
        return response_error(&exchange->response, 503,
                              "too many connections: at most %zu (--max-connections)",
                              limits->connections);
    }
    return 1;
}

/* Checks the head. If it is rejected, the response is sent at once, or after a body that the client
 * is already sending. */
static enum MHD_Result check_head(struct exchange *exchange, const struct head *head)
{
    const struct service *service = exchange->http->service;
    unsigned long long most = service->options.limits.body,
                       announced = head->length ? strtoull(head->length, NULL, 10) : 0;
    if (!check_limits(exchange, head)) return send_answer(exchange);
    exchange->route = route_admit(&service->options, &exchange->request, &exchange->response);
    if (exchange->route && (announced <= most || refuse_body(exchange))) return MHD_YES;
    exchange->finished = 1;
    if (head->expect || announced / PATIENCE > most) {
        exchange->last = 1;
        return send_answer(exchange);
    }
    return MHD_YES;
}

/* Returns a parameter of the address, or NULL. */
static const char *argument_of(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

static enum MHD_Result begin_exchange(struct http *http, struct MHD_Connection *connection,
                                      const char *url, const char *method, const char *version,
                                      void **state)
{
    struct exchange *exchange = calloc(1, sizeof *exchange);
    if (!exchange) return MHD_NO;
    const union MHD_ConnectionInfo *peer =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    atomic_fetch_add(&http->service->in_flight, 1);
    *state = exchange;
    exchange->http = http;
    exchange->connection = connection;
    exchange->peer = peer ? peer->socket_context : NULL;
    exchange->method = method;
    exchange->started = monotonic_seconds();
    exchange->response.status = 200;
    exchange->request = (struct request){.method = method_number(method),
                                         .path = url,
                                         .longest = http->service->options.limits.sentence};
    struct head head = {.request = &exchange->request,
                        .hides = raw_head_hides(connection, method, url, version)};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, take_header, &head);
    exchange->request.number = argument_of(connection, "n");
    exchange->request.from = argument_of(connection, "from");
    exchange->request.order = argument_of(connection, "order");
    exchange->request.budget = argument_of(connection, "budget");
    return check_head(exchange, &head);
}

/* ---- the body ---- */

static void reject_body(struct exchange *exchange)
{
    bytes_free(&exchange->body);
    discharge(exchange);
    exchange->finished = 1;
}

/* Appends a chunk of the body. Discards it if the request was rejected or has no use for it. */
static void take_body(struct exchange *exchange, const char *data, size_t length)
{
    struct bytes *body = &exchange->body;
    if (exchange->finished || exchange->route->method == METHOD_GET) return;
    if (body->length + length > exchange->http->service->options.limits.body) {
        refuse_body(exchange);
        reject_body(exchange);
        return;
    }
    size_t room = body->capacity - body->length;
    size_t growth = room >= length ? 0 : length > body->capacity ? length : body->capacity;
    if (!charge(exchange, growth)) {
        busy(exchange, "too many requests are in memory (--max-buffer); try again later");
        reject_body(exchange);
        return;
    }
    bytes_append(body, data, length);
    if (body->failed) {
        busy(exchange, "out of memory");
        reject_body(exchange);
    }
}

/* Handles a complete request. */
static enum MHD_Result answer_exchange(struct exchange *exchange)
{
    struct http *http = exchange->http;
    const struct route *route = exchange->route;
    if (exchange->peer) atomic_store(&exchange->peer->since, 0);
    exchange->request.body = (film_text){exchange->body.data, exchange->body.length};
    exchange->request.deadline = monotonic_seconds() + http->service->options.limits.deadline;
    int batch = route->batch || exchange->body.length > LARGE_BODY;
    if (batch || route->slow) {
        enqueue(exchange, route->writes ? &http->writes : batch ? &http->batches : &http->queue);
        return MHD_YES;
    }
    make_answer(exchange);
    return send_answer(exchange);
}

enum MHD_Result exchange_step(void *user, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *length, void **state)
{
    struct exchange *exchange = *state;
    if (!exchange) return begin_exchange(user, connection, url, method, version, state);
    if (*length) {
        take_body(exchange, data, *length);
        *length = 0;
        return MHD_YES;
    }
    return exchange->finished ? send_answer(exchange) : answer_exchange(exchange);
}

void exchange_end(void *user, struct MHD_Connection *connection, void **state,
                  enum MHD_RequestTerminationCode how)
{
    struct http *http = user;
    struct exchange *exchange = *state;
    (void)connection;
    (void)how;
    if (!exchange) return;
    if (exchange->peer) atomic_store(&exchange->peer->since, monotonic_seconds());
    discharge(exchange);
    bytes_free(&exchange->body);
    response_free(&exchange->response);
    free(exchange);
    *state = NULL;
    atomic_fetch_sub(&http->service->in_flight, 1);
}
