/* The calls of film_io.h about a job that need no MPI: they go through base/comm.h, whatever made
 * the job. Joining and leaving one is job.c's. */
#include "base/comm.h"
#include "base/file.h"
#include "film_io.h"

int film_job_rank(const film_job *job)
{
    return comm_of(job)->rank;
}

int film_job_size(const film_job *job)
{
    return comm_of(job)->size;
}

film_status film_job_sum(film_job *job, uint64_t *values, size_t count, film_error *error)
{
    const struct comm *comm = comm_of(job);
    if (count && !values) return status_set(error, FILM_USAGE, "values is NULL");
    if (comm->size == 1) return FILM_OK;
    /* Sizes are summed. A machine whose sizes have 32 bits has no jobs of several processes. */
    if (sizeof(size_t) != sizeof *values)
        return status_set(error, FILM_USAGE, "jobs of several processes need a 64-bit machine");
    return comm_sum_counts(comm, (size_t *)values, count, error);
}

film_status film_output_open_job(film_job *job, const char *path, film_output **out,
                                 film_error *error)
{
    if (!path || !out) return status_set(error, FILM_USAGE, "%s is NULL", path ? "out" : "path");
    return output_open_job(comm_of(job), path, out, error);
}
