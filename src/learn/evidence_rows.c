/* Collects the items of all pairs as rows of column numbers, in parallel, once for every fit. It
 * learns nothing (evidence_fit.c). */
#include "learn/evidence_fit.h"
#include "base/partition.h"
#include "base/mem.h"
#include "la/openmp.h"

#include <string.h>

/* ---- Collecting ---- */

enum { STRETCH = 512 };

/* The pairs of one stretch: feature columns and item keys. */
struct stretch {
    uint32_t *column;
    float *value; /* of the columns */
    uint64_t *key;
    float *key_value;
    size_t columns, keys, column_capacity, value_capacity, key_capacity, key_value_capacity;
    uint32_t columns_of[STRETCH], keys_of[STRETCH]; /* of each pair */
};

static void stretch_free(struct stretch *stretch)
{
    mem_free(stretch->column);
    mem_free(stretch->value);
    mem_free(stretch->key);
    mem_free(stretch->key_value);
    stretch->column = NULL;
    stretch->value = stretch->key_value = NULL;
    stretch->key = NULL;
}

static int reserve(struct stretch *stretch, size_t columns, size_t keys)
{
    columns += stretch->columns + 1; /* one more: copying nothing still needs an array */
    keys += stretch->keys + 1;
    return mem_grow((void **)&stretch->column, &stretch->column_capacity, columns,
                    sizeof *stretch->column) &&
           mem_grow((void **)&stretch->value, &stretch->value_capacity, columns,
                    sizeof *stretch->value) &&
           mem_grow((void **)&stretch->key, &stretch->key_capacity, keys, sizeof *stretch->key) &&
           mem_grow((void **)&stretch->key_value, &stretch->key_value_capacity, keys,
                    sizeof *stretch->key_value);
}

/* The features of both rows, as columns; what each counts is known when the group is complete. */
static void add_features(struct stretch *stretch, const struct reading *reading)
{
    const struct feature_row *a = &reading->side[0].row, *b = &reading->side[1].row;
    const struct features *features = reading->encoder->features;
    const uint32_t *first = features->first;
    size_t i = 0, j = 0;
    for (int g = 0; g < GROUPS; g++) {
        size_t start = stretch->columns;
        double squares[2] = {0, 0};
        for (;;) {
            uint32_t left = i < a->count && a->id[i] < first[g + 1] ? a->id[i] : UINT32_MAX;
            uint32_t right = j < b->count && b->id[j] < first[g + 1] ? b->id[j] : UINT32_MAX;
            if (left == UINT32_MAX && right == UINT32_MAX) break;
            uint32_t alone = left != right, id = left < right ? left : right;
            double base = evidence_base(features, (enum group)g, id, (int)alone);
            stretch->value[stretch->columns] = (float)base;
            stretch->column[stretch->columns++] = 2 * id + alone;
            squares[alone] += base * base;
            i += left <= right;
            j += right <= left;
        }
        for (size_t k = start; k < stretch->columns; k++)
            stretch->value[k] *= (float)evidence_factor(squares[stretch->column[k] & 1]);
    }
}

static film_status add_pair(struct stretch *stretch, size_t at, const struct reading *reading,
                            const struct items *items, film_error *error)
{
    size_t before = stretch->columns;
    if (!reserve(stretch, reading->side[0].row.count + reading->side[1].row.count, items->count))
        return status_no_memory(error);
    add_features(stretch, reading);
    for (size_t k = 0; k < items->count; k++) {
        stretch->key[stretch->keys] = items->list[k].key;
        stretch->key_value[stretch->keys++] = items->list[k].value;
    }
    stretch->columns_of[at] = (uint32_t)(stretch->columns - before);
    stretch->keys_of[at] = (uint32_t)items->count;
    return FILM_OK;
}

static film_status read_stretches(struct stretch *stretches, size_t count,
                                  const struct encoder *encoder,
                                  const struct evidence_source *source, int threads,
                                  film_error *error)
{
    film_status status = FILM_OK;
#pragma omp parallel num_threads(threads)
    {
        struct reading reading;
        struct items items = {0};
        film_error own_error;
        film_status own = reading_init(&reading, encoder, &own_error);
        if (own == FILM_OK) own = items_init(&items, &own_error);
#pragma omp for schedule(dynamic, 1)
        for (size_t s = 0; s < count; s++) {
            size_t end = (s + 1) * STRETCH < source->count ? (s + 1) * STRETCH : source->count;
            for (size_t i = s * STRETCH; i < end && own == FILM_OK; i++) {
                film_text a, b;
                source->pair(source->user, i, &a, &b);
                own = reading_read(&reading, a, b, &own_error);
                if (own == FILM_OK) own = items_collect(&items, &reading, &own_error);
                if (own == FILM_OK)
                    own = add_pair(&stretches[s], i - s * STRETCH, &reading, &items, &own_error);
            }
        }
        if (own != FILM_OK) {
#pragma omp critical
            status = status_set(error, own, "%s", own_error.message);
        }
        reading_free(&reading);
        items_free(&items);
    }
    return status;
}

