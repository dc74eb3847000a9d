/* Fits word evidence by logistic regression with AdaGrad, one thread per fit. The rows come from
 * evidence_rows.c; scoring is pair/evidence.c. */
#include "learn/evidence_fit.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/threads.h"
#include "pair/calibrate.h"

#include <math.h>
#include <string.h>

/* ---- Training ---- */

void evidence_defaults(struct evidence_options *options)
{
    *options = (struct evidence_options){
        .epochs = 4, .rate = 0.1, .ridge = 0, .ground = 1e-8, .seed = 1, .fits = 1, .threads = 1};
}

/* Entries that are read at a time. */
enum { ENTRIES = 512 };

double evidence_rows_margin(const struct evidence_rows *rows, const float *weights, size_t i)
{
    uint32_t column[ENTRIES];
    float value[ENTRIES];
    struct evidence_cursor cursor = evidence_rows_open(rows, i);
    double margin = (double)weights[rows->columns];
    for (size_t count = ENTRIES; count == ENTRIES;) {
        count = evidence_rows_read(&cursor, ENTRIES, column, value);
        for (size_t k = 0; k < count; k++) margin += (double)weights[column[k]] * (double)value[k];
    }
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

/* A weight and the sum of its squared gradients, side by side: columns are read in random order,
 * and a cache miss brings both. */
struct weight_slot {
    float weight, squares;
};

/* An unpacked row. */
struct unpacked {
    uint32_t *column;
    float *value;
    size_t count, column_capacity, value_capacity;
};

/* Unpacks row I and prefetches its slots. */
static film_status unpack_row(struct unpacked *row, const struct evidence_rows *rows,
                              const struct weight_slot *slots, size_t i, film_error *error)
{
    struct evidence_cursor cursor = evidence_rows_open(rows, i);
    size_t read = ENTRIES;
    for (row->count = 0; read == ENTRIES; row->count += read) {
        size_t room = row->count + ENTRIES;
        if (!mem_grow((void **)&row->column, &row->column_capacity, room, sizeof *row->column) ||
            !mem_grow((void **)&row->value, &row->value_capacity, room, sizeof *row->value))
            return status_no_memory(error);
        read =
            evidence_rows_read(&cursor, ENTRIES, row->column + row->count, row->value + row->count);
    }
    for (size_t k = 0; k < row->count; k++) __builtin_prefetch(&slots[row->column[k]], 1);
    return FILM_OK;
}

static double slots_margin(const struct unpacked *row, const struct weight_slot *slots,
                           const struct weight_slot *bias)
{
    double margin = (double)bias->weight;
    for (size_t k = 0; k < row->count; k++)
        margin += (double)slots[row->column[k]].weight * (double)row->value[k];
    return margin;
}

static void adagrad_step(const struct unpacked *row, float slope, float rate, float ridge,
                         struct weight_slot *slots, struct weight_slot *bias)
{
    for (size_t k = 0; k < row->count; k++) {
        struct weight_slot *slot = &slots[row->column[k]];
        float gradient = slope * row->value[k] + ridge * slot->weight;
        slot->squares += gradient * gradient;
        slot->weight -= rate * gradient / sqrtf(slot->squares);
    }
    bias->squares += slope * slope;
    bias->weight -= rate * slope / sqrtf(bias->squares);
}

/* One set of weights in training. */
struct fit {
    struct weight_slot *slots;
    uint32_t *order; /* of the pairs used */
    size_t count;
    struct rng rng;
    struct unpacked row[2]; /* this one and the next */
};

static void fit_free(struct fit *fit)
{
    mem_free(fit->slots);
    mem_free(fit->order);
    for (int r = 0; r < 2; r++) {
        mem_free(fit->row[r].column);
        mem_free(fit->row[r].value);
    }
}

/* All fits of a call. */
struct fits {
    const struct evidence_rows *rows;
    const struct evidence_labels *labels;
    const struct evidence_options *options;
    float *const *out;
};

/* USE[i]: whether pair i is used; NULL: all are. */
static film_status fit_start(struct fit *fit, const struct fits *all, const unsigned char *use,
                             film_error *error)
{
    film_status status = FILM_OK;
    size_t columns = all->rows->columns + 1;
    *fit = (struct fit){.slots = mem_array(columns, sizeof *fit->slots),
                        .order = mem_array(all->rows->pairs, sizeof *fit->order)};
    TRY_ALLOC(fit->slots && fit->order, error);
    for (size_t i = 0; i < all->rows->pairs; i++)
        if (!use || use[i]) fit->order[fit->count++] = (uint32_t)i;
    for (size_t c = 0; c < columns; c++)
        fit->slots[c] = (struct weight_slot){0, (float)all->options->ground};
    rng_seed(&fit->rng, all->options->seed);
done:
    return status;
}

static film_status run_epoch(struct fit *fit, const struct fits *all, size_t epoch,
                             film_error *error)
{
    film_status status = FILM_OK;
    const struct evidence_options *options = all->options;
    const struct evidence_labels *labels = all->labels;
    size_t count = fit->count;
    struct weight_slot *slots = fit->slots, *bias = &fit->slots[all->rows->columns];
    shuffle(&fit->rng, fit->order, count);
    if (count) TRY(unpack_row(&fit->row[0], all->rows, slots, fit->order[0], error));
    for (size_t n = 0; n < count; n++) {
        size_t i = fit->order[n];
        const struct unpacked *row = &fit->row[n % 2];
        if (n + 1 < count)
            TRY(unpack_row(&fit->row[(n + 1) % 2], all->rows, slots, fit->order[n + 1], error));
        double left = 1 - ((double)epoch + (double)n / (double)count) / (double)options->epochs;
        double known = labels->offset ? (double)labels->offset[i] : 0;
        double p = calibrate_probability(known + slots_margin(row, slots, bias));
        float slope = (float)((double)labels->weight[i] * (p - (double)labels->target[i]));
        adagrad_step(row, slope, (float)(options->rate * left), (float)options->ridge, slots, bias);
    }
done:
    return status;
}

/* Trains fit NUMBER and copies its weights. */
static film_status run_fit(const struct fits *all, size_t number, film_error *error)
{
    film_status status = FILM_OK;
    const unsigned char *use = all->labels->use;
    struct fit fit;
    TRY(fit_start(&fit, all, use ? use + number * all->rows->pairs : NULL, error));
    for (size_t epoch = 0; epoch < all->options->epochs; epoch++)
        TRY(run_epoch(&fit, all, epoch, error));
    for (size_t c = 0; c <= all->rows->columns; c++) all->out[number][c] = fit.slots[c].weight;
done:
    fit_free(&fit);
    return status;
}

static film_status run_some(struct threads_worker *worker, void *user, film_error *error)
{
    film_status status = FILM_OK;
    size_t number, end;
    while (status == FILM_OK && threads_next(worker, &number, &end))
        status = run_fit(user, number, error);
    return status;
}

film_status evidence_learn(const struct evidence_rows *rows, const struct evidence_labels *labels,
                           const struct evidence_options *options, float *const *out,
                           film_error *error)
{
    struct fits all = {rows, labels, options, out};
    return threads_for(threads_count(options->threads), options->fits, 1, run_some, &all, error);
}

/* ---- Conversion to a model ---- */

/* Stores the keys with a relevant weight, in the order of their numbers: in the order of their
 * slots they would fill one end of the new table first and search for a free slot ever longer. */
static film_status keep_items(struct keytab *kept, const struct evidence_rows *rows,
                              const float *weights, film_error *error)
{
    film_status status = FILM_OK;
    const float least = 1e-4f; /* of the log-odds: a thousand of them would not be noticed */
    const struct keytab *items = &rows->items;
    uint32_t number;
    uint64_t *key = mem_zeroed(items->count, sizeof *key);
    TRY_ALLOC(key, error);
    TRY(keytab_init(kept, error));
    for (uint64_t slot = 0; slot <= items->slot_mask; slot++)
        if (items->keys[slot]) key[items->number[slot]] = items->keys[slot];
    for (uint32_t i = 0; i < items->count; i++)
        if (key[i] && fabsf(weights[i]) >= least) TRY(keytab_add(kept, key[i], &number, error));
done:
    mem_free(key);
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
