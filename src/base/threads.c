/* Decides how many threads a call uses: what it asks for, FILM_THREADS, or the processors there
 * are. */
#include "base/threads.h"

#include <omp.h>
#include <stdlib.h>

enum { MOST_THREADS = 1024 };

int threads_use(int wanted)
{
    if (wanted <= 0) {
        const char *variable = getenv("FILM_THREADS");
        wanted = variable ? atoi(variable) : 0;
    }
    if (wanted <= 0) wanted = omp_get_num_procs();
    if (wanted > MOST_THREADS) wanted = MOST_THREADS;
    omp_set_num_threads(wanted); /* an OpenMP setting of this thread alone; OpenBLAS follows it */
    return wanted;
}
