#include "pair/evidence_fit.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"
#include "pair/calibrate.h"

#include <math.h>
#include <string.h>

/* ---- Collecting ---- */

enum { STRETCH = 512, SEEN_BITS = 24 };

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

static size_t seen_slot(uint64_t key)
{
    return (size_t)(key * 0x9e3779b97f4a7c15u >> (64 - SEEN_BITS));
}

/* Numbers the items that at least two pairs have. A small table of marks first finds those that cannot
 * be: most items occur once, and would make the exact table many times larger. */
static film_status number_items(struct evidence_rows *rows, const struct stretch *stretches,
                                size_t count, film_error *error)
{
    film_status status = FILM_OK;
    struct keytab all = {0};
    const uint32_t KEPT = UINT32_MAX;
    uint32_t number, *first = NULL; /* by number: the first pair that had the item, or KEPT */
    size_t capacity = 0;
    unsigned char *seen = mem_zeroed((size_t)1 << SEEN_BITS, 1);
    TRY_ALLOC(seen, error);
    TRY(keytab_init(&all, error));
    TRY(keytab_init(&rows->items, error));
    for (size_t s = 0; s < count; s++)
        for (size_t k = 0; k < stretches[s].keys; k++) {
            unsigned char *mark = &seen[seen_slot(stretches[s].key[k])];
            if (*mark < 2) ++*mark;
        }
    for (size_t s = 0; s < count; s++)
        for (size_t k = 0, pair = 0, end = stretches[s].keys_of[0]; k < stretches[s].keys; k++) {
            while (k >= end) end += stretches[s].keys_of[++pair];
            uint64_t key = stretches[s].key[k];
            if (seen[seen_slot(key)] < 2) continue;
            uint32_t before = all.count, now = (uint32_t)(s * STRETCH + pair);
            TRY(keytab_add(&all, key, &number, error));
            TRY_ALLOC(mem_grow((void **)&first, &capacity, (size_t)number + 1, sizeof *first),
                      error);
            /* A pair may have an item twice ("so so so"): that is still one pair. */
            if (number == before) {
                first[number] = now;
            } else if (first[number] != now && first[number] != KEPT) {
                first[number] = KEPT;
                TRY(keytab_add(&rows->items, key, &number, error));
            }
        }
done:
    keytab_free(&all);
    mem_free(first);
    mem_free(seen);
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

static film_status join_stretches(struct evidence_rows *rows, const struct stretch *stretches,
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
    for (size_t s = 0; s < count; s++) copy_stretch(rows, &stretches[s], s * STRETCH);
    drop_unknown(rows);
done:
    return status;
}

film_status evidence_rows_collect(struct evidence_rows *rows, const struct encoder *encoder,
                                  const struct evidence_source *source, int threads,
                                  const film_progress *progress, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = (source->count + STRETCH - 1) / STRETCH;
    struct stretch *stretches = mem_zeroed(count, sizeof *stretches);
    /* Words and items alone are wanted, no vectors. */
    struct encoder words = {.features = encoder->features};
    memset(rows, 0, sizeof *rows);
    rows->pairs = source->count;
    rows->features = features_count(encoder->features);
    threads = threads_use(threads);
    TRY_ALLOC(stretches, error);
    TRY(progress_report(progress, "reading pairs", 0, 0, error));
    TRY(read_stretches(stretches, count, &words, source, threads, error));
    TRY(progress_report(progress, "counting word pairs", 0, 0, error));
    TRY(number_items(rows, stretches, count, error));
    rows->columns = 2 * rows->features + rows->items.count;
    if (rows->columns >= UINT32_MAX)
        TRY(status_set(error, FILM_BAD_INPUT, "too many word pairs: use fewer features"));
    TRY(join_stretches(rows, stretches, count, threads, error));
done:
    for (size_t s = 0; stretches && s < count; s++) stretch_free(&stretches[s]);
    mem_free(stretches);
    if (status != FILM_OK) evidence_rows_free(rows);
    return status;
}

void evidence_rows_free(struct evidence_rows *rows)
{
    mem_free(rows->start);
    mem_free(rows->column);
    mem_free(rows->value);
    keytab_free(&rows->items);
    memset(rows, 0, sizeof *rows);
}

/* ---- Learning ---- */

void evidence_defaults(struct evidence_options *options)
{
    *options =
        (struct evidence_options){.epochs = 4, .rate = 0.1, .ridge = 0, .ground = 1e-8, .seed = 1};
}

double evidence_rows_margin(const struct evidence_rows *rows, const float *weights, size_t i)
{
    double margin = (double)weights[rows->columns];
    for (uint64_t k = rows->start[i]; k < rows->start[i + 1]; k++)
        margin += (double)weights[rows->column[k]] * (double)rows->value[k];
    return margin;
}

static void shuffle(struct rng *rng, uint32_t *order, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = rng_below(rng, i);
        uint32_t kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

static void step(const struct evidence_rows *rows, size_t i, float slope, float rate, float ridge,
                 float *weights, float *squares)
{
    for (uint64_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
        float *weight = &weights[rows->column[k]], *sum = &squares[rows->column[k]];
        float gradient = slope * rows->value[k] + ridge * *weight;
        *sum += gradient * gradient;
        *weight -= rate * gradient / sqrtf(*sum);
    }
    float *bias = &weights[rows->columns], *sum = &squares[rows->columns];
    *sum += slope * slope;
    *bias -= rate * slope / sqrtf(*sum);
}

film_status evidence_learn(const struct evidence_rows *rows, const float *target,
                           const float *weight, const float *offset, const unsigned char *use,
                           const struct evidence_options *options, float *out, film_error *error)
{
    film_status status = FILM_OK;
    struct rng rng;
    size_t count = 0;
    float *squares = mem_array(rows->columns + 1, sizeof *squares);
    uint32_t *order = mem_array(rows->pairs, sizeof *order);
    TRY_ALLOC(squares && order, error);
    for (size_t i = 0; i < rows->pairs; i++)
        if (!use || use[i]) order[count++] = (uint32_t)i;
    memset(out, 0, (rows->columns + 1) * sizeof *out);
    for (size_t c = 0; c <= rows->columns; c++) squares[c] = (float)options->ground;
    rng_seed(&rng, options->seed);
    for (size_t epoch = 0; epoch < options->epochs; epoch++) {
        shuffle(&rng, order, count);
        for (size_t n = 0; n < count; n++) {
            size_t i = order[n];
            double left = 1 - ((double)epoch + (double)n / (double)count) / (double)options->epochs;
            double known = offset ? (double)offset[i] : 0;
            double p = calibrate_probability(known + evidence_rows_margin(rows, out, i));
            float slope = (float)((double)weight[i] * (p - (double)target[i]));
            step(rows, i, slope, (float)(options->rate * left), (float)options->ridge, out,
                 squares);
        }
    }
done:
    mem_free(squares);
    mem_free(order);
    return status;
}

/* ---- To a model ---- */

/* The keys worth keeping, then their weights by slot. */
static film_status keep_items(struct keytab *kept, const struct evidence_rows *rows,
                              const float *weights, film_error *error)
{
    film_status status = FILM_OK;
    const float least = 1e-4f; /* of the log-odds: a thousand of them would not be seen */
    uint32_t number;
    TRY(keytab_init(kept, error));
    for (uint64_t slot = 0; slot <= rows->items.slot_mask; slot++)
        if (rows->items.keys[slot] && fabsf(weights[rows->items.number[slot]]) >= least)
            TRY(keytab_add(kept, rows->items.keys[slot], &number, error));
done:
    return status;
}

film_status evidence_from_weights(struct evidence *evidence, const struct evidence_rows *rows,
                                  const float *weights, film_error *error)
{
    film_status status = FILM_OK;
    size_t features = 2 * rows->features;
    struct keytab *items = &evidence->items;
    memset(evidence, 0, sizeof *evidence);
    evidence->bias = (double)weights[rows->columns];
    evidence->scale = 1;
    evidence->features = rows->features;
    TRY(keep_items(items, rows, weights + features, error));
    TRY_ALLOC(evidence->own = mem_zeroed(features + items->slot_mask + 1, sizeof(float)), error);
    memcpy(evidence->own, weights, features * sizeof(float));
    for (uint64_t slot = 0; slot <= items->slot_mask; slot++)
        if (items->keys[slot])
            evidence->own[features + slot] =
                weights[features + keytab_find(&rows->items, items->keys[slot])];
    evidence->feature = evidence->own;
    evidence->item = evidence->own + features;
done:
    if (status != FILM_OK) evidence_free(evidence);
    return status;
}
