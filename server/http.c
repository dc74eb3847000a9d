/* Starts and stops the threads of the server, accepts connections and assigns them to threads.
 * exchange.c handles their requests. */
#include "http.h"
#include "exchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    SPARE_CONNECTIONS = 64, /* above the limit, to respond with 503 */
    SPARE_HEADER = 24576    /* memory per connection in addition to the headers */
};

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
        else if (errno != EINTR && errno != ECONNABORTED) { /* no descriptors or memory left */
            connections_make_room(&http->connections);
            nanosleep(&(struct timespec){0, 20000000}, NULL);
        }
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

/* Paths are compared as they were sent: with "%00" decoded, a path would end early. */
static size_t keep_escapes(void *user, struct MHD_Connection *connection, char *text)
{
    (void)user;
    (void)connection;
    return strlen(text);
}

int http_start_server(struct http *http, struct http_server *server, int own_thread)
{
    const struct service_limits *limits = &http->service->options.limits;
    server->http = http;
    server->daemon = MHD_start_daemon(
        (own_thread ? MHD_USE_EPOLL_INTERNAL_THREAD : MHD_USE_EPOLL) | MHD_USE_NO_LISTEN_SOCKET |
            MHD_USE_ITC | MHD_USE_SUSPEND_RESUME | MHD_USE_TURBO,
        0, NULL, NULL, exchange_step, http, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)(limits->connections + SPARE_CONNECTIONS), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        limits->header + SPARE_HEADER, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)(limits->timeout + 1), MHD_OPTION_NOTIFY_COMPLETED, exchange_end, http,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, server, MHD_OPTION_UNESCAPE_CALLBACK,
        keep_escapes, NULL, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
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
    /* A batch uses several threads itself. */
    if (!work_queue_start(&http->queue, options->threads, options->limits.queue) ||
        !work_queue_start(&http->batches, (options->threads + 1) / 2, options->limits.queue) ||
        !work_queue_start(&http->writes, options->threads, options->limits.queue))
        return 0;
    while (http->server_count < options->threads && http->server_count < HTTP_MOST_THREADS &&
           http_start_server(http, &http->servers[http->server_count], 1))
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
    struct worker *worker = exchange_worker(http->service);
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
    work_queue_end(&http->batches);
    work_queue_end(&http->writes);
    for (int i = 0; i < http->server_count; i++) MHD_stop_daemon(http->servers[i].daemon);
    pthread_mutex_destroy(&http->connections.lock);
}
