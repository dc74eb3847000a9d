/* Threads of OpenMP, for learning: its loops and OpenBLAS (the OpenMP variant) share one pool. */
#ifndef LA_OPENMP_H
#define LA_OPENMP_H

/* As threads_count (base/threads.h), and makes BLAS calls of the calling thread use that many. */
int openmp_use(int wanted);

#endif
