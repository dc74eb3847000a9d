/* How many threads OpenMP and BLAS use: the number is base/threads.c's decision, OpenMP only
 * follows. */
#include "la/openmp.h"
#include "base/threads.h"

#include <omp.h>

int openmp_use(int wanted)
{
    wanted = threads_count(wanted);
    omp_set_num_threads(wanted); /* a setting of this thread alone; OpenBLAS follows it */
    return wanted;
}
