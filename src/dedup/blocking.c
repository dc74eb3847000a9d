/* Candidates of records by rare terms, in bounded time, and a quick score by field that is fitted
 * to verdicts of the model. The full decision judges what is found here (dedup/candidates.h). */
#include "dedup/blocking_parts.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

/* ---- Terms ---- */

/* Records that are read at a time. */
enum { READ_SOME = 4096, READ_GRAIN = 64 };

struct reading_some {
    struct blocking *blocking;
    const film_text *texts;
    size_t first;
    struct blocking_row *rows; /* READ_SOME */
};

static film_status read_some_records(struct threads_worker *worker, void *user, film_error *error)
{
    film_status status = FILM_OK;
    struct reading_some *some = user;
    struct blocking *blocking = some->blocking;
    struct terms terms;
    size_t begin, end;
    TRY(terms_init(&terms, blocking->encoder, error));
    while (threads_next(worker, &begin, &end))
        for (size_t i = begin; i < end; i++)
            TRY(blocking_read(blocking, &terms, some->texts[some->first + i], &some->rows[i],
                              blocking->spelling + (some->first + i) * blocking->fields, error));
done:
    terms_free(&terms);
    return status;
}

/* Reads all records: term hashes and their fields, one record after the other. */
static film_status read_records(struct blocking *blocking, const film_text *texts, int threads,
                                film_error *error)
{
    film_status status = FILM_OK;
    struct reading_some some = {.blocking = blocking, .texts = texts};
    size_t term_capacity = 0, field_capacity = 0, count = 0;
    TRY_ALLOC(some.rows = mem_array(READ_SOME, sizeof *some.rows), error);
    for (; some.first < blocking->count; some.first += READ_SOME) {
        size_t rows = blocking->count - some.first;
        if (rows > READ_SOME) rows = READ_SOME;
        TRY(threads_for(threads, rows, READ_GRAIN, read_some_records, &some, error));
        TRY_ALLOC(mem_grow((void **)&blocking->term, &term_capacity, count + rows * BLOCKING_TERMS,
                           sizeof *blocking->term) &&
                      mem_grow((void **)&blocking->field, &field_capacity,
                               count + rows * BLOCKING_TERMS, sizeof *blocking->field),
                  error);
        for (size_t i = 0; i < rows; i++) {
            const struct blocking_row *row = &some.rows[i];
            memcpy(blocking->term + count, row->hash, row->count * sizeof *row->hash);
            memcpy(blocking->field + count, row->field, row->count);
            count += row->count;
            blocking->start[some.first + i + 1] = count;
        }
    }
done:
    mem_free(some.rows);
    return status;
}

/* ---- Numbers: rare terms first, those of a single record have none ---- */

struct numbered {
    uint32_t hash, frequency;
};

static int by_frequency(const void *left, const void *right)
{
    const struct numbered *a = left, *b = right;
    if (a->frequency != b->frequency) return a->frequency < b->frequency ? -1 : 1;
    return a->hash < b->hash ? -1 : a->hash > b->hash;
}

/* Counts the hashes. */
static film_status count_terms(const struct blocking *blocking, struct numbered **out,
                               size_t *terms, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = blocking->start[blocking->count], capacity = 0;
    uint32_t *sorted = NULL, *scratch = NULL;
    *terms = 0;
    TRY_ALLOC((sorted = mem_array(count, sizeof *sorted)) &&
                  (scratch = mem_array(count, sizeof *scratch)),
              error);
    memcpy(sorted, blocking->term, count * sizeof *sorted);
    sort_ids(sorted, scratch, count);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && sorted[next] == sorted[i];) next++;
        if (next - i < 2) continue;
        TRY_ALLOC(mem_grow((void **)out, &capacity, *terms + 1, sizeof **out), error);
        (*out)[(*terms)++] = (struct numbered){sorted[i], (uint32_t)(next - i)};
    }
done:
    mem_free(sorted);
    mem_free(scratch);
    return status;
}

/* The number of each term by hash, in a table with open addressing. */
struct number_table {
    struct numbered *slot; /* `frequency` is the number + 1; 0: empty */
    size_t mask;
};

static size_t slot_of(const struct number_table *table, uint32_t hash)
{
    size_t at = hash & table->mask;
    while (table->slot[at].frequency && table->slot[at].hash != hash) at = (at + 1) & table->mask;
    return at;
}

