/* Distributes a corpus over the processes of a job: sentences are partitioned by a hash, rows are
 * sent to every process. Nothing is learned here. */
#include "learn/corpus_share.h"
#include "base/sort.h"
#include "base/partition.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* ---- Joining the parts into one corpus ---- */

/* Numbers all sentences and replaces the rows' local ids by global ones. */
static film_status number_sentences(struct corpus *corpus, const struct comm *comm,
                                    film_error *error)
{
    film_status status = FILM_OK;
    struct partition partition = {0};
    struct strtab owned = {0};
    uint32_t *own_number = NULL, *number = NULL, *columns[] = {corpus->a, corpus->b, corpus->c};
    size_t processes = (size_t)comm->size;
    TRY(strtab_init(&owned, error));
    TRY(partition_strings(&partition, comm, &corpus->sentences, &owned, error));
    TRY_ALLOC(corpus->starts = mem_zeroed(processes + 1, sizeof *corpus->starts), error);
    corpus->starts[comm->rank + 1] = owned.count;
    TRY(comm_sum_counts(comm, corpus->starts, processes + 1, error));
    for (size_t p = 0; p < processes; p++) corpus->starts[p + 1] += corpus->starts[p];
    if (corpus->starts[processes] >= STRTAB_NONE)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%zu distinct sentences are too many; at most %u are supported",
                       corpus->starts[processes], STRTAB_NONE - 1));
    TRY_ALLOC((own_number = mem_array(owned.count, sizeof *own_number)) &&
                  (number = mem_array(corpus->sentences.count, sizeof *number)),
              error);
    for (uint32_t i = 0; i < owned.count; i++)
        own_number[i] = (uint32_t)corpus->starts[comm->rank] + i;
    TRY(partition_lookup(&partition, own_number, number, error));
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < corpus->rows; i++)
            if (columns[c][i] != STRTAB_NONE) columns[c][i] = number[columns[c][i]];
    strtab_free(&corpus->sentences);
    corpus->sentences = owned;
    owned = (struct strtab){0};
    corpus->comm = comm;
done:
    partition_free(&partition);
    strtab_free(&owned);
    mem_free(own_number);
    mem_free(number);
    return status;
}

/* Gathers all categories in all processes, in rank order. */
static film_status share_categories(struct corpus *corpus, const struct comm *comm,
                                    film_error *error)
{
    film_status status = FILM_OK;
    struct string_pack mine = {0};
    struct strtab all = {0};
    void *everyones = NULL;
    size_t *sizes = NULL, total = 0;
    uint32_t id;
    film_text text;
    for (uint32_t i = 0; i < corpus->categories.count; i++)
        TRY(string_pack_add(&mine, strtab_get(&corpus->categories, i), error));
    TRY(comm_gather_all(comm, mine.bytes, mine.size, &everyones, &sizes, error));
    TRY(strtab_init(&all, error));
    for (int p = 0; p < comm->size; p++) total += sizes[p];
    const char *at = everyones, *end = at + total;
    while (string_pack_next(&at, end, &text))
        TRY(strtab_add(&all, text.bytes, text.length, &id, error));
    for (size_t i = 0; i < corpus->rows; i++)
        if (corpus->category[i] != STRTAB_NONE) {
            text = strtab_get(&corpus->categories, corpus->category[i]);
            corpus->category[i] = strtab_find(&all, text.bytes, text.length);
        }
    strtab_free(&corpus->categories);
    corpus->categories = all;
    all = (struct strtab){0};
done:
    strtab_free(&all);
    mem_free(mine.bytes);
    mem_free(everyones);
    mem_free(sizes);
    return status;
}

