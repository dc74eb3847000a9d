/* Connects libmicrohttpd to a service: accepts connections, collects the bytes of requests, passes
 * slow requests to the work queue, sends responses. route.c decides what the responses are. */
#include "http.h"
#include "clock.h"
#include "route.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    LARGE_BODY = 65536,     /* larger bodies are batches, and so slow */
    SPARE_CONNECTIONS = 64, /* above the limit, to respond with 503 */
    SPARE_HEADER = 24576,   /* memory per connection in addition to the headers */
    /* A body up to PATIENCE times the limit is read and discarded before it is rejected: most
     * clients do not read a response before they have sent everything. */
    PATIENCE = 4
};

/* One request and its response, from the headers' arrival to the last byte sent. */
struct exchange {
    struct task task;
    struct http *http;
    struct MHD_Connection *connection;
    struct peer *peer;
    const char *method;
    struct request request;
    struct bytes body;
    struct response response;
    int finished;  /* the response is complete */
    int too_large; /* its body */
    int last;      /* the connection closes afterwards */
    double started;
};

/* ---- responses ---- */

/* Returns the worker of this thread; creates it on the first request. */
static struct worker *own_worker(struct service *service)
{
    static _Thread_local struct worker *worker;
    if (!worker) worker = service_worker(service);
    return worker;
}

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
    struct worker *worker = own_worker(exchange->http->service);
    double now = monotonic_seconds();
    struct access_log_entry entry = {exchange->method, &exchange->request, response,
                                     response_content(response).length, now - exchange->started};
    if (worker)
        metrics_count(&worker->metrics, route_number(exchange->request.path), response->status,
                      entry.seconds);
    access_log_write(&exchange->http->access_log, &entry);
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
    struct worker *worker = own_worker(exchange->http->service);
    if (worker)
        service_answer(worker, &exchange->request, &exchange->response);
    else
        response_error(&exchange->response, 503, "out of memory");
    exchange->finished = 1;
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
    exchange->task.run = run_task;
    MHD_suspend_connection(exchange->connection);
    if (work_queue_push(queue, &exchange->task)) return;
    response_error(&exchange->response, 503, "too many requests are queued; try again later");
    exchange->response.retry = 1;
    exchange->finished = 1;
    MHD_resume_connection(exchange->connection);
}

/* ---- requests ---- */

static int method_number(const char *method)
{
    if (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0) return METHOD_GET;
    if (strcmp(method, "POST") == 0) return METHOD_POST;
    if (strcmp(method, "DELETE") == 0) return METHOD_DELETE;
    return strcmp(method, "OPTIONS") == 0 ? METHOD_OPTIONS : METHOD_OTHER;
}

/* Stores the headers that we use. */
static enum MHD_Result take_header(void *user, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    struct request *request = user;
    (void)kind;
    if (strcasecmp(name, "Host") == 0)
        request->host = value;
    else if (strcasecmp(name, "Origin") == 0)
        request->origin = value;
    else if (strcasecmp(name, "Authorization") == 0)
        request->authorization = value;
    else if (strcasecmp(name, "Content-Type") == 0)
        request->content_type = value;
    else if (strcasecmp(name, "If-None-Match") == 0)
        request->if_none_match = value;
    return MHD_YES;
}

static int refuse_body(struct exchange *exchange)
{
    exchange->last = 1;
    return response_error(&exchange->response, 413,
                          "request body too large: at most %zu bytes (--max-body)",
                          exchange->http->service->options.limits.body);
}

/* Returns whether the client sent Expect: 100-continue before its body. */
static int expects_continue(const struct exchange *exchange)
{
    return MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, "Expect") != NULL;
}

/* Checks the headers before the body arrives. Returns 0 if the request is rejected. */
static int check_head(struct exchange *exchange)
{
    const struct service_limits *limits = &exchange->http->service->options.limits;
    const char *length =
        MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, "Content-Length");
    const union MHD_ConnectionInfo *head =
        MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    unsigned long long announced = length ? strtoull(length, NULL, 10) : 0;
    exchange->too_large = announced > limits->body;
    if (exchange->too_large && (announced / PATIENCE > limits->body || expects_continue(exchange)))
        return refuse_body(exchange);
    if (head && head->header_size > limits->header)
        return response_error(&exchange->response, 431,
                              "request headers too large: at most %zu bytes (--max-header)",
                              limits->header);
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

static enum MHD_Result begin_request(struct http *http, struct MHD_Connection *connection,
                                     const char *url, const char *method, void **state)
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
    exchange->request = (struct request){.method = method_number(method), .path = url};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, take_header, &exchange->request);
    return check_head(exchange) ? MHD_YES : send_answer(exchange);
}

/* Appends a chunk of the body. A body without Content-Length that grows too large is read to its
 * end and discarded. */
static void take_body(struct exchange *exchange, const char *data, size_t length)
{
    size_t most = exchange->http->service->options.limits.body;
    if (exchange->body.length + length > most) exchange->too_large = 1;
    if (exchange->too_large)
        bytes_free(&exchange->body);
    else
        bytes_append(&exchange->body, data, length);
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *length, void **state)
{
    struct http *http = user;
    struct exchange *exchange = *state;
    (void)version;
    if (!exchange) return begin_request(http, connection, url, method, state);
    if (*length) {
        take_body(exchange, data, *length);
        *length = 0;
        return MHD_YES;
    }
    if (exchange->finished) return send_answer(exchange);
    if (exchange->peer) atomic_store(&exchange->peer->since, 0);
    exchange->request.body = (film_text){exchange->body.data, exchange->body.length};
    const struct route *route = route_find(exchange->request.method, exchange->request.path);
    if (exchange->too_large) {
        refuse_body(exchange);
    } else if (exchange->body.failed) {
        response_error(&exchange->response, 503, "out of memory");
    } else if (route && (route->slow || exchange->body.length > LARGE_BODY)) {
        enqueue(exchange, route->writes ? &http->writes : &http->queue);
        return MHD_YES;
    } else {
        make_answer(exchange);
    }
    return send_answer(exchange);
}

