/* BLAS on one thread. Parallel loops are ours (base/threads.h): each worker calls BLAS for its own
 * block. OpenBLAS dividing a product itself would start threads inside of threads, and the last
 * bits of a result would depend on their number. */
#ifndef LA_BLAS_H
#define LA_BLAS_H

/* Between blas_begin and blas_end, BLAS and LAPACK compute on the thread that calls them. The
 * setting belongs to the process: calls nest, threads may overlap, and the last blas_end restores
 * what the program had chosen. */
void blas_begin(void);
void blas_end(void);

#endif
