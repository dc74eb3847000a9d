/* A library for LD_PRELOAD that kills one process of an MPI job at a chosen call, so that a test
 * does not depend on timing. It intercepts calls through MPI's profiling interface. job_dies in
 * tests/cli/tap.sh uses it:
 *   DIE_PROCESS   the rank of the process
 *   DIE_AT        the communicating MPI call before which it dies: 1 is the first; 0: never, but it
 *                 prints the number of calls at the end */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default")))

static long calls;

static int chosen(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *process = getenv("DIE_PROCESS");
    return rank && process && atoi(rank) == atoi(process);
}

static void count(void)
{
    const char *at = getenv("DIE_AT");
    if (chosen() && ++calls == (at ? atol(at) : 0)) raise(SIGKILL);
}

EXPORTED int MPI_Allreduce(const void *out, void *in, int size, MPI_Datatype type, MPI_Op op,
                           MPI_Comm comm)
{
    count();
    return PMPI_Allreduce(out, in, size, type, op, comm);
}

EXPORTED int MPI_Reduce_scatter(const void *out, void *in, const int *sizes, MPI_Datatype type,
                                MPI_Op op, MPI_Comm comm)
{
    count();
    return PMPI_Reduce_scatter(out, in, sizes, type, op, comm);
}

EXPORTED int MPI_Bcast(void *bytes, int size, MPI_Datatype type, int root, MPI_Comm comm)
{
    count();
    return PMPI_Bcast(bytes, size, type, root, comm);
}

EXPORTED int MPI_Isend(const void *bytes, int size, MPI_Datatype type, int to, int tag,
                       MPI_Comm comm, MPI_Request *request)
{
    count();
    return PMPI_Isend(bytes, size, type, to, tag, comm, request);
}

EXPORTED int MPI_Finalize(void)
{
    if (chosen()) fprintf(stderr, "%ld calls\n", calls);
    return PMPI_Finalize();
}
