/* Sockets around a service, by libmicrohttpd: a thread that takes connections, some that serve them
 * (epoll), and others for the requests that take long.
 *
 * Every serving thread is a daemon of its own. libmicrohttpd's pool of threads would share the
 * listening socket, and whichever thread wakes first takes all connections that wait: sixteen of
 * them often landed on one thread, and the other cores had nothing to do. So connections go to the
 * thread that has the fewest. */
#ifndef SERVER_HTTP_H
#define SERVER_HTTP_H

#include "work_queue.h"
#include "access_log.h"
#include "service.h"
#include "connections.h"

struct MHD_Daemon;

enum { HTTP_MOST_THREADS = 64 };

/* A thread that serves connections. */
struct http_server {
    struct http *http;
    struct MHD_Daemon *daemon;
    atomic_size_t connections;
};

struct http {
    struct service *service;
    struct access_log access_log;
    struct connections connections;
    /* What changes the pool has threads of its own: it may wait long for a lock or a database, and
     * searches must not wait with it. */
    struct work_queue queue, writes;
    struct http_server servers[HTTP_MOST_THREADS];
    int server_count;
    int socket; /* that listens */
    pthread_t taker;
    int taking;
};

/* Serves the connections of SOCKET, which listens; `access_log` is set before. 0: could not. */
int http_start(struct http *http, struct service *service, int socket);

/* Makes or maps the index of a pool, before somebody waits for it; by a thread for long
 * requests. */
void http_warm_up(struct http *http);

/* No connection is taken any more. */
void http_quiesce(struct http *http);

/* After http_quiesce: every thread ends. Requests in progress are lost, so wait for them before. */
void http_end(struct http *http);

#endif
