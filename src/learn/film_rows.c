/* Computes the sums w_i over an anchor's triplets from rows of V, some of which other processes
 * own. It does not know the objective that uses them. */
#include "learn/film_rows.h"
#include "base/mem.h"
#include "embed/vec.h"

#include <string.h>

enum { DEFAULT_ROOM = 1 << 21, ANCHORS = 256 /* per chunk of a thread */ };

struct sums {
    const struct film_owners *owners;
    const float *v;
    size_t stride, rank;
    size_t first, count; /* this process's rows: sentences FIRST .. FIRST + COUNT - 1 */
    const struct triplets *triplets;
    int threads;
    float *w;
};

/* A request for a row. A sum ends where the next entry has a different anchor. */
struct row_request {
    uint32_t id;
    uint32_t anchor; /* twice its index in the round, plus 1 when the row is subtracted */
};

/* The entries to or from each process, in rank order, and their sums. */
struct sum_request {
    void *entries;
    size_t *bytes; /* of entries, by process */
    size_t *begin; /* sums + 1: the first entry of each sum */
    size_t *sizes; /* bytes of sums, by process */
    size_t sums;
};

static void request_free(struct sum_request *request)
{
    mem_free(request->entries);
    mem_free(request->bytes);
    mem_free(request->begin);
    mem_free(request->sizes);
}

static int is_own(const struct sums *s, uint32_t id)
{
    return id >= s->first && id - s->first < s->count;
}

static const float *own_row(const struct sums *s, uint32_t id)
{
    return s->v + (id - s->first) * s->stride;
}

static float share_of(const struct triplets *t, size_t a)
{
    return 1.0f / (float)(t->start[a + 1] - t->start[a] + 1);
}

/* Adds this process's rows to rows FIRST .. END - 1 of W. */
static void add_own(const struct sums *s, size_t first, size_t end)
{
    const struct triplets *t = s->triplets;
    size_t r = s->rank;
#pragma omp parallel for schedule(dynamic, ANCHORS) num_threads(s->threads)
    for (size_t a = first; a < end; a++) {
        float *w = s->w + a * r, share = share_of(t, a);
        memset(w, 0, r * sizeof *w);
        for (size_t i = t->start[a]; i < t->start[a + 1]; i++) {
            uint32_t j = t->similar[i], k = t->dissimilar[i];
            if (is_own(s, j)) vec_add_scaled(w, share, own_row(s, j), r);
            if (is_own(s, k)) vec_add_scaled(w, -share, own_row(s, k), r);
        }
    }
}

/* ---- With other processes ---- */

/* The end of a round: as many anchors as the buffer has room for sums. */
static size_t round_end(const struct sums *s, size_t first)
{
    const struct triplets *t = s->triplets;
    size_t room = s->owners->room ? s->owners->room : DEFAULT_ROOM;
    size_t most = room / (s->rank * sizeof *s->w), sums = 0, end = first;
    size_t others = (size_t)s->owners->comm->size - 1;
    for (; end < t->anchors && (end == first || sums < most); end++) {
        size_t rows = 2 * (t->start[end + 1] - t->start[end]);
        sums += rows < others ? rows : others;
    }
    return end;
}

/* Writes an entry to its owner's range, which starts at ENTRIES[next[owner]]. With ENTRIES == NULL
 * it only counts. */
static void add_request(const struct sums *s, uint32_t id, uint32_t anchor, size_t *next,
                        struct row_request *entries)
{
    int owner = 0;
    if (is_own(s, id)) return;
    while (id >= s->owners->starts[owner + 1]) owner++;
    if (entries) entries[next[owner]] = (struct row_request){id, anchor};
    next[owner]++;
}

/* Lists the rows of other processes that the triplets of anchors FIRST .. END - 1 need. */
static film_status list_entries(const struct sums *s, size_t first, size_t end,
                                struct sum_request *request, film_error *error)
{
    film_status status = FILM_OK;
    const struct triplets *t = s->triplets;
    size_t processes = (size_t)s->owners->comm->size, total = 0;
    size_t *next = mem_zeroed(processes, sizeof *next);
    TRY_ALLOC(next && (request->bytes = mem_array(processes, sizeof *request->bytes)), error);
    for (int fill = 0; fill < 2; fill++) {
        struct row_request *entries = fill ? request->entries : NULL;
        for (size_t a = first; a < end; a++)
            for (size_t i = t->start[a]; i < t->start[a + 1]; i++) {
                uint32_t anchor = (uint32_t)(2 * (a - first));
                add_request(s, t->similar[i], anchor, next, entries);
                add_request(s, t->dissimilar[i], anchor + 1, next, entries);
            }
        for (size_t p = 0; p < processes && !fill; p++) {
            size_t count = next[p];
            request->bytes[p] = count * sizeof(struct row_request);
            next[p] = total;
            total += count;
        }
        if (!fill)
            TRY_ALLOC(request->entries = mem_array(total, sizeof(struct row_request)), error);
    }
done:
    mem_free(next);
    return status;
}