/* ---- Numbering ----
 *
 * Items that at least two pairs of the job have get a number, in the order in which their second
 * pairs come: the same in every process, and for any number of them. Most items occur once, and a
 * table of all would be many times larger than that of those that stay; so keys are looked at in
 * turns, a part of their hashes each. In a turn every process shows each of its items once, or
 * twice where two of its pairs have it, to the process that decides about it; the second time a key
 * is shown, that place is marked. */

enum { TURN_KEYS = 1 << 18, MOST_TURNS = 32 }; /* each turn reads all keys */

struct turn {
    uint64_t number, turns;
    struct keytab seen;
    uint32_t *first; /* by number: the first pair that had the item, or SHOWN_TWICE */
    struct shown {
        uint64_t key;
        size_t place; /* among all items of this process */
    } * shown;
    size_t count, first_capacity, shown_capacity;
};
#define SHOWN_TWICE UINT32_MAX

static uint64_t hash_of(uint64_t key)
{
    return keytab_first_slot(&(struct keytab){.slot_mask = UINT64_MAX}, key);
}

static int is_its_turn(const struct turn *turn, uint64_t key)
{
    return (hash_of(key) >> 16 & 0xffff) * turn->turns >> 16 == turn->number;
}

static int who_decides(const struct comm *comm, uint64_t key)
{
    return partition_owner(comm, hash_of(key));
}

static film_status show(struct turn *turn, uint64_t key, uint32_t pair, size_t place,
                        film_error *error)
{
    film_status status = FILM_OK;
    uint32_t before = turn->seen.count, number;
    TRY(keytab_add(&turn->seen, key, &number, error));
    TRY_ALLOC(mem_grow((void **)&turn->first, &turn->first_capacity, (size_t)number + 1,
                       sizeof *turn->first) &&
                  mem_grow((void **)&turn->shown, &turn->shown_capacity, turn->count + 1,
                           sizeof *turn->shown),
              error);
    if (number == before) {
        turn->first[number] = pair;
    } else {
        /* A pair may have an item twice ("so so so"): that is still one pair. */
        if (turn->first[number] == pair || turn->first[number] == SHOWN_TWICE) goto done;
        turn->first[number] = SHOWN_TWICE;
    }
    turn->shown[turn->count++] = (struct shown){key, place};
done:
    return status;
}

/* STAYS[i]: key i of COUNT, as the processes showed them one behind the other, is there for the
 * second time. */
