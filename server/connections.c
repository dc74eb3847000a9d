/* Counts connections, limits the time of their requests, and closes the slowest connection when the
 * server is full. Does not read requests; libmicrohttpd does. */
#include "connections.h"
#include "bytes.h"
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

struct peer *connections_enter(struct connections *connections, int socket)
{
    struct peer *peer = calloc(1, sizeof *peer);
    if (!peer) {
        connections_cancel(connections);
        return NULL;
    }
    peer->socket = socket;
    atomic_init(&peer->since, monotonic_seconds());
    atomic_init(&peer->reading, 1);
    pthread_mutex_lock(&connections->lock);
    peer->next = connections->list;
    peer->from = &connections->list;
    if (peer->next) peer->next->from = &peer->next;
    connections->list = peer;
    pthread_mutex_unlock(&connections->lock);
    return peer;
}

void connections_leave(struct connections *connections, struct peer *peer)
{
    if (!peer) return;
    pthread_mutex_lock(&connections->lock);
    *peer->from = peer->next;
    if (peer->next) peer->next->from = peer->from;
    if (!peer->gone) atomic_fetch_sub(&connections->count, 1);
    pthread_mutex_unlock(&connections->lock);
    free(peer);
}

/* Closes a connection, with status 408 if a request is arriving. The socket stays open while the
 * peer is in the list, and nobody else writes to it while a request arrives. */
static void close_peer(struct connections *connections, struct peer *peer)
{
    static const char body[] = "{\"error\": {\"status\": 408, \"message\": \"timeout while "
                               "receiving the request\"}}\n";
    char response[300];
    int length = snprintf(response, sizeof response,
                          "HTTP/1.1 408 Request Timeout\r\nContent-Type: application/json\r\n"
                          "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
                          sizeof body - 1, body);
    if (atomic_load(&peer->reading))
        send(peer->socket, response, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(peer->socket, SHUT_RDWR);
    peer->gone = 1;
    atomic_fetch_sub(&connections->count, 1);
}

void connections_sweep(struct connections *connections)
{
    double now = monotonic_seconds();
    pthread_mutex_lock(&connections->lock);
    for (struct peer *peer = connections->list; peer; peer = peer->next) {
        double since = atomic_load(&peer->since);
        if (peer->gone || since == 0 || now - since <= connections->patience) continue;
        /* An idle connection without a request in progress is not counted as slow. */
        if (atomic_load(&peer->reading)) atomic_fetch_add(&connections->away->slow, 1);
        close_peer(connections, peer);
    }
    pthread_mutex_unlock(&connections->lock);
}

void connections_make_room(struct connections *connections)
{
    struct peer *slowest = NULL;
    double earliest = 0;
    pthread_mutex_lock(&connections->lock);
    for (struct peer *peer = connections->list; peer; peer = peer->next) {
        double since = atomic_load(&peer->since);
        if (peer->gone || since == 0 || (slowest && since >= earliest)) continue;
        slowest = peer;
        earliest = since;
    }
    if (slowest) {
        atomic_fetch_add(&connections->away->full, 1);
        close_peer(connections, slowest);
    }
    pthread_mutex_unlock(&connections->lock);
}

int connections_admit(struct connections *connections, size_t spare)
{
    if (atomic_load(&connections->count) >= connections->most) connections_make_room(connections);
    if (atomic_load(&connections->count) >= connections->most + spare) {
        atomic_fetch_add(&connections->away->full, 1);
        return 0;
    }
    atomic_fetch_add(&connections->count, 1);
    return 1;
}

void connections_cancel(struct connections *connections)
{
    atomic_fetch_sub(&connections->count, 1);
}
