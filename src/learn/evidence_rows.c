/* Collects the features and items of all pairs as sparse rows, in parallel, once for all fits.
 * Learning is in evidence_fit.c. */
#include "learn/evidence_fit.h"
#include "base/partition.h"
#include "base/mem.h"
#include "la/openmp.h"

#include <string.h>

/* ---- Collecting ---- */

enum { CHUNK = 512 };

/* A chunk of pairs: their feature columns and item keys. */
struct pair_chunk {
    uint32_t *column;
    float *value; /* values of the columns */
    uint64_t *key;
    float *key_value;
    size_t columns, keys, column_capacity, value_capacity, key_capacity, key_value_capacity;
    uint32_t columns_of[CHUNK], keys_of[CHUNK]; /* counts per pair */
};

static void chunk_free(struct pair_chunk *chunk)
{
    mem_free(chunk->column);
    mem_free(chunk->value);
    mem_free(chunk->key);
    mem_free(chunk->key_value);
    chunk->column = NULL;
    chunk->value = chunk->key_value = NULL;
    chunk->key = NULL;
}

static void shrink(void **array, uint64_t count, size_t size)
{
    void *smaller = mem_resize(*array, count, size);
    if (smaller) *array = smaller;
}

static void chunk_trim(struct pair_chunk *chunk)
{
    shrink((void **)&chunk->column, chunk->columns + 1, sizeof *chunk->column);
    shrink((void **)&chunk->value, chunk->columns + 1, sizeof *chunk->value);
    shrink((void **)&chunk->key, chunk->keys + 1, sizeof *chunk->key);
    shrink((void **)&chunk->key_value, chunk->keys + 1, sizeof *chunk->key_value);
}

static int reserve_entries(struct pair_chunk *chunk, size_t columns, size_t keys)
{
    columns += chunk->columns + 1; /* one more: memcpy needs an array even for 0 bytes */
    keys += chunk->keys + 1;
    return mem_grow((void **)&chunk->column, &chunk->column_capacity, columns,
                    sizeof *chunk->column) &&
           mem_grow((void **)&chunk->value, &chunk->value_capacity, columns,
                    sizeof *chunk->value) &&
           mem_grow((void **)&chunk->key, &chunk->key_capacity, keys, sizeof *chunk->key) &&
           mem_grow((void **)&chunk->key_value, &chunk->key_value_capacity, keys,
                    sizeof *chunk->key_value);
}

/* Adds the features of both rows as columns. Values are normalised when a group is complete. */
static void add_pair_features(struct pair_chunk *chunk, const struct reading *reading)
{
    const struct feature_row *a = &reading->side[0].row, *b = &reading->side[1].row;
    const struct features *features = reading->encoder->features;
    const uint32_t *first = features->first;
    size_t i = 0, j = 0;
    for (int g = 0; g < GROUPS; g++) {
        size_t start = chunk->columns;
        double squares[2] = {0, 0};
        for (;;) {
            uint32_t left = i < a->count && a->id[i] < first[g + 1] ? a->id[i] : UINT32_MAX;
            uint32_t right = j < b->count && b->id[j] < first[g + 1] ? b->id[j] : UINT32_MAX;
            if (left == UINT32_MAX && right == UINT32_MAX) break;
            uint32_t alone = left != right, id = left < right ? left : right;
            double base = evidence_base(features, (enum group)g, id, (int)alone);
            chunk->value[chunk->columns] = (float)base;
            chunk->column[chunk->columns++] = 2 * id + alone;
            squares[alone] += base * base;
            i += left <= right;
            j += right <= left;
        }
        for (size_t k = start; k < chunk->columns; k++)
            chunk->value[k] *= (float)evidence_factor(squares[chunk->column[k] & 1]);
    }
}

static film_status add_pair(struct pair_chunk *chunk, size_t at, const struct reading *reading,
                            const struct items *items, film_error *error)
{
    size_t before = chunk->columns;
    if (!reserve_entries(chunk, reading->side[0].row.count + reading->side[1].row.count,
                         items->count))
        return status_no_memory(error);
    add_pair_features(chunk, reading);
    for (size_t k = 0; k < items->count; k++) {
        chunk->key[chunk->keys] = items->list[k].key;
        chunk->key_value[chunk->keys++] = items->list[k].value;
    }
    chunk->columns_of[at] = (uint32_t)(chunk->columns - before);
    chunk->keys_of[at] = (uint32_t)items->count;
    return FILM_OK;
}

