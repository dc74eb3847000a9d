/* Collects the features and items of all pairs as packed sparse rows, in parallel, once for all
 * fits. Pairs are read several times, because the items of all pairs together would take more
 * memory than everything else in training: to see which items occur twice, to list those, and to
 * write the rows. Learning is in evidence_fit.c. */
#include "learn/evidence_fit.h"
#include "base/mem.h"
#include "base/threads.h"
#include "base/varint.h"
#include "learn/evidence_items.h"

#include <string.h>

enum { CHUNK = EVIDENCE_CHUNK };

enum pass { SEE_ITEMS, LIST_ITEMS, WRITE_ROWS };

struct collecting {
    struct evidence_rows *rows;
    const struct encoder *encoder;
    const struct evidence_source *source;
    int threads;
    enum pass pass;
    struct seen_twice seen; /* without bits: all items are listed */
    struct key_chunk *chunks;
};

/* What a thread has collected of a chunk: keys or packed rows. */
struct collected {
    uint8_t *bytes;
    size_t size, capacity;
};

static film_status reserve_collected(struct collected *out, size_t more, film_error *error)
{
    int done = mem_grow((void **)&out->bytes, &out->capacity, out->size + more, 1);
    return done ? FILM_OK : status_no_memory(error);
}

/* ---- Packed rows ----
 *
 * For every group of features: their number (32 bits); if it is not 0, the factors of shared and
 * unshared features (floats) and the differences of the columns. Then the number of items, and for
 * every item its number and value (float). */

static void put_count(uint8_t *at, size_t count)
{
    uint32_t number = (uint32_t)count;
    memcpy(at, &number, sizeof number);
}

/* Writes the features of both rows from GROUP's first on; *I and *J are the next ones. */
static void write_group(struct collected *out, const struct reading *reading, int group, size_t *i,
                        size_t *j)
{
    const struct feature_row *a = &reading->side[0].row, *b = &reading->side[1].row;
    const struct features *features = reading->encoder->features;
    uint32_t end = features->first[group + 1], before = 0;
    uint8_t *head = out->bytes + out->size, *to = head + sizeof(uint32_t) + 2 * sizeof(float);
    double squares[2] = {0, 0};
    size_t count = 0;
    for (;; count++) {
        uint32_t left = *i < a->count && a->id[*i] < end ? a->id[*i] : UINT32_MAX;
        uint32_t right = *j < b->count && b->id[*j] < end ? b->id[*j] : UINT32_MAX;
        if (left == UINT32_MAX && right == UINT32_MAX) break;
        uint32_t alone = left != right, id = left < right ? left : right, column = 2 * id + alone;
        double base = evidence_base(features, (enum group)group, id, (int)alone);
        squares[alone] += base * base;
        to += varint_put(to, column - before);
        before = column;
        *i += left <= right;
        *j += right <= left;
    }
    float factor[2] = {(float)evidence_factor(squares[0]), (float)evidence_factor(squares[1])};
    put_count(head, count);
    if (count) memcpy(head + sizeof(uint32_t), factor, sizeof factor);
    out->size = count ? (size_t)(to - out->bytes) : out->size + sizeof(uint32_t);
}

static film_status write_evidence_row(struct collected *out, struct evidence_rows *rows,
                                      const struct survey *survey, film_error *error)
{
    film_status status = FILM_OK;
    const struct reading *reading = &survey->reading;
    const struct items *items = &survey->items;
    size_t features = reading->side[0].row.count + reading->side[1].row.count, count = 0;
    size_t i = 0, j = 0;
    TRY(reserve_collected(out,
                          GROUPS * (sizeof(uint32_t) + 2 * sizeof(float)) + features * VARINT_MOST +
                              sizeof(uint32_t) + items->count * (VARINT_MOST + sizeof(float)),
                          error));
    for (int g = 0; g < GROUPS; g++) write_group(out, reading, g, &i, &j);
    uint8_t *head = out->bytes + out->size, *to = head + sizeof(uint32_t);
    for (size_t k = 0; k < items->count; k++) {
        uint32_t number = keytab_find(&rows->items, items->list[k].key);
        if (number == KEYTAB_NONE) continue;
        to += varint_put(to, number);
        memcpy(to, &items->list[k].value, sizeof(float));
        to += sizeof(float);
        count++;
    }
    put_count(head, count);
    out->size = (size_t)(to - out->bytes);
done:
    return status;
}

struct evidence_cursor evidence_rows_open(const struct evidence_rows *rows, size_t i)
{
    return (struct evidence_cursor){rows,  rows->chunk[i / CHUNK] + rows->start[i], -1, 0, 0,
                                    {0, 0}};
}