static film_status share_column(const struct comm *comm, void **column, size_t *capacity,
                                size_t rows, size_t *all_rows, film_error *error)
{
    film_status status = FILM_OK;
    void *all = NULL;
    size_t *sizes = NULL, total = 0;
    TRY(comm_gather_all(comm, *column, rows * sizeof(uint32_t), &all, &sizes, error));
    for (int p = 0; p < comm->size; p++) total += sizes[p];
    mem_free(*column);
    *column = all;
    all = NULL;
    *capacity = *all_rows = total / sizeof(uint32_t);
done:
    mem_free(all);
    mem_free(sizes);
    return status;
}

_Static_assert(sizeof(float) == sizeof(uint32_t), "labels travel as ids do");

static film_status share_rows(struct corpus *corpus, const struct comm *comm, film_error *error)
{
    film_status status = FILM_OK;
    size_t rows = corpus->rows, all = 0;
    TRY(share_column(comm, (void **)&corpus->a, &corpus->a_capacity, rows, &all, error));
    TRY(share_column(comm, (void **)&corpus->b, &corpus->b_capacity, rows, &all, error));
    TRY(share_column(comm, (void **)&corpus->c, &corpus->c_capacity, rows, &all, error));
    TRY(share_column(comm, (void **)&corpus->label, &corpus->label_capacity, rows, &all, error));
    TRY(share_column(comm, (void **)&corpus->category, &corpus->category_capacity, rows, &all,
                     error));
    corpus->rows = all;
done:
    return status;
}

/* Checks that all processes with rows have the same kind of labels, and sets it everywhere. */
static film_status agree_on_labels(struct corpus *corpus, const struct comm *comm, const char *name,
                                   film_error *error)
{
    film_status status = FILM_OK;
    size_t has[FILM_LABELS_COUNT] = {0};
    int kinds = 0;
    if (corpus->rows) has[corpus->labels] = 1;
    TRY(comm_sum_counts(comm, has, FILM_LABELS_COUNT, error));
    film_labels agreed = corpus->labels;
    for (int kind = 0; kind < FILM_LABELS_COUNT; kind++)
        if (has[kind]) {
            /* Rows without labels may be in other processes: their sentences are kept. */
            kinds += kinds == 0 || agreed != FILM_LABELS_NONE;
            agreed = (film_labels)kind;
        }
    corpus_begin_labels(corpus, agreed);
    if (kinds == 0) TRY(status_set(error, FILM_BAD_INPUT, "%s: no rows", name));
    if (kinds > 1)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: the files have different kinds of labels; give files of one kind or "
                       "set the kind of labels",
                       name));
done:
    return status;
}

film_status corpus_share(struct corpus *corpus, const struct comm *comm, const char *name,
                         film_error *error)
{
    film_status status = FILM_OK;
    size_t skipped = corpus->skipped;
    if (comm->size == 1) return FILM_OK;
    TRY(agree_on_labels(corpus, comm, name, error));
    TRY(number_sentences(corpus, comm, error));
    TRY(share_categories(corpus, comm, error));
    TRY(share_rows(corpus, comm, error));
    TRY(comm_sum_counts(comm, &skipped, 1, error));
    TRY(comm_sum_counts(comm, &corpus->plain, 1, error));
    TRY(comm_sum_counts(comm, &corpus->records, 1, error));
    corpus->skipped = skipped;
done:
    return status;
}

/* ---- Texts of other processes ---- */

