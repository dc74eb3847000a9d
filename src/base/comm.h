/* Talking to the other processes of a job. Learners call through this interface and do not know
 * what is behind it: nothing (comm_single), MPI (src/mpi), or threads (tests).
 *
 * Every process calls in the same order. A process that fails returns its error without waiting for
 * the others; whoever started the job then ends it (film_job_abort), so nobody waits for it
 * forever. Where a failure of one process is no failure of the job (no room for a cache, say),
 * comm_agree tells the others. */
#ifndef BASE_COMM_H
#define BASE_COMM_H

#include "base/status.h"

#include <stdint.h>

/* What an engine can do. Sizes are bytes, counts are elements; OUT and IN do not overlap. */
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

/* What this process handed to the others: the bytes of its own arguments, whatever the engine makes
 * of them, and the time it spent in the calls, waiting for slower ones included. */
struct comm_traffic {
    uint64_t calls;
    uint64_t summed, shared, broadcast, gathered, exchanged; /* bytes */
    double seconds;
};

struct comm {
    int rank, size;
    void *self;
    const struct comm_engine *engine; /* NULL in a job of one process */
    struct comm_traffic *traffic;     /* likewise */
};

/* A job of one process: every call below returns at once, copying where there is something to
 * copy. */
extern const struct comm comm_single;

/* The processes of a job as film_io.h hands them out. */
struct film_job {
    struct comm comm;
};
const struct comm *comm_of(const struct film_job *job); /* comm_single for NULL */

/* Element-wise sum over all processes, the result in every one. */
film_status comm_sum_float(const struct comm *comm, float *values, size_t count, film_error *error);
film_status comm_sum_double(const struct comm *comm, double *values, size_t count,
                            film_error *error);
/* Whole numbers below 2^53. */
film_status comm_sum_counts(const struct comm *comm, size_t *values, size_t count,
                            film_error *error);

/* The same, of which process i gets only its stretch of COUNTS[i] floats, to MINE. */
film_status comm_sum_shares(const struct comm *comm, const float *values, const size_t *counts,
                            float *mine, film_error *error);

/* Copies the bytes of process ROOT to all others. */
film_status comm_broadcast(const struct comm *comm, void *bytes, size_t size, int root,
                           film_error *error);

/* SIZES[i] bytes of process i, one behind the other, in every process. */
film_status comm_gather(const struct comm *comm, const void *mine, void *all, const size_t *sizes,
                        film_error *error);
/* The same where only each process knows how much it has: *ALL and *SIZES (one per process) are to
 * be freed with mem_free. */
film_status comm_gather_all(const struct comm *comm, const void *mine, size_t size, void **all,
                            size_t **sizes, film_error *error);

/* The same of COUNT things of WIDTH bytes, of which each process has its even share
 * (comm_begin). */
film_status comm_gather_shares(const struct comm *comm, const void *mine, size_t width,
                               size_t count, void *all, film_error *error);
/* The same where process 0 alone gets them, however many each has: *ALL is to be freed with
 * mem_free. */
film_status comm_collect(const struct comm *comm, const void *mine, size_t size, void **all,
                         film_error *error);

/* Process i gets OUT_SIZES[i] bytes, stretch i of OUT; stretch i of IN has what came from it. */
film_status comm_exchange(const struct comm *comm, const void *out, const size_t *out_sizes,
                          void *in, const size_t *in_sizes, film_error *error);
/* The same where the receiver does not know the sizes: *IN and *IN_SIZES are to be freed with
 * mem_free. */
film_status comm_exchange_all(const struct comm *comm, const void *out, const size_t *out_sizes,
                              void **in, size_t **in_sizes, film_error *error);

/* FILM_OK when every process says FILM_OK; else each fails. One that was fine is told that another
 * stopped. */
film_status comm_agree(const struct comm *comm, film_status status, film_error *error);

/* Bytes this process has handed to the others so far, and the sum over all of what came since
 * BEFORE. */
uint64_t comm_sent(const struct comm *comm);
film_status comm_sent_since(const struct comm *comm, uint64_t before, uint64_t *sum,
                            film_error *error);

/* Where process RANK's even share of TOTAL things begins; that of RANK + 1 is its end. */
static inline size_t comm_begin(const struct comm *comm, size_t total, int rank)
{
    size_t size = (size_t)comm->size, at = (size_t)rank;
    return total / size * at + total % size * at / size;
}

#endif