static uint32_t take_number(const uint8_t **at)
{
    uint32_t number = *(*at)++;
    if (number < 128) return number;
    number &= 127;
    for (unsigned shift = 7;; shift += 7) {
        uint32_t byte = *(*at)++;
        number |= (byte & 127) << shift;
        if (byte < 128) return number;
    }
}

/* Begins the next group, or the items. */
static void open_section(struct evidence_cursor *cursor)
{
    cursor->section++;
    cursor->column = 0;
    memcpy(&cursor->left, cursor->at, sizeof cursor->left);
    cursor->at += sizeof cursor->left;
    if (cursor->section == GROUPS || !cursor->left) return;
    memcpy(cursor->factor, cursor->at, sizeof cursor->factor);
    cursor->at += sizeof cursor->factor;
}

size_t evidence_rows_read(struct evidence_cursor *cursor, size_t most, uint32_t *column,
                          float *value)
{
    const struct evidence_rows *rows = cursor->rows;
    const uint32_t first_item = (uint32_t)(2 * rows->features);
    size_t count = 0;
    while (count < most) {
        if (!cursor->left) {
            if (cursor->section == GROUPS) break;
            open_section(cursor);
            continue;
        }
        size_t end = most - count < cursor->left ? most : count + cursor->left;
        const uint8_t *at = cursor->at;
        uint32_t here = cursor->column;
        cursor->left -= (uint32_t)(end - count);
        if (cursor->section == GROUPS)
            for (; count < end; count++, at += sizeof *value) {
                column[count] = first_item + take_number(&at);
                memcpy(&value[count], at, sizeof *value);
            }
        else if (cursor->section == GROUP_WORD) /* as evidence_base */
            for (; count < end; count++) {
                column[count] = here += take_number(&at);
                value[count] = (here & 1 ? rows->idf[here / 2] : 1.0f) * cursor->factor[here & 1];
            }
        else
            for (; count < end; count++) {
                column[count] = here += take_number(&at);
                value[count] = cursor->factor[here & 1];
            }
        cursor->at = at;
        cursor->column = here;
    }
    return count;
}

/* ---- Passes over all pairs ---- */

static film_status list_keys(struct collected *out, const struct collecting *all, uint32_t *listed,
                             const struct items *items, film_error *error)
{
    film_status status = reserve_collected(out, items->count * sizeof(uint64_t), error);
    size_t before = out->size;
    if (status != FILM_OK) return status;
    for (size_t k = 0; k < items->count; k++) {
        uint64_t key = items->list[k].key;
        if (all->seen.bits && !evidence_items_seen_twice(&all->seen, key)) continue;
        memcpy(out->bytes + out->size, &key, sizeof key);
        out->size += sizeof key;
    }
    *listed = (uint32_t)((out->size - before) / sizeof(uint64_t));
    return FILM_OK;
}

static film_status take_pair(struct collecting *all, size_t i, struct survey *survey,
                             struct collected *out, film_error *error)
{
    film_status status = FILM_OK;
    enum pass pass = all->pass;
    const struct evidence_source *source = all->source;
    film_text a, b;
    source->pair(source->user, i, &a, &b);
    TRY(pass == WRITE_ROWS && source->keep ? survey_make(survey, NULL, a, b, error)
                                           : survey_read(survey, a, b, error));
    TRY(items_collect(&survey->items, &survey->reading, error));
    if (pass == SEE_ITEMS)
        for (size_t k = 0; k < survey->items.count; k++)
            evidence_items_see(&all->seen, survey->items.list[k].key);
    if (pass == LIST_ITEMS)
        TRY(list_keys(out, all, &all->chunks[i / CHUNK].keys_of[i % CHUNK], &survey->items, error));
    if (pass != WRITE_ROWS) goto done;
    all->rows->start[i] = (uint32_t)out->size;
    TRY(write_evidence_row(out, all->rows, survey, error));
    if (source->keep) source->keep(source->keeper, i, survey);
done:
    return status;
}

/* Reads pairs FIRST .. END, a chunk, which keeps exactly the bytes it needs. */
static film_status take_evidence_chunk(struct collecting *all, size_t first, size_t end,
                                       struct survey *survey, struct collected *out,
                                       film_error *error)
{
    film_status status = FILM_OK;
    size_t s = first / CHUNK;
    out->size = 0;
    for (size_t i = first; i < end; i++) TRY(take_pair(all, i, survey, out, error));
    if (all->pass == SEE_ITEMS) goto done;
    void *exact = mem_array(out->size, 1);
    TRY_ALLOC(exact, error);
    if (out->size) memcpy(exact, out->bytes, out->size);
    if (all->pass == WRITE_ROWS) {
        all->rows->chunk[s] = exact;
    } else {
        all->chunks[s].key = exact;
        all->chunks[s].keys = out->size / sizeof(uint64_t);
    }
done:
    return status;
}

