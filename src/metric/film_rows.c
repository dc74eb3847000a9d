#include "metric/film_rows.h"
#include "base/mem.h"
#include "base/sort.h"

#include <string.h>

enum { DEFAULT_ROOM = 1 << 23 };

struct film_rows film_rows_own(const struct film_owners *owners, const float *v, size_t stride,
                               size_t rank, size_t sentences)
{
    struct film_rows rows = {.own = v, .stride = stride, .rank = rank, .count = sentences};
    if (!owners->starts) return rows;
    rows.first = owners->starts[owners->comm->rank];
    rows.count = owners->starts[owners->comm->rank + 1] - rows.first;
    return rows;
}

void film_rows_free(struct film_rows *rows)
{
    mem_free(rows->id);
    mem_free(rows->fetched);
    rows->id = NULL, rows->fetched = NULL;
    rows->fetched_count = 0;
}

static const float *own_row(const struct film_rows *rows, uint32_t id)
{
    return rows->own + (id - rows->first) * rows->stride;
}

static int is_own(const struct film_rows *rows, uint32_t id)
{
    return id >= rows->first && id - rows->first < rows->count;
}

const float *film_rows_of(const struct film_rows *rows, uint32_t id)
{
    if (is_own(rows, id)) return own_row(rows, id);
    size_t low = 0, high = rows->fetched_count;
    while (low + 1 < high) {
        size_t middle = (low + high) / 2;
        if (rows->id[middle] <= id)
            low = middle;
        else
            high = middle;
    }
    return rows->fetched + low * rows->rank;
}

/* The different numbers of others' rows, rising, to rows->id; and the last anchor they are for. */
static film_status list_ids(struct film_rows *rows, const struct triplets *t, size_t bytes,
                            size_t first, size_t *end, film_error *error)
{
    film_status status = FILM_OK;
    size_t room = 0, count = 0, most = bytes / (rows->rank * sizeof *rows->fetched);
    uint32_t *scratch = NULL;
    size_t last = first;
    while (last < t->anchors &&
           (last == first || 2 * (t->start[last + 1] - t->start[first]) <= most))
        last++;
    if (last > first) room = 2 * (t->start[last] - t->start[first]);
    TRY_ALLOC((rows->id = mem_array(room, sizeof *rows->id)) &&
                  (scratch = mem_array(room, sizeof *scratch)),
              error);
    for (size_t q = room ? t->start[first] : 0; q < (room ? t->start[last] : 0); q++) {
        if (!is_own(rows, t->similar[q])) rows->id[count++] = t->similar[q];
        if (!is_own(rows, t->dissimilar[q])) rows->id[count++] = t->dissimilar[q];
    }
    sort_ids(rows->id, scratch, count);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || rows->id[i] != rows->id[i - 1]) rows->id[rows->fetched_count++] = rows->id[i];
    *end = last;
done:
    mem_free(scratch);
    return status;
}

/* The rows asked for by the others, one behind the other. */
static float *answer(const struct film_rows *rows, const uint32_t *asked, size_t count)
{
    size_t r = rows->rank;
    float *answers = mem_array(count, r * sizeof *answers);
    for (size_t i = 0; answers && i < count; i++)
        memcpy(answers + i * r, own_row(rows, asked[i]), r * sizeof *answers);
    return answers;
}

film_status film_rows_fetch(struct film_rows *rows, const struct film_owners *owners,
                            const struct triplets *triplets, size_t first, size_t *end,
                            film_error *error)
{
    film_status status = FILM_OK;
    size_t processes = (size_t)owners->comm->size, asked_count = 0;
    size_t *sizes = mem_zeroed(processes, sizeof *sizes), *asked_sizes = NULL;
    void *asked = NULL;
    float *answers = NULL;
    film_rows_free(rows);
    TRY_ALLOC(sizes, error);
    TRY(list_ids(rows, triplets, owners->room ? owners->room : DEFAULT_ROOM, first, end, error));
    for (size_t i = 0, p = 0; i < rows->fetched_count; i++) {
        while (rows->id[i] >= owners->starts[p + 1]) p++;
        sizes[p] += sizeof *rows->id;
    }
    TRY(comm_exchange_all(owners->comm, rows->id, sizes, &asked, &asked_sizes, error));
    for (size_t p = 0; p < processes; p++) asked_count += asked_sizes[p] / sizeof *rows->id;
    TRY_ALLOC(
        (answers = answer(rows, asked, asked_count)) &&
            (rows->fetched = mem_array(rows->fetched_count, rows->rank * sizeof *rows->fetched)),
        error);
    for (size_t p = 0; p < processes; p++) { /* a row of floats for a number of the same size */
        sizes[p] *= rows->rank;
        asked_sizes[p] *= rows->rank;
    }
    TRY(comm_exchange(owners->comm, answers, asked_sizes, rows->fetched, sizes, error));
done:
    mem_free(sizes);
    mem_free(asked_sizes);
    mem_free(asked);
    mem_free(answers);
    return status;
}
