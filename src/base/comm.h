/* Talking to the other processes of a job. Solvers call through this interface and do not know what
 * is behind it; the single-process version below does nothing. Every process calls in the same
 * order. */
#ifndef BASE_COMM_H
#define BASE_COMM_H

#include "base/status.h"

struct comm {
    int rank, size;
    void *self;
    /* Element-wise sum over all processes, the result in every one. */
    film_status (*sum_float)(void *self, float *values, size_t count, film_error *error);
    film_status (*sum_double)(void *self, double *values, size_t count, film_error *error);
    /* Copies the bytes of process ROOT to all others. */
    film_status (*broadcast)(void *self, void *bytes, size_t count, int root, film_error *error);
};

/* A job of one process. */
extern const struct comm comm_single;

#endif