static film_status collect_chunks(struct pair_chunk *chunks, size_t count,
                                  const struct encoder *encoder,
                                  const struct evidence_source *source, int threads,
                                  film_error *error)
{
    film_status status = FILM_OK;
#pragma omp parallel num_threads(threads)
    {
        struct survey survey;
        film_error own_error;
        film_status own = survey_init(&survey, encoder, &own_error);
#pragma omp for schedule(dynamic, 1)
        for (size_t s = 0; s < count; s++) {
            size_t end = (s + 1) * CHUNK < source->count ? (s + 1) * CHUNK : source->count;
            for (size_t i = s * CHUNK; i < end && own == FILM_OK; i++) {
                film_text a, b;
                source->pair(source->user, i, &a, &b);
                own = source->keep ? survey_make(&survey, NULL, a, b, &own_error)
                                   : survey_read(&survey, a, b, &own_error);
                if (own == FILM_OK) own = items_collect(&survey.items, &survey.reading, &own_error);
                if (own == FILM_OK)
                    own = add_pair(&chunks[s], i - s * CHUNK, &survey.reading, &survey.items,
                                   &own_error);
                if (own == FILM_OK && source->keep) source->keep(source->keeper, i, &survey);
            }
            if (own == FILM_OK) chunk_trim(&chunks[s]);
        }
        if (own != FILM_OK) {
#pragma omp critical
            status = status_set(error, own, "%s", own_error.message);
        }
        survey_free(&survey);
    }
    return status;
}

/* ---- Items of one pair ---- */

static uint64_t hash_key(uint64_t key)
{
    return keytab_first_slot(&(struct keytab){.slot_mask = UINT64_MAX}, key);
}

/* Two bits per hash: it was seen, it was seen again. */
struct seen_twice {
    unsigned char *bits;
    uint64_t mask;
};

static void see_key(struct seen_twice *seen, uint64_t key)
{
    uint64_t hash = hash_key(key) & seen->mask, shift = 2 * (hash % 4);
    unsigned char *four = &seen->bits[hash / 4];
    *four |= (unsigned char)((*four >> shift & 1 ? 2 : 1) << shift);
}

static int is_seen_twice(const struct seen_twice *seen, uint64_t key)
{
    uint64_t hash = hash_key(key) & seen->mask;
    return seen->bits[hash / 4] >> (2 * (hash % 4)) & 2;
}

static void drop_single(struct pair_chunk *chunk, const struct seen_twice *seen)
{
    size_t kept = 0, k = 0;
    for (size_t at = 0; at < CHUNK; at++) {
        size_t before = kept;
        for (size_t end = k + chunk->keys_of[at]; k < end; k++) {
            if (!is_seen_twice(seen, chunk->key[k])) continue;
            chunk->key[kept] = chunk->key[k];
            chunk->key_value[kept++] = chunk->key_value[k];
        }
        chunk->keys_of[at] = (uint32_t)(kept - before);
    }
    chunk->keys = kept;
    chunk_trim(chunk);
}

/* Drops most of the items that occur once, which are most of all items, before exact numbering.
 * Only for one process: in a job another one may have the second occurrence. */
static film_status drop_singles(struct pair_chunk *chunks, size_t count, int threads,
                                film_error *error)
{
    struct seen_twice seen = {.mask = (1 << 12) - 1};
    size_t keys = 0;
    for (size_t s = 0; s < count; s++) keys += chunks[s].keys;
    while (seen.mask < 4 * keys) seen.mask = 2 * seen.mask + 1;
    if (!(seen.bits = mem_zeroed(seen.mask / 4 + 1, 1))) return status_no_memory(error);
    for (size_t s = 0; s < count; s++)
        for (size_t k = 0; k < chunks[s].keys; k++) see_key(&seen, chunks[s].key[k]);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t s = 0; s < count; s++) drop_single(&chunks[s], &seen);
    mem_free(seen.bits);
    mem_give_back();
    return FILM_OK;
}

