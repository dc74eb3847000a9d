/* The MPI job. A process that mpirun started joins it; otherwise MPI is never loaded. */
#include "modules.h"

#include <stdlib.h>
#include <string.h>

film_job *job;
static const struct train_calls *calls;

/* Recognises the launcher of Open MPI, and those with PMI (Slurm, MPICH). */
static int under_mpirun(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_RANK") || getenv("PMI_RANK");
}

film_status job_join(film_error *error)
{
    if (!under_mpirun()) return FILM_OK;
    calls = load_train_calls(error);
    return calls ? calls->job_join(&job, error) : FILM_IO;
}

int job_rank(void)
{
    return job ? calls->job_rank(job) : 0;
}

int job_size(void)
{
    return job ? calls->job_size(job) : 1;
}

film_status job_sum(uint64_t *values, size_t count, film_error *error)
{
    return job ? calls->job_sum(job, values, count, error) : FILM_OK;
}

film_status job_output_open(const char *path, film_output **out, film_error *error)
{
    return job ? calls->output_open_job(job, path, out, error) : film_output_open(path, out, error);
}

void job_leave(void)
{
    if (job) calls->job_leave(job);
}

void job_abort(int code)
{
    if (job) calls->job_abort(job, code);
}
