/* The number of threads of OpenBLAS, which is global to the process: 1 while anyone computes, then
 * as before. */
#include "la/blas.h"

#include <cblas.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int users, before;

void blas_begin(void)
{
    pthread_mutex_lock(&lock);
    if (users++ == 0) {
        before = openblas_get_num_threads();
        openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&lock);
}

void blas_end(void)
{
    pthread_mutex_lock(&lock);
    if (--users == 0) openblas_set_num_threads(before);
    pthread_mutex_unlock(&lock);
}