/* ---- Numbering ----
 *
 * Items that occur in at least two pairs of the job get a number, in the order of their second
 * occurrence. The numbers are the same in every process and for every number of processes. Most
 * items occur once, so a table of all items would be many times larger than the result. Therefore
 * keys are processed in rounds, by ranges of their hashes. In a round every process sends each of
 * its keys to the process that owns it: once, or twice if two of its own pairs have it. The owner
 * marks the second occurrence. */

enum { ROUND_KEYS = 1 << 18, MOST_ROUNDS = 32 }; /* each round reads all keys */

struct key_round {
    uint64_t number, rounds;
    struct keytab seen;
    uint32_t *first; /* by number: the first pair with the item, or SHOWN_TWICE */
    struct shown_key {
        uint64_t key;
        size_t place; /* index among all items of this process */
    } * shown;
    size_t count, first_capacity, shown_capacity;
};
#define SHOWN_TWICE UINT32_MAX

static int is_in_round(const struct key_round *round, uint64_t key)
{
    return (hash_key(key) >> 16 & 0xffff) * round->rounds >> 16 == round->number;
}

static int who_decides(const struct comm *comm, uint64_t key)
{
    return partition_owner(comm, hash_key(key));
}

static film_status show_key(struct key_round *round, uint64_t key, uint32_t pair, size_t place,
                            film_error *error)
{
    film_status status = FILM_OK;
    uint32_t before = round->seen.count, number;
    TRY(keytab_add(&round->seen, key, &number, error));
    TRY_ALLOC(mem_grow((void **)&round->first, &round->first_capacity, (size_t)number + 1,
                       sizeof *round->first) &&
                  mem_grow((void **)&round->shown, &round->shown_capacity, round->count + 1,
                           sizeof *round->shown),
              error);
    if (number == before) {
        round->first[number] = pair;
    } else {
        /* A pair may have an item twice ("so so so"); it still counts as one pair. */
        if (round->first[number] == pair || round->first[number] == SHOWN_TWICE) goto done;
        round->first[number] = SHOWN_TWICE;
    }
    round->shown[round->count++] = (struct shown_key){key, place};
done:
    return status;
}

/* STAYS[i] = whether key i of COUNT occurs for the second time, in the order of the processes. */
static film_status mark_second(const uint64_t *key, size_t count, unsigned char *stays,
                               film_error *error)
{
    film_status status = FILM_OK;
    struct keytab seen = {0};
    uint32_t number;
    unsigned char *times = mem_zeroed(count, 1);
    TRY_ALLOC(times, error);
    TRY(keytab_init(&seen, error));
    for (size_t i = 0; i < count; i++) {
        TRY(keytab_add(&seen, key[i], &number, error));
        if (times[number] < 3) times[number]++;
        stays[i] = times[number] == 2;
    }
done:
    keytab_free(&seen);
    mem_free(times);
    return status;
}

/* Sends the keys of a round to their owners and marks the places of those that stay. */
static film_status mark_repeated(const struct key_round *round, const struct comm *comm,
                                 unsigned char *marks, film_error *error)
{
    film_status status = FILM_OK;
    size_t processes = (size_t)comm->size, total = 0, come = 0, *in_sizes = NULL;
    size_t *sizes = mem_zeroed(processes, sizeof *sizes),
           *next = mem_array(processes, sizeof *next);
    size_t *place = mem_array(round->count, sizeof *place);
    uint64_t *out = mem_array(round->count, sizeof *out);
    unsigned char *answer = mem_array(round->count, 1), *stays = NULL;
    void *in = NULL;
    TRY_ALLOC(sizes && next && place && out && answer, error);
    for (size_t i = 0; i < round->count; i++) sizes[who_decides(comm, round->shown[i].key)]++;
    for (size_t p = 0; p < processes; total += sizes[p++]) next[p] = total;
    for (size_t i = 0; i < round->count; i++) {
        size_t at = next[who_decides(comm, round->shown[i].key)]++;
        out[at] = round->shown[i].key;
        place[at] = round->shown[i].place;
    }
    for (size_t p = 0; p < processes; p++) next[p] = sizes[p] * sizeof *out;
    TRY(comm_exchange_all(comm, out, next, &in, &in_sizes, error));
    for (size_t p = 0; p < processes; p++) come += in_sizes[p] /= sizeof *out;
    TRY_ALLOC(stays = mem_array(come, 1), error);
    TRY(mark_second(in, come, stays, error));
    TRY(comm_exchange(comm, stays, in_sizes, answer, sizes, error));
    for (size_t i = 0; i < round->count; i++)
        if (answer[i]) marks[place[i] / 8] |= (unsigned char)(1 << place[i] % 8);
done:
    mem_free(sizes);
    mem_free(next);
    mem_free(in_sizes);
    mem_free(place);
    mem_free(out);
    mem_free(in);
    mem_free(answer);
    mem_free(stays);
    return status;
}

