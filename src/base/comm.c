/* Collective operations of a job in terms of a few engine functions, and the communicator of a
 * single process. */
#include "base/comm.h"
#include "base/mem.h"
#include "base/clock.h"

#include <string.h>

const struct comm comm_single = {0, 1, NULL, NULL, NULL};

/* Calls the engine and records bytes and time. */
#define MEASURED(comm, kind, bytes, call)                     \
    do {                                                      \
        double began_ = clock_seconds();                      \
        film_status status_ = (call);                         \
        (comm)->traffic->calls++;                             \
        (comm)->traffic->kind += (uint64_t)(bytes);           \
        (comm)->traffic->seconds += clock_seconds() - began_; \
        return status_;                                       \
    } while (0)

film_status comm_sum_float(const struct comm *comm, float *values, size_t count, film_error *error)
{
    if (comm->size == 1) return FILM_OK;
    MEASURED(comm, summed, count * sizeof *values,
             comm->engine->sum_float(comm->self, values, count, error));
}

film_status comm_sum_double(const struct comm *comm, double *values, size_t count,
                            film_error *error)
{
    if (comm->size == 1) return FILM_OK;
    MEASURED(comm, summed, count * sizeof *values,
             comm->engine->sum_double(comm->self, values, count, error));
}

film_status comm_sum_counts(const struct comm *comm, size_t *values, size_t count,
                            film_error *error)
{
    film_status status = FILM_OK;
    double *sums = NULL;
    if (comm->size == 1) return FILM_OK;
    TRY_ALLOC(sums = mem_array(count, sizeof *sums), error);
    for (size_t i = 0; i < count; i++) sums[i] = (double)values[i];
    TRY(comm_sum_double(comm, sums, count, error));
    for (size_t i = 0; i < count; i++) values[i] = (size_t)sums[i];
done:
    mem_free(sums);
    return status;
}

static size_t total(const struct comm *comm, const size_t *sizes)
{
    size_t sum = 0;
    for (int i = 0; i < comm->size; i++) sum += sizes[i];
    return sum;
}

film_status comm_sum_shares(const struct comm *comm, const float *values, const size_t *counts,
                            float *mine, film_error *error)
{
    if (comm->size == 1) {
        if (counts[0]) memcpy(mine, values, counts[0] * sizeof *mine);
        return FILM_OK;
    }
    MEASURED(comm, shared, total(comm, counts) * sizeof *values,
             comm->engine->sum_shares(comm->self, values, counts, mine, error));
}

film_status comm_broadcast(const struct comm *comm, void *bytes, size_t size, int root,
                           film_error *error)
{
    if (comm->size == 1) return FILM_OK;
    MEASURED(comm, broadcast, comm->rank == root ? size : 0,
             comm->engine->broadcast(comm->self, bytes, size, root, error));
}

film_status comm_gather(const struct comm *comm, const void *mine, void *all, const size_t *sizes,
                        film_error *error)
{
    if (comm->size == 1) {
        if (sizes[0]) memcpy(all, mine, sizes[0]);
        return FILM_OK;
    }
    MEASURED(comm, gathered, sizes[comm->rank],
             comm->engine->gather(comm->self, mine, all, sizes, error));
}

film_status comm_gather_all(const struct comm *comm, const void *mine, size_t size, void **all,
                            size_t **sizes, film_error *error)
{
    film_status status = FILM_OK;
    *all = NULL;
    TRY_ALLOC(*sizes = mem_zeroed((size_t)comm->size, sizeof **sizes), error);
    (*sizes)[comm->rank] = size;
    TRY(comm_sum_counts(comm, *sizes, (size_t)comm->size, error));
    TRY_ALLOC(*all = mem_array(total(comm, *sizes), 1), error);
    TRY(comm_gather(comm, mine, *all, *sizes, error));
done:
    return status;
}

film_status comm_gather_shares(const struct comm *comm, const void *mine, size_t width,
                               size_t count, void *all, film_error *error)
{
    film_status status = FILM_OK;
    size_t *sizes = mem_array((size_t)comm->size, sizeof *sizes);
    TRY_ALLOC(sizes, error);
    for (int i = 0; i < comm->size; i++)
        sizes[i] = (comm_begin(comm, count, i + 1) - comm_begin(comm, count, i)) * width;
    TRY(comm_gather(comm, mine, all, sizes, error));
done:
    mem_free(sizes);
    return status;
}

film_status comm_collect(const struct comm *comm, const void *mine, size_t size, void **all,
                         film_error *error)
{
    film_status status = FILM_OK;
    size_t *in_sizes = NULL, *sizes = mem_zeroed((size_t)comm->size, sizeof *sizes);
    *all = NULL;
    TRY_ALLOC(sizes, error);
    sizes[0] = size;
    TRY(comm_exchange_all(comm, mine, sizes, all, &in_sizes, error));
done:
    mem_free(sizes);
    mem_free(in_sizes);
    return status;
}

film_status comm_exchange(const struct comm *comm, const void *out, const size_t *out_sizes,
                          void *in, const size_t *in_sizes, film_error *error)
{
    if (comm->size == 1) {
        if (out_sizes[0]) memcpy(in, out, out_sizes[0]);
        return FILM_OK;
    }
    MEASURED(comm, exchanged, total(comm, out_sizes) - out_sizes[comm->rank],
             comm->engine->exchange(comm->self, out, out_sizes, in, in_sizes, error));
}

film_status comm_exchange_all(const struct comm *comm, const void *out, const size_t *out_sizes,
                              void **in, size_t **in_sizes, film_error *error)
{
    film_status status = FILM_OK;
    size_t processes = (size_t)comm->size;
    size_t *one = NULL;
    *in = NULL;
    *in_sizes = NULL;
    TRY_ALLOC(one = mem_array(processes, sizeof *one), error);
    TRY_ALLOC(*in_sizes = mem_array(processes, sizeof **in_sizes), error);
    for (size_t i = 0; i < processes; i++) one[i] = sizeof *out_sizes;
    TRY(comm_exchange(comm, out_sizes, one, *in_sizes, one, error));
    TRY_ALLOC(*in = mem_array(total(comm, *in_sizes), 1), error);
    TRY(comm_exchange(comm, out, out_sizes, *in, *in_sizes, error));
done:
    mem_free(one);
    return status;
}

film_status comm_agree(const struct comm *comm, film_status status, film_error *error)
{
    if (comm->size == 1) return status;
    double failed = status != FILM_OK;
    film_status sent = comm_sum_double(comm, &failed, 1, status == FILM_OK ? error : NULL);
    if (status != FILM_OK) return status;
    if (sent != FILM_OK) return sent;
    return failed > 0.0 ? status_set(error, FILM_CANCELLED,
                                     "another process of the job stopped; see its message")
                        : FILM_OK;
}

uint64_t comm_sent(const struct comm *comm)
{
    const struct comm_traffic *t = comm->traffic;
    return t ? t->summed + t->shared + t->broadcast + t->gathered + t->exchanged : 0;
}

film_status comm_sent_since(const struct comm *comm, uint64_t before, uint64_t *sum,
                            film_error *error)
{
    size_t bytes = (size_t)(comm_sent(comm) - before);
    film_status status = comm_sum_counts(comm, &bytes, 1, error);
    *sum = bytes;
    return status;
}
