/* The HTTP server around a service, built on libmicrohttpd: one thread accepts connections, several
 * serve them (epoll), and others process slow requests.
 *
 * Every serving thread is a separate libmicrohttpd daemon. In libmicrohttpd's own thread pool, the
 * threads share the listening socket, and the first to wake accepts all waiting connections: often
 * one thread got sixteen of them while the other cores were idle. Here each connection goes to the
 * thread with the fewest connections. */
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
    /* Batches, and requests that change the pool, have their own threads: they may take long or
     * wait for a database, and a search must not wait for them. */
    struct work_queue queue, batches, writes;
    struct http_server servers[HTTP_MOST_THREADS];
    int server_count;
    int socket; /* the listening socket */
    pthread_t taker;
    int taking;
};

/* Starts serving connections of the listening SOCKET. Set `access_log` before. Returns 0 on
 * failure. */
int http_start(struct http *http, struct service *service, int socket);

/* Starts one thread that serves connections, or (OWN_THREAD 0: tests) a daemon that MHD_run drives.
 * Returns 0 on failure. */
int http_start_server(struct http *http, struct http_server *server, int own_thread);

/* Builds or maps the index of a pool in the background, before the first search needs it. */
void http_warm_up(struct http *http);

/* Stops accepting connections. */
void http_quiesce(struct http *http);

/* Ends all threads. Call http_quiesce first, and wait for requests in progress: they would be
 * lost. */
void http_end(struct http *http);

#endif
