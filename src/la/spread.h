/* Matrices with one row per feature, whose rows are partitioned over the processes of a job into
 * equal contiguous ranges (comm_begin). No process ever holds the whole matrix: where all rows are
 * needed, a few columns are gathered at a time. In a job of one process these are plain products
 * without a copy. */
#ifndef LA_SPREAD_H
#define LA_SPREAD_H

#include "base/comm.h"
#include "la/csr.h"

/* The number of rows of TOTAL that this process has, and the first of them. */
size_t spread_rows(const struct comm *comm, size_t total);
size_t spread_first(const struct comm *comm, size_t total);

/* Gathers ALL (total x width) from every process's MINE (its rows x width). */
film_status spread_gather(const struct comm *comm, size_t total, size_t width, const float *mine,
                          float *all, film_error *error);

/* MINE = this process's rows of the sum of all processes' ALL (reduce-scatter). */
film_status spread_sum(const struct comm *comm, size_t total, size_t width, const float *all,
                       float *mine, film_error *error);

/* OUT (x->rows x width) = X B. MINE is this process's rows of B (x->cols x width). */
film_status spread_times(const struct comm *comm, const struct csr *x, const float *mine,
                         size_t width, int threads, float *out, film_error *error);

/* MINE = this process's rows of the sum over all processes of T A. Each process has its own T
 * (total x rows) and A (rows x width). */
film_status spread_sum_times(const struct comm *comm, const struct csr *t, const float *a,
                             size_t width, int threads, float *mine, film_error *error);

#endif
