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
    _Static_assert(sizeof(size_t) == sizeof *values, "sizes have 64 bits");
    if (count && !values) return status_set(error, FILM_USAGE, "values is NULL");
    return comm_sum_counts(comm_of(job), (size_t *)values, count, error);
}

film_status film_output_open_job(film_job *job, const char *path, film_output **out,
                                 film_error *error)
{
    if (!path || !out) return status_set(error, FILM_USAGE, "%s is NULL", path ? "out" : "path");
    return output_open_job(comm_of(job), path, out, error);
}
