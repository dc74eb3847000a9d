/* How many threads: the one place that decides. Loops are OpenMP, as is OpenBLAS. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

/* WANTED when positive, else FILM_THREADS of the environment, else the cores this process may use.
 * Also makes BLAS calls of the calling thread use that many. */
int threads_use(int wanted);

#endif
