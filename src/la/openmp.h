/* The number of OpenMP threads for training. Our loops and OpenBLAS (its OpenMP variant) share one
 * thread pool. */
#ifndef LA_OPENMP_H
#define LA_OPENMP_H

/* Like threads_count (base/threads.h). It also makes BLAS calls of the calling thread use that
 * number of threads. */
int openmp_use(int wanted);

#endif
