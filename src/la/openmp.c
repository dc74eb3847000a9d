/* Sets the number of threads of OpenMP and BLAS. base/threads.c decides the number. */
#include "la/openmp.h"
#include "base/threads.h"

#include <omp.h>

int openmp_use(int wanted)
{
    wanted = threads_count(wanted);
    omp_set_num_threads(wanted); /* affects the calling thread only; OpenBLAS follows it */
    return wanted;
}