/* Finds where the sums of a request's entries begin, and their bytes by process. */
static film_status find_sums(struct sum_request *request, size_t processes, size_t rank,
                             film_error *error)
{
    film_status status = FILM_OK;
    const struct row_request *entries = request->entries;
    size_t at = 0, total = 0;
    for (size_t p = 0; p < processes; p++) total += request->bytes[p] / sizeof *entries;
    TRY_ALLOC((request->begin = mem_array(total + 1, sizeof *request->begin)) &&
                  (request->sizes = mem_zeroed(processes, sizeof *request->sizes)),
              error);
    for (size_t p = 0; p < processes; p++) {
        size_t end = at + request->bytes[p] / sizeof *entries;
        for (size_t i = at; i < end; i++) {
            if (i > at && entries[i].anchor / 2 == entries[i - 1].anchor / 2) continue;
            request->begin[request->sums++] = i;
            request->sizes[p] += rank * sizeof(float);
        }
        at = end;
    }
    request->begin[request->sums] = total;
done:
    return status;
}

/* Computes the sums that other processes requested. */
static void compute_requested(const struct sums *s, const struct sum_request *requested,
                              float *sums)
{
    const struct row_request *entries = requested->entries;
    size_t r = s->rank;
#pragma omp parallel for schedule(dynamic, ANCHORS) num_threads(s->threads)
    for (size_t k = 0; k < requested->sums; k++) {
        float *sum = sums + k * r;
        memset(sum, 0, r * sizeof *sum);
        for (size_t i = requested->begin[k]; i < requested->begin[k + 1]; i++)
            vec_add_scaled(sum, entries[i].anchor % 2 ? -1.0f : 1.0f, own_row(s, entries[i].id), r);
    }
}

/* Computes rows FIRST .. END - 1 of W from the rows of all processes. Collective, also for a
 * process without remaining anchors. */
static film_status add_round(const struct sums *s, size_t first, size_t end, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = s->owners->comm;
    size_t processes = (size_t)comm->size, r = s->rank;
    struct sum_request mine = {0}, requested = {0};
    float *partial = NULL, *received = NULL;
    add_own(s, first, end);
    TRY(list_entries(s, first, end, &mine, error));
    TRY(find_sums(&mine, processes, r, error));
    TRY(comm_exchange_all(comm, mine.entries, mine.bytes, &requested.entries, &requested.bytes,
                          error));
    TRY(find_sums(&requested, processes, r, error));
    TRY_ALLOC((partial = mem_array(requested.sums, r * sizeof *partial)) &&
                  (received = mem_array(mine.sums, r * sizeof *received)),
              error);
    compute_requested(s, &requested, partial);
    TRY(comm_exchange(comm, partial, requested.sizes, received, mine.sizes, error));
    for (size_t k = 0; k < mine.sums; k++) {
        size_t a = first + ((const struct row_request *)mine.entries)[mine.begin[k]].anchor / 2;
        vec_add_scaled(s->w + a * r, share_of(s->triplets, a), received + k * r, r);
    }
done:
    request_free(&mine);
    request_free(&requested);
    mem_free(partial);
    mem_free(received);
    return status;
}

film_status film_rows_sum(const struct film_owners *owners, const struct film_rows *rows,
                          const struct triplets *triplets, int threads, float *w, film_error *error)
{
    film_status status = FILM_OK;
    struct sums s = {.owners = owners,
                     .v = rows->v,
                     .stride = rows->stride,
                     .rank = rows->rank,
                     .count = triplets->sentences,
                     .triplets = triplets,
                     .threads = threads,
                     .w = w};
    size_t first = 0, left;
    if (!owners->starts) {
        add_own(&s, 0, triplets->anchors);
        return FILM_OK;
    }
    s.first = owners->starts[owners->comm->rank];
    s.count = owners->starts[owners->comm->rank + 1] - s.first;
    do { /* while any process has anchors left */
        size_t end = round_end(&s, first);
        TRY(add_round(&s, first, end, error));
        first = end;
        left = triplets->anchors - first;
        TRY(comm_sum_counts(owners->comm, &left, 1, error));
    } while (left > 0);
done:
    return status;
}
