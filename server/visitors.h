/* The connections of the moment, and sending away those that dawdle.
 *
 * libmicrohttpd closes a connection on which nothing happens. A client that sends a byte a second is never
 * that idle and could hold a connection for ever; so every connection has a time by which its request must
 * have arrived, or its answer been taken. When the server is full, a new one takes the place of the one that has
 * dawdled longest: however many there are, those who mean it are done long before it is their turn to go. */
#ifndef SERVER_VISITORS_H
#define SERVER_VISITORS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct visitor {
    int socket;
    _Atomic double since; /* when its time began to run; 0: it waits for us */
    atomic_int reading;   /* a request is arriving */
    int gone;             /* sent away, and not counted any more */
    struct visitor *next, **from;
};

/* How many had to go: for /metrics. */
struct visitors_away {
    atomic_uint slow; /* their request took too long to arrive */
    atomic_uint
        full; /* there was no room for them, or they dawdled while there was none for others */
};

struct visitors {
    pthread_mutex_t lock;
    struct visitor *list;
    atomic_size_t count; /* without those sent away */
    size_t most;
    double patience; /* seconds */
    struct visitors_away *away;
};

double visitors_now(void); /* seconds of a clock that only goes forward */

/* Counts one more. Where the server is full, the one that has dawdled longest is sent away, if there is one. 0: there are
 * SPARE more than there should be, and this one cannot come in. */
int visitors_admit(struct visitors *visitors, size_t spare);
void visitors_turn_away(struct visitors *visitors); /* admitted, and then did not enter */

/* One that was admitted. NULL: no memory. */
struct visitor *visitors_enter(struct visitors *visitors, int socket);
void visitors_leave(struct visitors *visitors, struct visitor *visitor);

/* Sends away those whose time is over. */
void visitors_sweep(struct visitors *visitors);

#endif
