/* Implements film_job for a library built without MPI: joining never finds a job. A process that
 * mpirun started gets an error, because it would repeat the work of all the others. */
#include "base/comm.h"
#include "film_io.h"

#include <stdlib.h>

film_status film_job_join(film_job **out, film_error *error)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    *out = NULL;
    if (!size || atoi(size) < 2) return FILM_OK;
    return status_set(error, FILM_USAGE,
                      "this film was built without MPI and cannot run with %d other processes; "
                      "start it without mpirun, or build it with libopenmpi-dev",
                      atoi(size) - 1);
}

void film_job_leave(film_job *job)
{
    (void)job;
}

void film_job_abort(film_job *job, int code)
{
    (void)job, (void)code;
}
