/* Counts requests and their durations per worker, and writes the sums in the Prometheus text
 * format. */
#include "metrics.h"
#include "route.h"

#include <stdlib.h>

static const unsigned statuses[METRICS_STATUSES] = {200, 204, 304, 400, 401, 403, 404, 405, 408,
                                                    409, 413, 415, 421, 431, 500, 503, 507};
/* Upper bounds in seconds; the last bucket has none. */
static const double bounds[METRICS_BUCKETS - 1] = {
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 10};

void metrics_count(struct metrics *metrics, size_t endpoint, unsigned status, double seconds)
{
    size_t which = 0, bucket = 0;
    while (which < METRICS_STATUSES - 1 && statuses[which] != status) which++;
    while (bucket < METRICS_BUCKETS - 1 && seconds > bounds[bucket]) bucket++;
    atomic_fetch_add_explicit(&metrics->requests[endpoint][which], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&metrics->slower[endpoint][bucket], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&metrics->nanoseconds[endpoint], (unsigned long long)(1e9 * seconds),
                              memory_order_relaxed);
}

/* The sum over all workers, as plain numbers. */
struct totals {
    unsigned long long requests[METRICS_ENDPOINTS][METRICS_STATUSES];
    unsigned long long slower[METRICS_ENDPOINTS][METRICS_BUCKETS];
    unsigned long long nanoseconds[METRICS_ENDPOINTS];
};

static void add_totals(struct totals *totals, struct metrics *metrics)
{
    for (size_t i = 0; i < METRICS_ENDPOINTS; i++) {
        totals->nanoseconds[i] +=
            atomic_load_explicit(&metrics->nanoseconds[i], memory_order_relaxed);
        for (size_t j = 0; j < METRICS_STATUSES; j++)
            totals->requests[i][j] +=
                atomic_load_explicit(&metrics->requests[i][j], memory_order_relaxed);
        for (size_t j = 0; j < METRICS_BUCKETS; j++)
            totals->slower[i][j] +=
                atomic_load_explicit(&metrics->slower[i][j], memory_order_relaxed);
    }
}

static void write_metric_head(struct bytes *out, const char *name, const char *type,
                              const char *help)
{
    bytes_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_requests(const struct totals *totals, struct bytes *out)
{
    const char *path;
    write_metric_head(out, "film_requests_total", "counter",
                      "Number of requests, by endpoint and status.");
    for (size_t i = 0; (path = route_path(i)); i++)
        for (size_t j = 0; j < METRICS_STATUSES; j++)
            if (totals->requests[i][j])
                bytes_format(out, "film_requests_total{endpoint=\"%s\",status=\"%u\"} %llu\n", path,
                             statuses[j], totals->requests[i][j]);
}

static void write_histogram(const struct totals *totals, struct bytes *out)
{
    const char *path;
    write_metric_head(
        out, "film_request_seconds", "histogram",
        "Request duration in seconds, from the headers to the response, including the "
        "body's upload.");
    for (size_t i = 0; (path = route_path(i)); i++) {
        unsigned long long count = 0;
        for (size_t j = 0; j < METRICS_BUCKETS; j++) count += totals->slower[i][j];
        if (!count) continue;
        count = 0;
        for (size_t j = 0; j < METRICS_BUCKETS - 1; j++) {
            count += totals->slower[i][j];
            bytes_format(out, "film_request_seconds_bucket{endpoint=\"%s\",le=\"%g\"} %llu\n", path,
                         bounds[j], count);
        }
        count += totals->slower[i][METRICS_BUCKETS - 1];
        bytes_format(out,
                     "film_request_seconds_bucket{endpoint=\"%s\",le=\"+Inf\"} %llu\n"
                     "film_request_seconds_sum{endpoint=\"%s\"} %.9f\n"
                     "film_request_seconds_count{endpoint=\"%s\"} %llu\n",
                     path, count, path, 1e-9 * (double)totals->nanoseconds[i], path, count);
    }
}

static void write_number(struct bytes *out, const char *name, const char *type, const char *help,
                         double number)
{
    write_metric_head(out, name, type, help);
    bytes_format(out, "%s %.15g\n", name, number);
}

void metrics_write(struct worker *self, struct bytes *out)
{
    struct service *service = self->service;
    uint64_t sentences = 0;
    struct totals *totals = calloc(1, sizeof *totals);
    if (!totals) {
        out->failed = 1;
        return;
    }
    pthread_mutex_lock(&service->lock);
    for (struct worker *worker = service->workers; worker; worker = worker->next)
        add_totals(totals, &worker->metrics);
    pthread_mutex_unlock(&service->lock);
    write_requests(totals, out);
    write_histogram(totals, out);
    free(totals);
    write_number(out, "film_requests_in_flight", "gauge", "Number of requests in progress.",
                 atomic_load(&service->in_flight));
    if (service_pool_size(self->generation, &sentences, NULL) == FILM_OK)
        write_number(out, "film_pool_sentences", "gauge", "Number of sentences in the pool.",
                     (double)sentences);
    write_metric_head(
        out, "film_connections_sent_away_total", "counter",
        "Connections closed by the server: request timed out (slow) or too many connections "
        "(full).");
    bytes_format(out,
                 "film_connections_sent_away_total{reason=\"slow\"} %u\n"
                 "film_connections_sent_away_total{reason=\"full\"} %u\n",
                 atomic_load(&service->away.slow), atomic_load(&service->away.full));
    write_metric_head(
        out, "film_requests_cancelled_total", "counter",
        "Requests cancelled while they were waiting or computed: over the deadline (late) or "
        "the client closed the connection (gone).");
    bytes_format(out,
                 "film_requests_cancelled_total{reason=\"late\"} %u\n"
                 "film_requests_cancelled_total{reason=\"gone\"} %u\n",
                 atomic_load(&service->late), atomic_load(&service->gone));
    write_number(out, "film_requests_rejected_total", "counter",
                 "Requests rejected with 503 because a queue or the buffer was full.",
                 atomic_load(&service->busy));
    write_number(out, "film_buffered_bytes", "gauge",
                 "Bytes of request bodies and responses in memory.",
                 (double)atomic_load(&service->buffered));
    write_number(out, "film_reloads_total", "counter",
                 "Number of successful reloads of the model or pool.",
                 atomic_load(&service->reloads));
    write_number(out, "film_reloads_failed_total", "counter",
                 "Number of failed reloads; the old model stays in use.",
                 atomic_load(&service->failed_reloads));
    write_number(out, "process_start_time_seconds", "gauge",
                 "Start time of the server as Unix time in seconds.", service->started);
}