static film_status take_some(struct threads_worker *worker, void *user, film_error *error)
{
    struct collecting *all = user;
    struct survey survey;
    struct collected out = {0};
    size_t first, end;
    film_status status = survey_init(&survey, all->encoder, error);
    while (status == FILM_OK && threads_next(worker, &first, &end))
        status = take_evidence_chunk(all, first, end, &survey, &out, error);
    survey_free(&survey);
    mem_free(out.bytes);
    return status;
}

/* Reads the first COUNT pairs. */
static film_status run_pass(struct collecting *all, enum pass pass, size_t count, film_error *error)
{
    all->pass = pass;
    return threads_for(all->threads, count, CHUNK, take_some, all, error);
}

static void free_keys(struct collecting *all, size_t count)
{
    for (size_t s = 0; all->chunks && s < count; s++) {
        mem_free(all->chunks[s].key);
        all->chunks[s].key = NULL;
    }
    mem_free(all->seen.bits);
    all->seen.bits = NULL;
}

/* Sees the items of all COUNT chunks, in a table large enough for the keys that the first chunk
 * suggests. */
static film_status see_items(struct collecting *all, size_t count, film_error *error)
{
    film_status status = FILM_OK;
    TRY(run_pass(all, LIST_ITEMS, CHUNK, error));
    uint64_t mask = (1 << 12) - 1;
    while (mask < 4 * count * all->chunks[0].keys) mask = 2 * mask + 1;
    free_keys(all, 1);
    all->seen = (struct seen_twice){mem_zeroed(mask / 4 + 1, 1), mask};
    TRY_ALLOC(all->seen.bits, error);
    TRY(run_pass(all, SEE_ITEMS, all->source->count, error));
done:
    return status;
}

film_status evidence_rows_collect(struct evidence_rows *rows, const struct encoder *encoder,
                                  const struct evidence_source *source, int threads,
                                  const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = (source->count + CHUNK - 1) / CHUNK;
    /* Without a map: no vectors are needed. */
    struct encoder words = *encoder;
    words.map = (struct word_map){.rows = NULL};
    words.network = NULL;
    struct collecting all = {.rows = rows,
                             .encoder = &words,
                             .source = source,
                             .threads = threads_count(threads),
                             .chunks = mem_zeroed(count, sizeof *all.chunks)};
    *rows = (struct evidence_rows){.pairs = source->count,
                                   .features = features_count(encoder->features),
                                   .idf = encoder->features->idf,
                                   .chunk = mem_zeroed(count, sizeof *rows->chunk),
                                   .start = mem_array(source->count, sizeof *rows->start)};
    TRY_ALLOC(all.chunks && rows->chunk && rows->start, error);
    TRY(progress_report(progress, "reading pairs", 0, 0, error));
    if (count > 1) TRY(see_items(&all, count, error));
    TRY(run_pass(&all, LIST_ITEMS, source->count, error));
    TRY(progress_report(progress, "counting word pairs", 0, 0, error));
    TRY(evidence_items_number(&rows->items, all.chunks, count, error));
    free_keys(&all, count);
    mem_give_back();
    rows->columns = 2 * rows->features + rows->items.count;
    if (rows->columns >= UINT32_MAX)
        TRY(status_set(error, FILM_BAD_INPUT, "too many word pairs; choose fewer features"));
    TRY(run_pass(&all, WRITE_ROWS, source->count, error));
done:
    free_keys(&all, count);
    mem_free(all.chunks);
    if (status != FILM_OK) evidence_rows_free(rows);
    return status;
}

void evidence_rows_free_pairs(struct evidence_rows *rows)
{
    for (size_t s = 0; rows->chunk && s * CHUNK < rows->pairs; s++) mem_free(rows->chunk[s]);
    mem_free(rows->chunk);
    mem_free(rows->start);
    rows->chunk = NULL;
    rows->start = NULL;
    rows->pairs = 0;
    mem_give_back();
}

void evidence_rows_free(struct evidence_rows *rows)
{
    evidence_rows_free_pairs(rows);
    keytab_free(&rows->items);
    memset(rows, 0, sizeof *rows);
}
