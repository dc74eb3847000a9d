/* Pairs that were handed out for review and wait for their answer, so that two people never get the
 * same pair. A lease ends after ten minutes: the person may have closed the page. */
#ifndef SERVER_LEASES_H
#define SERVER_LEASES_H

#include "film.h"

#include <pthread.h>

struct lease {
    char *key;
    double until; /* monotonic seconds */
};

struct leases {
    pthread_mutex_t lock; /* also held while pairs are chosen */
    struct lease *list;
    size_t count, capacity;
};

void leases_open(struct leases *leases);
void leases_close(struct leases *leases);

/* The caller holds the lock for these. Ids have no control characters. */
void leases_expire(struct leases *leases, double now);
int leases_has(const struct leases *leases, film_text a, film_text b);
/* Returns 0 when out of memory. */
int leases_add(struct leases *leases, film_text a, film_text b, double now);
void leases_end(struct leases *leases, film_text a, film_text b);

#endif
