/* Implements the film_job calls of film_io.h that need no MPI: they use the communicator of
 * base/comm.h. Joining and leaving a job is in job.c (with MPI) or no_job.c (without). */
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
    /* comm_sum_counts sums size_t values. Jobs of several processes need 64-bit sizes anyway. */
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
