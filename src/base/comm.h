/* Collective communication between the processes of a job. Learners call this interface and do not
 * know which engine implements it: none (comm_single) or threads (tests).
 *
 * All processes call these functions in the same order. A process that fails returns its error
 * without waiting for the others. Whoever started the job then ends it, so that no process waits
 * forever. Where the failure of one process should not end the job (no memory for a
 * cache, for example), the processes call comm_agree. */
#ifndef BASE_COMM_H
#define BASE_COMM_H

#include "base/status.h"

#include <stdint.h>

/* The functions that an engine implements. Sizes are in bytes, counts are in elements. OUT and IN
 * do not overlap. */
struct comm_engine {
    film_status (*sum_float)(void *self, float *values, size_t count, film_error *error);
    film_status (*sum_double)(void *self, double *values, size_t count, film_error *error);
    film_status (*sum_shares)(void *self, const float *values, const size_t *counts, float *mine,
                              film_error *error);
    film_status (*broadcast)(void *self, void *bytes, size_t size, int root, film_error *error);
    film_status (*gather)(void *self, const void *mine, void *all, const size_t *sizes,
                          film_error *error);
    film_status (*exchange)(void *self, const void *out, const size_t *out_sizes, void *in,
                            const size_t *in_sizes, film_error *error);
};

/* Traffic of this process: the bytes of its own arguments, whatever the engine sends for them, and
 * the time spent in the calls, including the wait for slower processes. */
struct comm_traffic {
    uint64_t calls;
    uint64_t summed, shared, broadcast, gathered, exchanged; /* bytes */
    double seconds;
};

struct comm {
    int rank, size;
    void *self;
    const struct comm_engine *engine; /* NULL in a job of one process */
    struct comm_traffic *traffic;     /* NULL in a job of one process */
};

/* A job of one process: every function below returns at once and copies what there is to copy. */
extern const struct comm comm_single;

/* Element-wise sum over all processes. Every process gets the result. */
film_status comm_sum_float(const struct comm *comm, float *values, size_t count, film_error *error);
film_status comm_sum_double(const struct comm *comm, double *values, size_t count,
                            film_error *error);
/* The same for integers below 2^53. */
film_status comm_sum_counts(const struct comm *comm, size_t *values, size_t count,
                            film_error *error);

/* Element-wise sum, scattered (reduce-scatter): process i gets only its range of COUNTS[i] floats,
 * in MINE. */
film_status comm_sum_shares(const struct comm *comm, const float *values, const size_t *counts,
                            float *mine, film_error *error);

/* Copies the bytes of process ROOT to all other processes. */
film_status comm_broadcast(const struct comm *comm, void *bytes, size_t size, int root,
                           film_error *error);

/* Concatenates SIZES[i] bytes of each process i in rank order. Every process gets the result in
 * ALL. */
film_status comm_gather(const struct comm *comm, const void *mine, void *all, const size_t *sizes,
                        film_error *error);
/* comm_gather without known sizes: every process passes its own SIZE. The caller frees *ALL and
 * *SIZES (one per process) with mem_free. */
film_status comm_gather_all(const struct comm *comm, const void *mine, size_t size, void **all,
                            size_t **sizes, film_error *error);

/* comm_gather of COUNT items of WIDTH bytes, of which every process has its even share
 * (comm_begin). */
film_status comm_gather_shares(const struct comm *comm, const void *mine, size_t width,
                               size_t count, void *all, film_error *error);
/* Concatenates the bytes of all processes in process 0 only. SIZE may differ from process to
 * process. The caller frees *ALL with mem_free. */
film_status comm_collect(const struct comm *comm, const void *mine, size_t size, void **all,
                         film_error *error);

/* All-to-all exchange. Process i receives OUT_SIZES[i] bytes: range i of OUT. Range i of IN
 * receives the bytes from process i. */
film_status comm_exchange(const struct comm *comm, const void *out, const size_t *out_sizes,
                          void *in, const size_t *in_sizes, film_error *error);
/* comm_exchange where the receiver does not know the sizes. The caller frees *IN and *IN_SIZES with
 * mem_free. */
film_status comm_exchange_all(const struct comm *comm, const void *out, const size_t *out_sizes,
                              void **in, size_t **in_sizes, film_error *error);

/* Returns FILM_OK when every process passes FILM_OK. Otherwise all fail; a process without an error
 * of its own gets the message that another process stopped. */
film_status comm_agree(const struct comm *comm, film_status status, film_error *error);

/* comm_sent: the bytes that this process has passed to the engine so far. comm_sent_since: the sum
 * over all processes of what was sent since BEFORE. */
uint64_t comm_sent(const struct comm *comm);
film_status comm_sent_since(const struct comm *comm, uint64_t before, uint64_t *sum,
                            film_error *error);

/* Begin of the even share of process RANK out of TOTAL items; the share ends where RANK + 1
 * begins. */
static inline size_t comm_begin(const struct comm *comm, size_t total, int rank)
{
    size_t size = (size_t)comm->size, at = (size_t)rank;
    return total / size * at + total % size * at / size;
}

#endif