static int by_id(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Sorts IDS and removes duplicates; *SIZES receives the bytes to send to each owner. */
static size_t sort_out(const struct corpus *corpus, uint32_t *ids, size_t count, size_t *sizes)
{
    size_t kept = 0;
    sort_array(ids, count, sizeof *ids, by_id);
    for (size_t i = 0; i < count; i++) {
        if (kept && ids[kept - 1] == ids[i]) continue;
        ids[kept++] = ids[i];
        sizes[corpus_owner(corpus, ids[i])] += sizeof *ids;
    }
    return kept;
}

/* Packs the texts that other processes requested. */
static film_status pack_requested(const struct corpus *corpus, const uint32_t *requested,
                                  const size_t *sizes, struct string_pack *message,
                                  size_t *message_sizes, film_error *error)
{
    for (int p = 0; p < corpus->comm->size; p++) {
        size_t before = message->size;
        for (size_t left = sizes[p] / sizeof *requested; left > 0; left--) {
            uint32_t own = *requested++ - (uint32_t)corpus_first(corpus);
            film_status status =
                string_pack_add(message, strtab_get(&corpus->sentences, own), error);
            if (status != FILM_OK) return status;
        }
        message_sizes[p] = message->size - before;
    }
    return FILM_OK;
}

film_status corpus_fetch(const struct corpus *corpus, const uint32_t *ids, size_t count,
                         struct strtab *texts, uint32_t *at, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = corpus->comm;
    size_t processes = (size_t)comm->size, different, total = 0;
    size_t *out = mem_zeroed(processes, sizeof *out),
           *answered = mem_zeroed(processes, sizeof *out);
    size_t *requested_sizes = NULL, *came_sizes = NULL;
    uint32_t *wanted = mem_array(count, sizeof *wanted), id;
    void *requested = NULL, *came = NULL;
    struct string_pack message = {0};
    film_text text;
    TRY_ALLOC(out && answered && wanted, error);
    if (count) memcpy(wanted, ids, count * sizeof *wanted);
    different = sort_out(corpus, wanted, count, out);
    TRY(comm_exchange_all(comm, wanted, out, &requested, &requested_sizes, error));
    TRY(pack_requested(corpus, requested, requested_sizes, &message, answered, error));
    TRY(comm_exchange_all(comm, message.bytes, answered, &came, &came_sizes, error));
    mem_free(message.bytes);
    message.bytes = NULL;
    for (size_t p = 0; p < processes; p++) total += came_sizes[p];
    const char *next = came, *end = next + total;
    while (string_pack_next(&next, end, &text)) /* in the order of the request: id i is wanted[i] */
        TRY(strtab_add(texts, text.bytes, text.length, &id, error));
    for (size_t i = 0; i < count; i++) {
        const uint32_t *found = bsearch(&ids[i], wanted, different, sizeof *wanted, by_id);
        at[i] = (uint32_t)(found - wanted);
    }
done:
    mem_free(out);
    mem_free(answered);
    mem_free(requested_sizes);
    mem_free(came_sizes);
    mem_free(wanted);
    mem_free(requested);
    mem_free(came);
    mem_free(message.bytes);
    return status;
}

film_status corpus_order(const struct corpus *corpus, uint32_t **order, film_error *error)
{
    film_status status = FILM_OK;
    size_t all = corpus_all(corpus), count = 0;
    const uint32_t *columns[] = {corpus->a, corpus->b, corpus->c};
    unsigned char *seen = mem_zeroed(all, 1);
    *order = mem_array(all, sizeof **order);
    TRY_ALLOC(seen && *order, error);
    for (size_t i = 0; corpus->starts && i < corpus->rows; i++)
        for (size_t c = 0; c < 3; c++) {
            uint32_t id = columns[c][i];
            if (id == STRTAB_NONE || seen[id]) continue;
            seen[id] = 1;
            (*order)[count++] = id;
        }
    for (size_t id = 0; id < all; id++) /* sentences of no row come last */
        if (!seen[id]) (*order)[count++] = (uint32_t)id;
done:
    mem_free(seen);
    return status;
}

/* ---- Selecting rows ---- */

/* Copies the selected rows with their ids in FROM. */
static film_status take_rows(const struct corpus *from, const unsigned char *part,
                             unsigned char wanted, struct corpus *out, film_error *error)
{
    size_t rows = 0;
    for (size_t i = 0; i < from->rows; i++) rows += part[i] == wanted;
    out->skipped = from->skipped;
    out->records = from->records;
    if (!corpus_reserve(out, rows)) return status_no_memory(error);
    for (size_t i = 0; i < from->rows; i++) {
        if (part[i] != wanted) continue;
        size_t to = out->rows++;
        out->a[to] = from->a[i];
        out->b[to] = from->b[i];
        out->c[to] = from->c[i];
        out->label[to] = from->label[i];
        out->category[to] = from->category[i];
    }
    uint32_t id;
    for (uint32_t i = 0; i < from->categories.count; i++) {
        film_text text = strtab_get(&from->categories, i);
        film_status status = strtab_add(&out->categories, text.bytes, text.length, &id, error);
        if (status != FILM_OK) return status;
    }
    return FILM_OK;
}

/* NUMBER[id] = dense, ascending ids for the sentences of OUT's rows, and of no row where USED is
 * not NULL (corpus_mark_used); updates the owners' starts. */
static void number_densely(const struct corpus *from, struct corpus *out, const unsigned char *used,
                           uint32_t *number)
{
    uint32_t *columns[] = {out->a, out->b, out->c}, next = 0;
    size_t all = corpus_all(from);
    for (size_t id = 0; id < all; id++) number[id] = used && !used[id];
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < out->rows; i++)
            if (columns[c][i] != STRTAB_NONE) number[columns[c][i]] = 1;
    for (int p = 0; p < from->comm->size; p++) {
        out->starts[p] = next;
        for (size_t id = from->starts[p]; id < from->starts[p + 1]; id++)
            number[id] = number[id] ? next++ : STRTAB_NONE;
    }
    out->starts[from->comm->size] = next;
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < out->rows; i++)
            if (columns[c][i] != STRTAB_NONE) columns[c][i] = number[columns[c][i]];
}

