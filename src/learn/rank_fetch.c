/* Fetches sparse rows by number from the processes that own them, with dropout. rank_batch.c uses
 * the rows. */
#include "learn/rank_fetch.h"
#include "base/mem.h"
#include "base/rng.h"
#include "learn/packed_rows.h"

#include <string.h>

film_status rank_fetch_init(struct rank_fetch *fetch, const struct comm *comm, size_t rows,
                            film_error *error)
{
    film_status status = FILM_OK;
    size_t processes = (size_t)comm->size;
    *fetch = (struct rank_fetch){.comm = comm};
    TRY_ALLOC((fetch->first = mem_zeroed(processes + 1, sizeof *fetch->first)) &&
                  (fetch->sizes = mem_array(processes, sizeof *fetch->sizes)) &&
                  (fetch->next = mem_array(processes, sizeof *fetch->next)) &&
                  (fetch->start = mem_zeroed(rows + 1, sizeof *fetch->start)) &&
                  (fetch->from = mem_array(rows, sizeof *fetch->from)) &&
                  (fetch->owner = mem_array(rows, sizeof *fetch->owner)) &&
                  (fetch->length = mem_array(rows, sizeof *fetch->length)) &&
                  (fetch->lengths = mem_array(rows, sizeof *fetch->lengths)),
              error);
done:
    if (status != FILM_OK) rank_fetch_free(fetch);
    return status;
}

void rank_fetch_free(struct rank_fetch *fetch)
{
    mem_free(fetch->first);
    mem_free(fetch->start);
    mem_free(fetch->col);
    mem_free(fetch->val);
    mem_free(fetch->owner);
    mem_free(fetch->length);
    mem_free(fetch->lengths);
    mem_free(fetch->from);
    mem_free(fetch->sizes);
    mem_free(fetch->next);
    mem_free(fetch->came_col);
    mem_free(fetch->came_val);
    memset(fetch, 0, sizeof *fetch);
}

/* Fills fetch->first; OWN is the number of rows of this process. Collective. */
static film_status number_rows(struct rank_fetch *fetch, size_t own, film_error *error)
{
    int size = fetch->comm->size;
    for (int i = 0; i < size; i++) fetch->sizes[i] = sizeof own;
    film_status status = comm_gather(fetch->comm, &own, fetch->first + 1, fetch->sizes, error);
    for (int i = 0; i < size; i++) fetch->first[i + 1] += fetch->first[i];
    return status;
}

static uint32_t owner_of(const struct rank_fetch *fetch, uint32_t row)
{
    size_t low = 0, high = (size_t)fetch->comm->size; /* first[low] <= row < first[high] */
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (row < fetch->first[middle])
            high = middle;
        else
            low = middle;
    }
    return (uint32_t)low;
}

/* Computes fetch->start from the lengths of all rows. The data of process i start at fetch->next[i]
 * with the first of its rows, which gives each row's position, fetch->from. */
static film_status fetch_lengths(struct rank_fetch *fetch, const struct csr *x,
                                 const uint32_t *rows, size_t count, film_error *error)
{
    int size = fetch->comm->size;
    size_t own = 0, sum = 0, *sizes = fetch->sizes, *next = fetch->next;
    uint32_t rank = (uint32_t)fetch->comm->rank;
    memset(sizes, 0, (size_t)size * sizeof *sizes);
    for (size_t i = 0; i < count; i++) {
        fetch->owner[i] = owner_of(fetch, rows[i]);
        sizes[fetch->owner[i]] += sizeof *fetch->length;
        if (fetch->owner[i] != rank) continue;
        const size_t *start = x->start + (rows[i] - fetch->first[rank]);
        fetch->length[own++] = (uint32_t)(start[1] - start[0]);
    }
    film_status status = comm_gather(fetch->comm, fetch->length, fetch->lengths, sizes, error);
    if (status != FILM_OK) return status;
    for (int i = 0; i < size; i++) {
        next[i] = sum;
        sum += sizes[i] / sizeof *fetch->length;
        sizes[i] = 0;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t from = fetch->owner[i], length = fetch->lengths[next[from]++];
        fetch->from[i] = sizes[from];
        sizes[from] += length;
        fetch->start[i + 1] = fetch->start[i] + length;
    }
    sum = 0;
    for (int i = 0; i < size; i++) {
        next[i] = sum;
        sum += sizes[i];
    }
    for (size_t i = 0; i < count; i++) fetch->from[i] += next[fetch->owner[i]];
    return FILM_OK;
}

static film_status reserve_entries(struct rank_fetch *f, size_t entries, film_error *error)
{
    size_t came = f->comm->size > 1 ? entries : 0;
    if (mem_grow((void **)&f->col, &f->col_room, entries, sizeof *f->col) &&
        mem_grow((void **)&f->val, &f->val_room, entries, sizeof *f->val) &&
        mem_grow((void **)&f->came_col, &f->came_col_room, came, sizeof *f->came_col) &&
        mem_grow((void **)&f->came_val, &f->came_val_room, came, sizeof *f->came_val))
        return FILM_OK;
    return status_no_memory(error);
}

/* Copies row I of the fetch, which this process owns, to the send buffer. */
static void pack_row(struct rank_fetch *fetch, const struct csr *x, const uint32_t *rows, size_t i,
                     struct rank_dropout dropout)
{
    int rank = fetch->comm->rank;
    size_t from = x->start[rows[i] - fetch->first[rank]];
    size_t to = fetch->from[i] - fetch->next[rank], length = fetch->start[i + 1] - fetch->start[i];
    if (x->packed) {
        packed_rows_read(x->packed, rows[i] - fetch->first[rank], length, fetch->col + to,
                         fetch->val + to);
    } else {
        memcpy(fetch->col + to, x->col + from, length * sizeof *fetch->col);
        memcpy(fetch->val + to, x->val + from, length * sizeof *fetch->val);
    }
    if (dropout.share <= 0.0) return;
    struct rng rng;
    rng_seed_part(&rng, dropout.seed, i);
    for (size_t k = to; k < to + length; k++)
        if (rng_uniform(&rng) < dropout.share) fetch->val[k] = 0.0f;
}

film_status rank_fetch_rows(struct rank_fetch *fetch, const struct csr *x, const uint32_t *rows,
                            size_t count, struct rank_dropout dropout, int threads,
                            film_error *error)
{
    film_status status = FILM_OK;
    int size = fetch->comm->size;
    uint32_t rank = (uint32_t)fetch->comm->rank;
    if (fetch->first[size] == 0) TRY(number_rows(fetch, x->rows, error));
    TRY(fetch_lengths(fetch, x, rows, count, error));
    TRY(reserve_entries(fetch, fetch->start[count], error));
    for (int i = 0; i < size; i++) fetch->sizes[i] *= sizeof *fetch->col;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t i = 0; i < count; i++)
        if (fetch->owner[i] == rank) pack_row(fetch, x, rows, i, dropout);
    if (size == 1) goto done; /* the rows are in order */
    TRY(comm_gather(fetch->comm, fetch->col, fetch->came_col, fetch->sizes, error));
    TRY(comm_gather(fetch->comm, fetch->val, fetch->came_val, fetch->sizes, error));
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t i = 0; i < count; i++) {
        size_t to = fetch->start[i], length = fetch->start[i + 1] - to, from = fetch->from[i];
        memcpy(fetch->col + to, fetch->came_col + from, length * sizeof *fetch->col);
        memcpy(fetch->val + to, fetch->came_val + from, length * sizeof *fetch->val);
    }
done:
    return status;
}
