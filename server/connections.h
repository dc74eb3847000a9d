/* The connections of the moment, and sending away those that dawdle.
 *
 * libmicrohttpd closes a connection on which nothing happens. A client that sends a byte a second
 * is never that idle and could hold a connection for ever; so every connection has a time by which
 * its request must have arrived, or its answer been taken. When the server is full, a new one takes
 * the place of the one that has dawdled longest: however many there are, those who mean it are done
 * long before it is their turn to go. */
#ifndef SERVER_CONNECTIONS_H
#define SERVER_CONNECTIONS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct peer {
    int socket;
    _Atomic double since; /* when its time began to run; 0: it waits for us */
    atomic_int reading;   /* a request is arriving */
    int gone;             /* sent away, and not counted any more */
    struct peer *next, **from;
};

/* How many had to go: for /metrics. */
struct connections_refused {
    atomic_uint slow; /* their request took too long to arrive */
    atomic_uint
        full; /* there was no room for them, or they dawdled while there was none for others */
};

struct connections {
    pthread_mutex_t lock;
    struct peer *list;
    atomic_size_t count; /* without those sent away */
    size_t most;
    double patience; /* seconds */
    struct connections_refused *away;
};

/* Counts one more. Where the server is full, the one that has dawdled longest is sent away, if there is one. 0: there are
 * SPARE more than there should be, and this one cannot come in. */
int connections_admit(struct connections *connections, size_t spare);
void connections_turn_away(struct connections *connections); /* admitted, and then did not enter */

/* One that was admitted. NULL: no memory. */
struct peer *connections_enter(struct connections *connections, int socket);
void connections_leave(struct connections *connections, struct peer *peer);

/* Sends away those whose time is over. */
void connections_sweep(struct connections *connections);

#endif
