/* Counters of one worker. Each worker has its own, so that counting shares no memory between
 * threads; /metrics sums them up. */
#ifndef SERVER_METRICS_H
#define SERVER_METRICS_H

#include "bytes.h"

#include <stdatomic.h>

enum { METRICS_ENDPOINTS = 32, METRICS_STATUSES = 24, METRICS_BUCKETS = 14 };

struct worker;

struct metrics {
    atomic_ullong requests[METRICS_ENDPOINTS][METRICS_STATUSES];
    atomic_ullong slower[METRICS_ENDPOINTS][METRICS_BUCKETS]; /* by bucket, not cumulative */
    atomic_ullong nanoseconds[METRICS_ENDPOINTS];
};

/* Counts a request. ENDPOINT comes from route_number. */
void metrics_count(struct metrics *metrics, size_t endpoint, unsigned status, double seconds);

/* Writes all metrics of the worker's service in the Prometheus text format. */
void metrics_write(struct worker *self, struct bytes *out);

#endif