static film_status run_round(struct key_round *round, const struct pair_chunk *chunks, size_t count,
                             const struct comm *comm, unsigned char *marks, film_error *error)
{
    film_status status = FILM_OK;
    size_t place = 0;
    TRY(keytab_init(&round->seen, error));
    for (size_t s = 0; s < count; place += chunks[s++].keys)
        for (size_t k = 0, pair = 0, end = chunks[s].keys_of[0]; k < chunks[s].keys; k++) {
            while (k >= end) end += chunks[s].keys_of[++pair];
            if (is_in_round(round, chunks[s].key[k]))
                TRY(show_key(round, chunks[s].key[k], (uint32_t)(s * CHUNK + pair), place + k,
                             error));
        }
    TRY(mark_repeated(round, comm, marks, error));
done:
    keytab_free(&round->seen);
    mem_free(round->first);
    mem_free(round->shown);
    round->first = NULL;
    round->shown = NULL;
    round->first_capacity = round->shown_capacity = 0;
    return status;
}

static film_status number_items(struct evidence_rows *rows, const struct pair_chunk *chunks,
                                size_t count, const struct comm *comm, film_error *error)
{
    film_status status = FILM_OK;
    size_t total = 0, all = 0, kept = 0, place = 0, *sizes = NULL;
    unsigned char *marks = NULL;
    uint64_t *mine = NULL;
    void *keys = NULL;
    uint32_t number;
    for (size_t s = 0; s < count; s++) total += chunks[s].keys;
    TRY_ALLOC(marks = mem_zeroed(total / 8 + 1, 1), error);
    all = total;
    TRY(comm_sum_counts(comm, &all, 1, error));
    uint64_t rounds = 1 + all / ((size_t)comm->size * ROUND_KEYS);
    if (rounds > MOST_ROUNDS) rounds = MOST_ROUNDS;
    for (uint64_t t = 0; t < rounds; t++) {
        struct key_round round = {.number = t, .rounds = rounds};
        TRY(run_round(&round, chunks, count, comm, marks, error));
    }
    for (size_t i = 0; i < total; i++) kept += marks[i / 8] >> i % 8 & 1;
    TRY_ALLOC(mine = mem_array(kept, sizeof *mine), error);
    kept = 0;
    for (size_t s = 0; s < count; s++)
        for (size_t k = 0; k < chunks[s].keys; k++, place++)
            if (marks[place / 8] >> place % 8 & 1) mine[kept++] = chunks[s].key[k];
    TRY(comm_gather_all(comm, mine, kept * sizeof *mine, &keys, &sizes, error));
    TRY(keytab_init(&rows->items, error));
    all = 0;
    for (int p = 0; p < comm->size; p++) all += sizes[p] / sizeof *mine;
    for (size_t i = 0; i < all; i++)
        TRY(keytab_add(&rows->items, ((const uint64_t *)keys)[i], &number, error));
done:
    mem_free(marks);
    mem_free(mine);
    mem_free(keys);
    mem_free(sizes);
    return status;
}

/* Copies a chunk into the rows. Items without a number become UINT32_MAX until drop_unknown. */
static void copy_chunk(struct evidence_rows *rows, const struct pair_chunk *chunk, size_t first)
{
    size_t column = 0, key = 0;
    for (size_t at = 0; at < CHUNK && first + at < rows->pairs; at++) {
        uint64_t out = rows->start[first + at];
        size_t columns = chunk->columns_of[at], keys = chunk->keys_of[at];
        memcpy(rows->column + out, chunk->column + column, columns * sizeof *rows->column);
        memcpy(rows->value + out, chunk->value + column, columns * sizeof *rows->value);
        memcpy(rows->value + out + columns, chunk->key_value + key, keys * sizeof *rows->value);
        for (size_t k = 0; k < keys; k++) {
            uint32_t number = keytab_find(&rows->items, chunk->key[key + k]);
            rows->column[out + columns + k] =
                number == KEYTAB_NONE ? UINT32_MAX : (uint32_t)(2 * rows->features) + number;
        }
        column += columns;
        key += keys;
    }
}

