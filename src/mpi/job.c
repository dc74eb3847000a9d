/* Implements film_job and the communicator of base/comm.h with MPI. No other file includes mpi.h.
 *
 * MPI starts only in a process that an MPI launcher started, which its environment variables show.
 * All calls come from one thread, outside parallel regions (MPI_THREAD_FUNNELED). Our sizes have 64
 * bits and MPI's are int, so large arrays are sent in chunks. A failing MPI call ends the whole
 * job: that is MPI's default, and the other processes could not continue anyway. */
#include "base/comm.h"
#include "base/mem.h"
#include "film_io.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* The most elements or bytes that one MPI call transfers. */
enum { MOST_PER_CALL = 1 << 28 };

static int at_once(size_t left)
{
    return left < MOST_PER_CALL ? (int)left : MOST_PER_CALL;
}

static film_status sum(void *values, size_t count, size_t width, MPI_Datatype type)
{
    for (size_t at = 0; at < count; at += MOST_PER_CALL)
        MPI_Allreduce(MPI_IN_PLACE, (char *)values + at * width, at_once(count - at), type, MPI_SUM,
                      MPI_COMM_WORLD);
    return FILM_OK;
}

static film_status sum_float(void *self, float *values, size_t count, film_error *error)
{
    (void)self, (void)error;
    return sum(values, count, sizeof *values, MPI_FLOAT);
}

static film_status sum_double(void *self, double *values, size_t count, film_error *error)
{
    (void)self, (void)error;
    return sum(values, count, sizeof *values, MPI_DOUBLE);
}

static film_status sum_shares(void *self, const float *values, const size_t *counts, float *mine,
                              film_error *error)
{
    const struct comm *comm = self;
    film_status status = FILM_OK;
    int *small = mem_array((size_t)comm->size, sizeof *small);
    TRY_ALLOC(small, error);
    for (int i = 0; i < comm->size; i++) {
        if (counts[i] > MOST_PER_CALL)
            TRY(status_set(error, FILM_USAGE,
                           "too much data for one process of the job; start more processes"));
        small[i] = (int)counts[i];
    }
    MPI_Reduce_scatter(values, mine, small, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
done:
    mem_free(small);
    return status;
}

static film_status broadcast(void *self, void *bytes, size_t size, int root, film_error *error)
{
    (void)self, (void)error;
    for (size_t at = 0; at < size; at += MOST_PER_CALL)
        MPI_Bcast((char *)bytes + at, at_once(size - at), MPI_BYTE, root, MPI_COMM_WORLD);
    return FILM_OK;
}

/* Sends OUT to process TO while receiving IN from process FROM. Both send at least one message,
 * even an empty one, so the two processes always agree on the number of messages. */
static void send_receive(const char *out, size_t out_size, int to, char *in, size_t in_size,
                         int from)
{
    size_t sent = 0, got = 0;
    for (int first = 1; first || sent < out_size || got < in_size; first = 0) {
        int here = at_once(out_size - sent), there = at_once(in_size - got), requests = 0;
        MPI_Request request[2];
        if (first || got < in_size)
            MPI_Irecv(in + got, there, MPI_BYTE, from, 0, MPI_COMM_WORLD, &request[requests++]);
        if (first || sent < out_size)
            MPI_Isend(out + sent, here, MPI_BYTE, to, 0, MPI_COMM_WORLD, &request[requests++]);
        MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
        sent += (size_t)here;
        got += (size_t)there;
    }
}

/* Returns where PROCESS's chunk starts in BYTES, which holds one chunk per process, in rank
 * order. */
static const char *chunk_of(const void *bytes, const size_t *sizes, int process)
{
    const char *at = bytes;
    for (int i = 0; i < process; i++) at += sizes[i];
    return at;
}

/* All-to-all exchange. In step s every process sends to rank + s and receives from rank - s, so
 * that no process receives from two at once. */
static film_status exchange(void *self, const void *out, const size_t *out_sizes, void *in,
                            const size_t *in_sizes, film_error *error)
{
    const struct comm *comm = self;
    (void)error;
    if (out_sizes[comm->rank]) /* to oneself */
        memcpy((char *)in + (chunk_of(in, in_sizes, comm->rank) - (const char *)in),
               chunk_of(out, out_sizes, comm->rank), out_sizes[comm->rank]);
    for (int step = 1; step < comm->size; step++) {
        int to = (comm->rank + step) % comm->size;
        int from = (comm->rank - step + comm->size) % comm->size;
        send_receive(chunk_of(out, out_sizes, to), out_sizes[to], to,
                     (char *)in + (chunk_of(in, in_sizes, from) - (const char *)in), in_sizes[from],
                     from);
    }
    return FILM_OK;
}

/* Gathers every process's chunk MINE into ALL in all processes, in the same ring order as
 * exchange. */
static film_status gather_all(void *self, const void *mine, void *all, const size_t *sizes,
                              film_error *error)
{
    const struct comm *comm = self;
    (void)error;
    if (sizes[comm->rank])
        memcpy((char *)all + (chunk_of(all, sizes, comm->rank) - (const char *)all), mine,
               sizes[comm->rank]);
    for (int step = 1; step < comm->size; step++) {
        int to = (comm->rank + step) % comm->size;
        int from = (comm->rank - step + comm->size) % comm->size;
        send_receive(mine, sizes[comm->rank], to,
                     (char *)all + (chunk_of(all, sizes, from) - (const char *)all), sizes[from],
                     from);
    }
    return FILM_OK;
}

static const struct comm_engine engine = {sum_float, sum_double, sum_shares,
                                          broadcast, gather_all, exchange};

/* Returns whether an MPI launcher started this process: Open MPI's own, or one that speaks PMI or
 * PMIx (Slurm, MPICH). */
static int was_launched(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_RANK") || getenv("PMI_RANK");
}

film_status film_job_join(film_job **out, film_error *error)
{
    film_status status = FILM_OK;
    int level;
    film_job *job = NULL;
    *out = NULL;
    if (!was_launched()) return FILM_OK;
    TRY_ALLOC(job = mem_zeroed(1, sizeof *job), error);
    TRY_ALLOC(job->comm.traffic = mem_zeroed(1, sizeof *job->comm.traffic), error);
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &job->comm.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job->comm.size);
    job->comm.engine = &engine;
    job->comm.self = &job->comm;
    if (level < MPI_THREAD_FUNNELED)
        TRY(status_set(error, FILM_USAGE,
                       "this MPI does not support threads; use one with MPI_THREAD_FUNNELED"));
    if (job->comm.size == 1) {
        film_job_leave(job);
        return FILM_OK;
    }
    *out = job;
    return FILM_OK;
done:
    if (job) mem_free(job->comm.traffic);
    mem_free(job);
    return status;
}

void film_job_leave(film_job *job)
{
    if (!job) return;
    MPI_Finalize();
    mem_free(job->comm.traffic);
    mem_free(job);
}

void film_job_abort(film_job *job, int code)
{
    if (job) MPI_Abort(MPI_COMM_WORLD, code);
}
