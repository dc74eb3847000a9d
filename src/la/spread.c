/* Matrices whose rows are partitioned over the processes of a job: gathering, summing, products. It
 * processes STRIP columns at a time, so that no process holds a whole matrix. */
#include "la/spread.h"

#include "base/mem.h"

#include <string.h>

/* Columns per transfer. */
enum { STRIP = 32 };

size_t spread_first(const struct comm *comm, size_t total)
{
    return comm_begin(comm, total, comm->rank);
}

size_t spread_rows(const struct comm *comm, size_t total)
{
    return comm_begin(comm, total, comm->rank + 1) - comm_begin(comm, total, comm->rank);
}

/* The bytes or counts that each process has of TOTAL items of SIZE. */
static size_t *shares(const struct comm *comm, size_t total, size_t size)
{
    size_t *share = mem_array((size_t)comm->size, sizeof *share);
    for (int i = 0; share && i < comm->size; i++)
        share[i] = (comm_begin(comm, total, i + 1) - comm_begin(comm, total, i)) * size;
    return share;
}

film_status spread_gather(const struct comm *comm, size_t total, size_t width, const float *mine,
                          float *all, film_error *error)
{
    size_t *sizes = shares(comm, total, width * sizeof *mine);
    if (!sizes) return status_no_memory(error);
    film_status status = comm_gather(comm, mine, all, sizes, error);
    mem_free(sizes);
    return status;
}

film_status spread_sum(const struct comm *comm, size_t total, size_t width, const float *all,
                       float *mine, film_error *error)
{
    size_t *counts = shares(comm, total, width);
    if (!counts) return status_no_memory(error);
    film_status status = comm_sum_shares(comm, all, counts, mine, error);
    mem_free(counts);
    return status;
}

/* Copies columns AT .. AT + SOME - 1 of FROM (rows x width) to TO (rows x some), and back. */
static void gather_columns(const float *from, size_t rows, size_t width, size_t at, size_t some,
                           float *to)
{
    for (size_t i = 0; i < rows; i++)
        memcpy(to + i * some, from + i * width + at, some * sizeof *to);
}

static void scatter_columns(const float *from, size_t rows, size_t some, size_t at, size_t width,
                            float *to)
{
    for (size_t i = 0; i < rows; i++)
        memcpy(to + i * width + at, from + i * some, some * sizeof *to);
}

film_status spread_times(const struct comm *comm, const struct csr *x, const float *mine,
                         size_t width, int threads, float *out, film_error *error)
{
    film_status status = FILM_OK;
    float *strip = NULL, *all = NULL, *product = NULL;
    size_t rows = spread_rows(comm, x->cols);
    if (comm->size == 1) {
        csr_times(x, mine, width, threads, out);
        return FILM_OK;
    }
    TRY_ALLOC((strip = mem_array(rows, STRIP * sizeof *strip)) &&
                  (all = mem_aligned(x->cols, STRIP * sizeof *all)) &&
                  (product = mem_array(x->rows, STRIP * sizeof *product)),
              error);
    for (size_t at = 0; at < width; at += STRIP) {
        size_t some = width - at < STRIP ? width - at : STRIP;
        gather_columns(mine, rows, width, at, some, strip);
        TRY(spread_gather(comm, x->cols, some, strip, all, error));
        csr_times(x, all, some, threads, product);
        scatter_columns(product, x->rows, some, at, width, out);
    }
done:
    mem_free(strip);
    mem_free_aligned(all);
    mem_free(product);
    return status;
}

film_status spread_sum_times(const struct comm *comm, const struct csr *t, const float *a,
                             size_t width, int threads, float *mine, film_error *error)
{
    film_status status = FILM_OK;
    float *strip = NULL, *all = NULL, *sum = NULL;
    size_t rows = spread_rows(comm, t->rows);
    if (comm->size == 1) {
        csr_times(t, a, width, threads, mine);
        return FILM_OK;
    }
    TRY_ALLOC((strip = mem_aligned(t->cols, STRIP * sizeof *strip)) &&
                  (all = mem_array(t->rows, STRIP * sizeof *all)) &&
                  (sum = mem_array(rows, STRIP * sizeof *sum)),
              error);
    for (size_t at = 0; at < width; at += STRIP) {
        size_t some = width - at < STRIP ? width - at : STRIP;
        gather_columns(a, t->cols, width, at, some, strip);
        csr_times(t, strip, some, threads, all);
        TRY(spread_sum(comm, t->rows, some, all, sum, error));
        scatter_columns(sum, rows, some, at, width, mine);
    }
done:
    mem_free_aligned(strip);
    mem_free(all);
    mem_free(sum);
    return status;
}