film_status corpus_select_shared(const struct corpus *from, const unsigned char *part,
                                 unsigned char wanted, struct corpus *out, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *number = NULL, id;
    unsigned char *used = mem_array(corpus_all(from), 1);
    int plain = from->plain && wanted == 0;
    TRY_ALLOC(used, error);
    TRY(corpus_init(out, from->labels, error));
    TRY(take_rows(from, part, wanted, out, error));
    corpus_mark_used(from, used);
    out->comm = from->comm;
    out->plain = plain ? from->plain : 0;
    TRY_ALLOC((out->starts = mem_array((size_t)from->comm->size + 1, sizeof *out->starts)) &&
                  (number = mem_array(corpus_all(from), sizeof *number)),
              error);
    number_densely(from, out, plain ? used : NULL, number);
    for (uint32_t i = 0; i < from->sentences.count; i++) {
        if (number[corpus_first(from) + i] == STRTAB_NONE) continue;
        film_text text = strtab_get(&from->sentences, i);
        TRY(strtab_add(&out->sentences, text.bytes, text.length, &id, error));
    }
done:
    mem_free(number);
    mem_free(used);
    if (status != FILM_OK) corpus_free(out);
    return status;
}

film_status corpus_select_whole(const struct corpus *from, const unsigned char *part,
                                unsigned char wanted, struct corpus *out, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *ids = NULL, *at = NULL;
    size_t count = 0;
    TRY(corpus_init(out, from->labels, error));
    TRY(take_rows(from, part, wanted, out, error));
    TRY_ALLOC((ids = mem_array(3 * out->rows, sizeof *ids)) &&
                  (at = mem_array(3 * out->rows, sizeof *at)),
              error);
    uint32_t *columns[] = {out->a, out->b, out->c};
    for (size_t i = 0; i < out->rows; i++)
        for (size_t c = 0; c < 3; c++)
            if (columns[c][i] != STRTAB_NONE) ids[count++] = columns[c][i];
    TRY(corpus_fetch(from, ids, count, &out->sentences, at, error));
    count = 0;
    for (size_t i = 0; i < out->rows; i++)
        for (size_t c = 0; c < 3; c++)
            if (columns[c][i] != STRTAB_NONE) columns[c][i] = at[count++];
done:
    mem_free(ids);
    mem_free(at);
    if (status != FILM_OK) corpus_free(out);
    return status;
}
