/* The connections of the moment, and sending away those that dawdle.
 *
 * libmicrohttpd closes a connection on which nothing happens. A client that sends a byte a second is never
 * that idle and could hold a connection for ever; so every connection has a time by which its request must
 * have arrived, or its answer been taken. When the server is full, the slow ones go at once. */
#ifndef SERVER_VISITORS_H
#define SERVER_VISITORS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct visitor {
    int socket;
    _Atomic double since; /* when its time began to run; 0: it waits for us */
    atomic_int reading;   /* a request is arriving */
    struct visitor *next, **from;
};

struct visitors {
    pthread_mutex_t lock;
    struct visitor *list;
    atomic_size_t count;
    size_t most;
    double patience; /* seconds */
};

double visitors_now(void); /* seconds of a clock that only goes forward */

struct visitor *visitors_enter(struct visitors *visitors, int socket); /* NULL: no memory */
void visitors_leave(struct visitors *visitors, struct visitor *visitor);

/* Sends away those whose time is over. */
void visitors_sweep(struct visitors *visitors);

#endif
