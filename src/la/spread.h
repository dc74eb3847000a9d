/* Matrices with a row per feature whose rows are dealt out to the processes of a job, each an even
 * stretch (comm_begin). Whole they are never in memory: where all rows are needed, they come some
 * columns at a time. In a job of one process these are plain products, without a copy. */
#ifndef LA_SPREAD_H
#define LA_SPREAD_H

#include "base/comm.h"
#include "la/csr.h"

/* This process's rows of TOTAL, and the first of them. */
size_t spread_rows(const struct comm *comm, size_t total);
size_t spread_first(const struct comm *comm, size_t total);

/* ALL (total x width) from every process's MINE (its rows x width). */
film_status spread_gather(const struct comm *comm, size_t total, size_t width, const float *mine,
                          float *all, film_error *error);

/* MINE: this process's rows of the sum of every process's ALL. */
film_status spread_sum(const struct comm *comm, size_t total, size_t width, const float *all,
                       float *mine, film_error *error);

/* OUT (x->rows x width) = X B; of B (x->cols x width) MINE are this process's rows. */
film_status spread_times(const struct comm *comm, const struct csr *x, const float *mine,
                         size_t width, int threads, float *out, film_error *error);

/* MINE: this process's rows of the sum over the processes of T A, each its own T (total x rows) and
 * A (rows x width). */
film_status spread_sum_times(const struct comm *comm, const struct csr *t, const float *a,
                             size_t width, int threads, float *mine, film_error *error);

#endif
