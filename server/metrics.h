/* Counts of one worker, so that counting shares no memory between threads; summed when asked
 * for. */
#ifndef SERVER_METRICS_H
#define SERVER_METRICS_H

#include "bytes.h"

#include <stdatomic.h>

enum { METRICS_ENDPOINTS = 32, METRICS_STATUSES = 24, METRICS_BUCKETS = 14 };

struct worker;

struct metrics {
    atomic_ullong requests[METRICS_ENDPOINTS][METRICS_STATUSES];
    atomic_ullong slower[METRICS_ENDPOINTS][METRICS_BUCKETS]; /* by bucket, not yet cumulated */
    atomic_ullong nanoseconds[METRICS_ENDPOINTS];
};

/* ENDPOINT is a number of route.h. */
void metrics_count(struct metrics *metrics, size_t endpoint, unsigned status, double seconds);

/* Everything of the worker's service, in Prometheus' text format. */
void metrics_write(struct worker *asked, struct bytes *out);

#endif
