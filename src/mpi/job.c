/* film_job by MPI: the one file that knows it.
 *
 * MPI is started only in a process that mpirun started: its launcher says so in the environment.
 * Calls come from one thread, outside of parallel regions (MPI_THREAD_FUNNELED). Sizes are 64 bits
 * here and `int` in MPI, so large arrays go in stretches. A call that fails ends the job by itself:
 * MPI's own default, and the right thing, since the others could not go on. */
#include "base/comm.h"
#include "base/mem.h"
#include "film_io.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { STRETCH = 1 << 28 }; /* elements or bytes of one MPI call */

static int at_once(size_t left)
{
    return left < STRETCH ? (int)left : STRETCH;
}

static film_status sum(void *values, size_t count, size_t width, MPI_Datatype type)
{
    for (size_t at = 0; at < count; at += STRETCH)
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
        if (counts[i] > STRETCH)
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
    for (size_t at = 0; at < size; at += STRETCH)
        MPI_Bcast((char *)bytes + at, at_once(size - at), MPI_BYTE, root, MPI_COMM_WORLD);
    return FILM_OK;
}

/* OUT to process TO while IN comes from process FROM, each in at least one message. */
static void swap(const char *out, size_t out_size, int to, char *in, size_t in_size, int from)
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

static const char *stretch_of(const void *bytes, const size_t *sizes, int process)
{
    const char *at = bytes;
    for (int i = 0; i < process; i++) at += sizes[i];
    return at;
}

static film_status exchange(void *self, const void *out, const size_t *out_sizes, void *in,
                            const size_t *in_sizes, film_error *error)
{
    const struct comm *comm = self;
    (void)error;
    if (out_sizes[comm->rank]) /* to oneself */
        memcpy((char *)in + (stretch_of(in, in_sizes, comm->rank) - (const char *)in),
               stretch_of(out, out_sizes, comm->rank), out_sizes[comm->rank]);
    for (int step = 1; step < comm->size; step++) {
        int to = (comm->rank + step) % comm->size;
        int from = (comm->rank - step + comm->size) % comm->size;
        swap(stretch_of(out, out_sizes, to), out_sizes[to], to,
             (char *)in + (stretch_of(in, in_sizes, from) - (const char *)in), in_sizes[from],
             from);
    }
    return FILM_OK;
}

static film_status gather(void *self, const void *mine, void *all, const size_t *sizes,
                          film_error *error)
{
    const struct comm *comm = self;
    (void)error;
    if (sizes[comm->rank])
        memcpy((char *)all + (stretch_of(all, sizes, comm->rank) - (const char *)all), mine,
               sizes[comm->rank]);
    for (int step = 1; step < comm->size; step++) {
        int to = (comm->rank + step) % comm->size;
        int from = (comm->rank - step + comm->size) % comm->size;
        swap(mine, sizes[comm->rank], to,
             (char *)all + (stretch_of(all, sizes, from) - (const char *)all), sizes[from], from);
    }
    return FILM_OK;
}

static const struct comm_engine engine = {sum_float, sum_double, sum_shares,
                                          broadcast, gather,     exchange};

/* Open MPI's launcher, and those that speak PMI (Slurm, MPICH's). */
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