/* Removes the items without a number. */
static void drop_unknown(struct evidence_rows *rows)
{
    uint64_t kept = 0;
    for (size_t i = 0; i < rows->pairs; i++) {
        uint64_t from = rows->start[i], to = rows->start[i + 1];
        rows->start[i] = kept;
        for (uint64_t k = from; k < to; k++) {
            if (rows->column[k] == UINT32_MAX) continue;
            rows->column[kept] = rows->column[k];
            rows->value[kept++] = rows->value[k];
        }
    }
    rows->start[rows->pairs] = kept;
}

/* Frees each chunk as soon as it is copied, and finally the space of the removed items: memory use
 * is highest here. */
static film_status join_chunks(struct evidence_rows *rows, struct pair_chunk *chunks, size_t count,
                               int threads, film_error *error)
{
    film_status status = FILM_OK;
    TRY_ALLOC(rows->start = mem_array(rows->pairs + 1, sizeof *rows->start), error);
    uint64_t total = 0;
    for (size_t i = 0; i < rows->pairs; i++) { /* room for all items, numbered or not */
        const struct pair_chunk *chunk = &chunks[i / CHUNK];
        rows->start[i] = total;
        total += chunk->columns_of[i % CHUNK] + chunk->keys_of[i % CHUNK];
    }
    rows->start[rows->pairs] = total;
    TRY_ALLOC((rows->column = mem_array(total, sizeof *rows->column)) &&
                  (rows->value = mem_array(total, sizeof *rows->value)),
              error);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (size_t s = 0; s < count; s++) {
        copy_chunk(rows, &chunks[s], s * CHUNK);
        chunk_free(&chunks[s]);
        if (s % (count / 16 + 1) == 0) mem_give_back();
    }
    drop_unknown(rows);
    shrink((void **)&rows->column, rows->start[rows->pairs], sizeof *rows->column);
    shrink((void **)&rows->value, rows->start[rows->pairs], sizeof *rows->value);
done:
    return status;
}

film_status evidence_rows_collect(struct evidence_rows *rows, const struct encoder *encoder,
                                  const struct evidence_source *source, int threads,
                                  const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = source->comm;
    size_t count = (source->count + CHUNK - 1) / CHUNK;
    struct pair_chunk *chunks = mem_zeroed(count, sizeof *chunks);
    /* Without a map: no vectors are needed. */
    struct encoder words = *encoder;
    words.map = (struct word_map){.rows = NULL};
    words.network = NULL;
    memset(rows, 0, sizeof *rows);
    rows->pairs = source->count;
    rows->features = features_count(encoder->features);
    threads = openmp_use(threads);
    TRY_ALLOC(chunks, error);
    TRY(comm_agree(comm, progress_report(progress, "reading pairs", 0, 0, error), error));
    TRY(collect_chunks(chunks, count, &words, source, threads, error));
    TRY(comm_agree(comm, progress_report(progress, "counting word pairs", 0, 0, error), error));
    if (comm->size == 1) TRY(drop_singles(chunks, count, threads, error));
    TRY(number_items(rows, chunks, count, comm, error));
    rows->columns = 2 * rows->features + rows->items.count;
    if (rows->columns >= UINT32_MAX)
        TRY(status_set(error, FILM_BAD_INPUT, "too many word pairs; choose fewer features"));
    TRY(join_chunks(rows, chunks, count, threads, error));
done:
    for (size_t s = 0; chunks && s < count; s++) chunk_free(&chunks[s]);
    mem_free(chunks);
    if (status != FILM_OK) evidence_rows_free(rows);
    return status;
}

void evidence_rows_free_pairs(struct evidence_rows *rows)
{
    mem_free(rows->start);
    mem_free(rows->column);
    mem_free(rows->value);
    rows->start = NULL;
    rows->column = NULL;
    rows->value = NULL;
    rows->pairs = 0;
    mem_give_back();
}

void evidence_rows_free(struct evidence_rows *rows)
{
    evidence_rows_free_pairs(rows);
    keytab_free(&rows->items);
    memset(rows, 0, sizeof *rows);
}
