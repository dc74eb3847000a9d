/* The list of open connections; closes those that are too slow.
 *
 * libmicrohttpd closes idle connections. A client that sends one byte per second is never idle and
 * could hold a connection forever. So every connection has a deadline by which its request must
 * have arrived, or its response been received. When the server is full, a new connection replaces
 * the one that has been slow for longest. Honest clients finish long before they are the
 * slowest. */
#ifndef SERVER_CONNECTIONS_H
#define SERVER_CONNECTIONS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct peer {
    int socket;
    _Atomic double since; /* start of the time limit; 0: the server is working */
    atomic_int reading;   /* a request is arriving */
    int gone;             /* closed by us, and no longer counted */
    struct peer *next, **from;
};

/* Numbers of connections closed by the server, for /metrics. */
struct connections_refused {
    /* Their request took too long to arrive. */
    atomic_uint slow;
    /* The server was full: they were rejected, or closed as the slowest to make room. */
    atomic_uint full;
};

struct connections {
    pthread_mutex_t lock;
    struct peer *list;
    atomic_size_t count; /* without closed ones */
    size_t most;
    double patience; /* time limit in seconds */
    struct connections_refused *away;
};

/* Admits a new connection and counts it. If the server is full, closes the slowest connection, if
 * any. Returns 0 (rejected) if there are SPARE more connections than the limit. */
int connections_admit(struct connections *connections, size_t spare);
/* Closes the connection that has been slow for longest, if any. */
void connections_make_room(struct connections *connections);
/* Undoes connections_admit for a connection that failed before connections_enter. */
void connections_cancel(struct connections *connections);

/* Adds an admitted connection to the list. NULL: out of memory. */
struct peer *connections_enter(struct connections *connections, int socket);
void connections_leave(struct connections *connections, struct peer *peer);

/* Closes connections that exceed the time limit. */
void connections_sweep(struct connections *connections);

#endif