static film_status decide(const uint64_t *key, size_t count, unsigned char *stays,
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

/* Shows the keys of a turn and marks the places of those that stay. */
static film_status ask(const struct turn *turn, const struct comm *comm, unsigned char *marks,
                       film_error *error)
{
    film_status status = FILM_OK;
    size_t processes = (size_t)comm->size, total = 0, come = 0, *in_sizes = NULL;
    size_t *sizes = mem_zeroed(processes, sizeof *sizes),
           *next = mem_array(processes, sizeof *next);
    size_t *place = mem_array(turn->count, sizeof *place);
    uint64_t *out = mem_array(turn->count, sizeof *out);
    unsigned char *answer = mem_array(turn->count, 1), *stays = NULL;
    void *in = NULL;
    TRY_ALLOC(sizes && next && place && out && answer, error);
    for (size_t i = 0; i < turn->count; i++) sizes[who_decides(comm, turn->shown[i].key)]++;
    for (size_t p = 0; p < processes; total += sizes[p++]) next[p] = total;
    for (size_t i = 0; i < turn->count; i++) {
        size_t at = next[who_decides(comm, turn->shown[i].key)]++;
        out[at] = turn->shown[i].key;
        place[at] = turn->shown[i].place;
    }
    for (size_t p = 0; p < processes; p++) next[p] = sizes[p] * sizeof *out;
    TRY(comm_exchange_all(comm, out, next, &in, &in_sizes, error));
    for (size_t p = 0; p < processes; p++) come += in_sizes[p] /= sizeof *out;
    TRY_ALLOC(stays = mem_array(come, 1), error);
    TRY(decide(in, come, stays, error));
    TRY(comm_exchange(comm, stays, in_sizes, answer, sizes, error));
    for (size_t i = 0; i < turn->count; i++)
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

static film_status take_turn(struct turn *turn, const struct stretch *stretches, size_t count,
                             const struct comm *comm, unsigned char *marks, film_error *error)
{
    film_status status = FILM_OK;
    size_t place = 0;
    TRY(keytab_init(&turn->seen, error));
    for (size_t s = 0; s < count; place += stretches[s++].keys)
        for (size_t k = 0, pair = 0, end = stretches[s].keys_of[0]; k < stretches[s].keys; k++) {
            while (k >= end) end += stretches[s].keys_of[++pair];
            if (is_its_turn(turn, stretches[s].key[k]))
                TRY(show(turn, stretches[s].key[k], (uint32_t)(s * STRETCH + pair), place + k,
                         error));
        }
    TRY(ask(turn, comm, marks, error));
done:
    keytab_free(&turn->seen);
    mem_free(turn->first);
    mem_free(turn->shown);
    turn->first = NULL;
    turn->shown = NULL;
    turn->first_capacity = turn->shown_capacity = 0;
    return status;
}

static film_status number_items(struct evidence_rows *rows, const struct stretch *stretches,
                                size_t count, const struct comm *comm, film_error *error)
{
    film_status status = FILM_OK;
    size_t total = 0, all = 0, kept = 0, place = 0, *sizes = NULL;
    unsigned char *marks = NULL;
    uint64_t *mine = NULL;
    void *keys = NULL;
    uint32_t number;
    for (size_t s = 0; s < count; s++) total += stretches[s].keys;
    TRY_ALLOC(marks = mem_zeroed(total / 8 + 1, 1), error);
    all = total;
    TRY(comm_sum_counts(comm, &all, 1, error));
    uint64_t turns = 1 + all / ((size_t)comm->size * TURN_KEYS);
    if (turns > MOST_TURNS) turns = MOST_TURNS;
    for (uint64_t t = 0; t < turns; t++) {
        struct turn turn = {.number = t, .turns = turns};
        TRY(take_turn(&turn, stretches, count, comm, marks, error));
    }
    for (size_t i = 0; i < total; i++) kept += marks[i / 8] >> i % 8 & 1;
    TRY_ALLOC(mine = mem_array(kept, sizeof *mine), error);
    kept = 0;
    for (size_t s = 0; s < count; s++)
        for (size_t k = 0; k < stretches[s].keys; k++, place++)
            if (marks[place / 8] >> place % 8 & 1) mine[kept++] = stretches[s].key[k];
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

/* Copies a stretch behind one another's pairs; unknown items become UINT32_MAX for now. */
static void copy_stretch(struct evidence_rows *rows, const struct stretch *stretch, size_t first)
{
    size_t column = 0, key = 0;
    for (size_t at = 0; at < STRETCH && first + at < rows->pairs; at++) {
        uint64_t out = rows->start[first + at];
        size_t columns = stretch->columns_of[at], keys = stretch->keys_of[at];
        memcpy(rows->column + out, stretch->column + column, columns * sizeof *rows->column);
        memcpy(rows->value + out, stretch->value + column, columns * sizeof *rows->value);
        memcpy(rows->value + out + columns, stretch->key_value + key, keys * sizeof *rows->value);
        for (size_t k = 0; k < keys; k++) {
            uint32_t number = keytab_find(&rows->items, stretch->key[key + k]);
            rows->column[out + columns + k] =
                number == KEYTAB_NONE ? UINT32_MAX : (uint32_t)(2 * rows->features) + number;
        }
        column += columns;
        key += keys;
    }
}

/* Closes the gaps of unknown items. */
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

static void shrink(void **array, uint64_t count, size_t size)
{
    void *smaller = mem_resize(*array, count, size);
    if (smaller) *array = smaller;
}

/* A stretch is freed as soon as it is copied, and what the unknown items leave in the end: pairs
 * are read once, and this is where most memory is wanted. */
static film_status join_stretches(struct evidence_rows *rows, struct stretch *stretches,
                                  size_t count, int threads, film_error *error)
{
    film_status status = FILM_OK;
    TRY_ALLOC(rows->start = mem_array(rows->pairs + 1, sizeof *rows->start), error);
    uint64_t total = 0;
    for (size_t i = 0; i < rows->pairs; i++) { /* room for all items, known or not */
        const struct stretch *stretch = &stretches[i / STRETCH];
        rows->start[i] = total;
        total += stretch->columns_of[i % STRETCH] + stretch->keys_of[i % STRETCH];
    }
    rows->start[rows->pairs] = total;
    TRY_ALLOC((rows->column = mem_array(total, sizeof *rows->column)) &&
                  (rows->value = mem_array(total, sizeof *rows->value)),
              error);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (size_t s = 0; s < count; s++) {
        copy_stretch(rows, &stretches[s], s * STRETCH);
        stretch_free(&stretches[s]);
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
    size_t count = (source->count + STRETCH - 1) / STRETCH;
    struct stretch *stretches = mem_zeroed(count, sizeof *stretches);
    /* Words and items alone are wanted, no vectors. */
    struct encoder words = {.features = encoder->features};
    memset(rows, 0, sizeof *rows);
    rows->pairs = source->count;
    rows->features = features_count(encoder->features);
    threads = openmp_use(threads);
    TRY_ALLOC(stretches, error);
    TRY(comm_agree(comm, progress_report(progress, "reading pairs", 0, 0, error), error));
    TRY(read_stretches(stretches, count, &words, source, threads, error));
    TRY(comm_agree(comm, progress_report(progress, "counting word pairs", 0, 0, error), error));
    TRY(number_items(rows, stretches, count, comm, error));
    rows->columns = 2 * rows->features + rows->items.count;
    if (rows->columns >= UINT32_MAX)
        TRY(status_set(error, FILM_BAD_INPUT, "too many word pairs; choose fewer features"));
    TRY(join_stretches(rows, stretches, count, threads, error));
done:
    for (size_t s = 0; stretches && s < count; s++) stretch_free(&stretches[s]);
    mem_free(stretches);
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
