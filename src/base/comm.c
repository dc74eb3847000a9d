#include "base/comm.h"

static film_status keep_float(void *self, float *values, size_t count, film_error *error)
{
    (void)self, (void)values, (void)count, (void)error;
    return FILM_OK;
}

static film_status keep_double(void *self, double *values, size_t count, film_error *error)
{
    (void)self, (void)values, (void)count, (void)error;
    return FILM_OK;
}

static film_status keep_bytes(void *self, void *bytes, size_t count, int root, film_error *error)
{
    (void)self, (void)bytes, (void)count, (void)root, (void)error;
    return FILM_OK;
}

const struct comm comm_single = {0, 1, NULL, keep_float, keep_double, keep_bytes};