static void on_completed(void *user, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode how)
{
    struct http *http = user;
    struct exchange *exchange = *state;
    (void)connection;
    (void)how;
    if (!exchange) return;
    if (exchange->peer) atomic_store(&exchange->peer->since, monotonic_seconds());
    bytes_free(&exchange->body);
    response_free(&exchange->response);
    free(exchange);
    *state = NULL;
    atomic_fetch_sub(&http->service->in_flight, 1);
}

static void on_connection(void *user, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode what)
{
    struct http_server *server = user;
    struct connections *connections = &server->http->connections;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        connections_leave(connections, *context);
        atomic_fetch_sub(&server->connections, 1);
        return;
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    *context = connections_enter(connections, info->connect_fd);
}

/* ---- connections ---- */

static struct http_server *least_busy(struct http *http)
{
    struct http_server *best = &http->servers[0];
    for (int i = 1; i < http->server_count; i++)
        if (atomic_load(&http->servers[i].connections) < atomic_load(&best->connections))
            best = &http->servers[i];
    return best;
}

static void assign_to(struct http_server *server, int connection, const struct sockaddr *address,
                      socklen_t length)
{
    atomic_fetch_add(&server->connections, 1); /* until on_connection reports the close */
    if (MHD_add_connection(server->daemon, connection, address, length) == MHD_YES) return;
    atomic_fetch_sub(&server->connections, 1); /* MHD_add_connection closed the socket */
    connections_cancel(&server->http->connections);
}

/* Accepts connections until the socket is shut down. */
static void *accept_connections(void *user)
{
    struct http *http = user;
    struct sockaddr_storage address;
    for (;;) {
        socklen_t length = sizeof address;
        int connection = accept4(http->socket, (struct sockaddr *)&address, &length,
                                 SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (connection >= 0 && connections_admit(&http->connections, SPARE_CONNECTIONS))
            assign_to(least_busy(http), connection, (struct sockaddr *)&address, length);
        else if (connection >= 0)
            close(connection);
        else if (errno == EINVAL || errno == EBADF)
            return NULL;
        else if (errno != EINTR && errno != ECONNABORTED)
            nanosleep(&(struct timespec){0, 20000000}, NULL); /* no descriptors or memory left */
    }
}

/* ---- starting and stopping ---- */

/* Raises the limit of descriptors: each connection needs one, and the usual limit is 1024. */
static void allow_descriptors(size_t connections)
{
    struct rlimit limit;
    rlim_t wanted = connections + 512;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int start_server(struct http *http, struct http_server *server)
{
    const struct service_limits *limits = &http->service->options.limits;
    server->http = http;
    server->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC |
            MHD_USE_SUSPEND_RESUME | MHD_USE_TURBO,
        0, NULL, NULL, on_request, http, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)(limits->connections + SPARE_CONNECTIONS), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        limits->header + SPARE_HEADER, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)(limits->timeout + 1), MHD_OPTION_NOTIFY_COMPLETED, on_completed, http,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, server, MHD_OPTION_END);
    return server->daemon != NULL;
}

int http_start(struct http *http, struct service *service, int socket)
{
    const struct service_options *options = &service->options;
    http->service = service;
    http->socket = socket;
    http->connections.most = options->limits.connections;
    http->connections.patience = options->limits.timeout;
    http->connections.away = &service->away;
    pthread_mutex_init(&http->connections.lock, NULL);
    allow_descriptors(options->limits.connections + SPARE_CONNECTIONS);
    if (!work_queue_start(&http->queue, options->threads, options->limits.connections) ||
        !work_queue_start(&http->writes, options->threads, options->limits.connections))
        return 0;
    while (http->server_count < options->threads && http->server_count < HTTP_MOST_THREADS &&
           start_server(http, &http->servers[http->server_count]))
        http->server_count++;
    http->taking =
        http->server_count > 0 && pthread_create(&http->taker, NULL, accept_connections, http) == 0;
    return http->taking;
}

struct warming {
    struct task task;
    struct http *http;
};

static void warm_up(struct task *task)
{
    struct http *http = ((struct warming *)(void *)task)->http;
    struct worker *worker = own_worker(http->service);
    if (worker) service_warm_up(worker);
    atomic_fetch_sub(&http->service->in_flight, 1);
    free(task);
}

/* The warm-up counts as a request, so that stopping waits for it. */
void http_warm_up(struct http *http)
{
    struct warming *warming = malloc(sizeof *warming);
    if (!warming) return;
    *warming = (struct warming){{warm_up, NULL}, http};
    atomic_fetch_add(&http->service->in_flight, 1);
    if (work_queue_push(&http->queue, &warming->task)) return;
    atomic_fetch_sub(&http->service->in_flight, 1);
    free(warming);
}

void http_quiesce(struct http *http)
{
    shutdown(http->socket, SHUT_RDWR); /* wakes the accepting thread */
    if (http->taking) pthread_join(http->taker, NULL);
    http->taking = 0;
    close(http->socket);
}

void http_end(struct http *http)
{
    /* The queues end first: a suspended connection must be resumed before its daemon stops. */
    work_queue_end(&http->queue);
    work_queue_end(&http->writes);
    for (int i = 0; i < http->server_count; i++) MHD_stop_daemon(http->servers[i].daemon);
    pthread_mutex_destroy(&http->connections.lock);
}