/* The lists are as long as the frequencies say; list_records fills them. */
static film_status number_terms(struct blocking *blocking, struct number_table *table,
                                film_error *error)
{
    film_status status = FILM_OK;
    struct numbered *terms = NULL;
    size_t count, postings, slots = 2;
    TRY(count_terms(blocking, &terms, &count, error));
    if (count >= BLOCKING_NUMBERS) TRY(status_set(error, FILM_USAGE, "too many different words"));
    while (slots < 2 * count) slots *= 2;
    sort_array(terms, count, sizeof *terms, by_frequency);
    TRY_ALLOC((table->slot = mem_zeroed(slots, sizeof *table->slot)) &&
                  (blocking->list = mem_zeroed(count + 2, sizeof *blocking->list)) &&
                  (blocking->information = mem_array(count, sizeof *blocking->information)),
              error);
    table->mask = slots - 1;
    blocking->terms = count;
    for (size_t t = 0; t < count; t++) {
        table->slot[slot_of(table, terms[t].hash)] =
            (struct numbered){terms[t].hash, (uint32_t)t + 1};
        blocking->information[t] = logf((float)blocking->count / (float)terms[t].frequency);
        if (!(blocking->information[t] > 0)) blocking->information[t] = 0;
        if (terms[t].frequency > BLOCKING_WIDE) continue;
        blocking->searched = t + 1;
        blocking->list[t + 2] = blocking->list[t + 1] + terms[t].frequency;
    }
    postings = blocking->list[blocking->searched + 1];
    TRY_ALLOC(blocking->record = mem_array(postings, sizeof *blocking->record), error);
done:
    mem_free(terms);
    return status;
}

/* Replaces hashes by numbers with their fields, ascending, each once. */
static void number_records(struct blocking *blocking, const struct number_table *table)
{
    size_t kept = 0, begin = 0;
    for (size_t i = 0; i < blocking->count; i++) {
        size_t first = kept, end = blocking->start[i + 1];
        for (size_t at = begin; at < end; at++) {
            const struct numbered *slot = &table->slot[slot_of(table, blocking->term[at])];
            if (!slot->frequency) continue;
            uint32_t packed = (slot->frequency - 1) << BLOCKING_FIELD_BITS | blocking->field[at];
            size_t place = kept++;
            for (; place > first && blocking->term[place - 1] > packed; place--)
                blocking->term[place] = blocking->term[place - 1];
            blocking->term[place] = packed;
        }
        begin = end;
        blocking->start[i + 1] = kept;
    }
}

/* Fills the lists of the terms that are searched by. */
static void list_records(struct blocking *blocking)
{
    size_t *next = blocking->list + 1;
    for (size_t i = 0; i < blocking->count; i++)
        for (size_t at = blocking->start[i]; at < blocking->start[i + 1]; at++) {
            uint32_t t = blocking->term[at] >> BLOCKING_FIELD_BITS;
            if (t < blocking->searched) blocking->record[next[t]++] = (uint32_t)i;
        }
}

film_status blocking_new(const struct encoder *encoder, const film_text *texts, size_t count,
                         int threads, struct blocking **out, film_error *error)
{
    film_status status = FILM_OK;
    struct number_table table = {NULL, 0};
    struct blocking *blocking = mem_zeroed(1, sizeof *blocking);
    *out = NULL;
    TRY_ALLOC(blocking, error);
    blocking->encoder = encoder;
    blocking->count = count;
    blocking->postings = BLOCKING_POSTINGS;
    blocking->fields = encoder->fields && encoder->fields->count ? encoder->fields->count : 1;
    TRY_ALLOC(
        (blocking->start = mem_zeroed(count + 1, sizeof *blocking->start)) &&
            (blocking->spelling = mem_zeroed(count * blocking->fields, sizeof *blocking->spelling)),
        error);
    TRY(read_records(blocking, texts, threads, error));
    TRY(number_terms(blocking, &table, error));
    number_records(blocking, &table);
    list_records(blocking);
    mem_free(blocking->field); /* packed with the numbers now */
    blocking->field = NULL;
    blocking_weigh_alike(blocking);
    *out = blocking;
    blocking = NULL;
done:
    mem_free(table.slot);
    blocking_free(blocking);
    return status;
}

void blocking_widen(struct blocking *blocking)
{
    blocking->postings = BLOCKING_WIDE;
}

void blocking_free(struct blocking *blocking)
{
    if (!blocking) return;
    mem_free(blocking->start);
    mem_free(blocking->term);
    mem_free(blocking->field);
    mem_free(blocking->spelling);
    mem_free(blocking->list);
    mem_free(blocking->information);
    mem_free(blocking->record);
    mem_free(blocking);
}
