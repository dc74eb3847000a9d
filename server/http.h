/* Sockets around a service, by libmicrohttpd: threads that serve connections (epoll), and others for the
 * requests that take long. */
#ifndef SERVER_HTTP_H
#define SERVER_HTTP_H

#include "jobs.h"
#include "journal.h"
#include "service.h"
#include "visitors.h"

struct MHD_Daemon;

struct http {
    struct service *service;
    struct journal journal;
    struct visitors visitors;
    struct jobs jobs;
    struct MHD_Daemon *daemon;
};

/* Serves the connections of SOCKET, which listens; `journal` is set before. 0: could not. */
int http_start(struct http *http, struct service *service, int socket);

/* No connection is taken any more. */
void http_quiesce(struct http *http);

/* After http_quiesce: every thread ends. Requests in progress are lost, so wait for them before. */
void http_end(struct http *http);

#endif
