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
    *options = (struct evidence_options){.epochs = 4,
                                         .rate = 0.1,
                                         .ridge = 0,
                                         .ground = 1e-8,
                                         .seed = 1,
                                         .fits = 1,
                                         .threads = 1,
                                         .comm = &comm_single};
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
    const unsigned char *use;
    struct weight_slot *slots;
    struct weight_slot *mixed; /* as all processes had them after the last averaging */
    uint32_t *order;           /* of the pairs used */
    size_t count;
    struct rng rng;
    struct unpacked row[2]; /* this one and the next */
    film_status status;
    film_error error;
};

static void fit_free(struct fit *fit)
{
    mem_free(fit->slots);
    mem_free(fit->mixed);
    mem_free(fit->order);
    for (int r = 0; r < 2; r++) {
        mem_free(fit->row[r].column);
        mem_free(fit->row[r].value);
    }
}

static film_status fit_start(struct fit *fit, const struct evidence_rows *rows,
                             const struct evidence_options *options, film_error *error)
{
    film_status status = FILM_OK;
    size_t columns = rows->columns + 1;
    TRY_ALLOC((fit->slots = mem_array(columns, sizeof *fit->slots)) &&
                  (fit->order = mem_array(rows->pairs, sizeof *fit->order)),
              error);
    for (size_t i = 0; i < rows->pairs; i++)
        if (!fit->use || fit->use[i]) fit->order[fit->count++] = (uint32_t)i;
    for (size_t c = 0; c < columns; c++)
        fit->slots[c] = (struct weight_slot){0, (float)options->ground};
    rng_seed(&fit->rng, options->seed);
    if (options->comm->size == 1) goto done;
    TRY_ALLOC(fit->mixed = mem_array(columns, sizeof *fit->mixed), error);
    memcpy(fit->mixed, fit->slots, columns * sizeof *fit->mixed);
done:
    return status;
}

/* Trains on chunk PART of PARTS of an epoch. */
static film_status walk(struct fit *fit, const struct evidence_rows *rows,
                        const struct evidence_labels *labels,
                        const struct evidence_options *options, size_t epoch, size_t part,
                        size_t parts)
{
    film_status status = FILM_OK;
    size_t count = fit->count, end = count * (part + 1) / parts, n = count * part / parts;
    struct weight_slot *slots = fit->slots, *bias = &fit->slots[rows->columns];
    if (part == 0) shuffle(&fit->rng, fit->order, count);
    if (n < end) TRY(unpack_row(&fit->row[n % 2], rows, slots, fit->order[n], &fit->error));
    for (; n < end; n++) {
        size_t i = fit->order[n];
        const struct unpacked *row = &fit->row[n % 2];
        if (n + 1 < end)
            TRY(unpack_row(&fit->row[(n + 1) % 2], rows, slots, fit->order[n + 1], &fit->error));
        double left = 1 - ((double)epoch + (double)n / (double)count) / (double)options->epochs;
        double known = labels->offset ? (double)labels->offset[i] : 0;
        double p = calibrate_probability(known + slots_margin(row, slots, bias));
        float slope = (float)((double)labels->weight[i] * (p - (double)labels->target[i]));
        adagrad_step(row, slope, (float)(options->rate * left), (float)options->ridge, slots, bias);
    }
done:
    return status;
}

/* Merges columns FIRST .. END - 1 of all processes. The sums of squares are added. A weight moves
 * by the sum of all moves, each reduced as AdaGrad would have done with the squares of the others.
 * So a weight that only one process changed moves as it did there. */
static film_status merge_columns(struct fit *fit, const struct comm *comm, size_t first, size_t end,
                                 film_error *error)
{
    enum { BLOCK = 1 << 18 };
    film_status status = FILM_OK;
    float *sum = mem_array(BLOCK, sizeof *sum), *move = mem_array(BLOCK, sizeof *move);
    TRY_ALLOC(sum && move, error);
    for (size_t at = first; at < end; at += BLOCK) {
        size_t here = end - at < BLOCK ? end - at : BLOCK;
        struct weight_slot *slot = fit->slots + at, *mixed = fit->mixed + at;
        for (size_t c = 0; c < here; c++) sum[c] = slot[c].squares - mixed[c].squares;
        TRY(comm_sum_float(comm, sum, here, error));
        for (size_t c = 0; c < here; c++) {
            mixed[c].squares += sum[c];
            move[c] =
                (slot[c].weight - mixed[c].weight) * sqrtf(slot[c].squares / mixed[c].squares);
        }
        TRY(comm_sum_float(comm, move, here, error));
        for (size_t c = 0; c < here; c++) {
            mixed[c].weight += move[c];
            slot[c] = mixed[c];
        }
    }
done:
    mem_free(sum);
    mem_free(move);
    return status;
}

/* The number of merges per epoch. Features and the bias, which all pairs use, are merged more often
 * the more processes there are. Items, which are many and rare, are merged seldom. On Quora's dev
 * pairs evidence alone has a log loss of 0.3910 with one process, and of 0.3919, 0.3906 and 0.3894
 * with 2, 3 and 6; with 4 merges of items 0.3924, 0.3915 and 0.3901; with 16 merges of features and
 * 6 processes 0.3957. */
enum { FEATURE_MIXINGS_PER_PROCESS = 8, ITEM_MIXINGS = 8 };

static film_status merge_fit(struct fit *fit, const struct evidence_rows *rows,
                             const struct comm *comm, int items, film_error *error)
{
    size_t features = 2 * rows->features;
    film_status status = merge_columns(fit, comm, 0, features, error);
    if (status == FILM_OK)
        status =
            merge_columns(fit, comm, items ? features : rows->columns, rows->columns + 1, error);
    return status;
}

/* Trains COUNT fits in parallel, each in one thread, and copies their weights to OUT; only one
 * thread communicates. */
static film_status learn_some(struct fit *fits, int count, const struct evidence_rows *rows,
                              const struct evidence_labels *labels,
                              const struct evidence_options *options, float *const *out,
                              film_error *error)
{
    film_status status = FILM_OK;
    const struct comm *comm = options->comm;
    size_t parts = comm->size == 1 ? 1 : FEATURE_MIXINGS_PER_PROCESS * (size_t)comm->size;
    for (int f = 0; f < count; f++) TRY(fit_start(&fits[f], rows, options, error));
    for (size_t epoch = 0; epoch < options->epochs; epoch++)
        for (size_t part = 0; part < parts; part++) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(count)
            for (int f = 0; f < count; f++)
                fits[f].status = walk(&fits[f], rows, labels, options, epoch, part, parts);
            for (int f = 0; f < count; f++)
                if (fits[f].status != FILM_OK)
                    TRY(status_set(error, fits[f].status, "%s", fits[f].error.message));
            for (int f = 0; f < count && comm->size > 1; f++)
                TRY(merge_fit(&fits[f], rows, comm, (part + 1) % (parts / ITEM_MIXINGS) == 0,
                              error));
        }
    for (int f = 0; f < count; f++)
        for (size_t c = 0; c <= rows->columns; c++) out[f][c] = fits[f].slots[c].weight;
done:
    for (int f = 0; f < count; f++) fit_free(&fits[f]);
    return status;
}

film_status evidence_learn(const struct evidence_rows *rows, const struct evidence_labels *labels,
                           const struct evidence_options *options, float *const *out,
                           film_error *error)
{
    film_status status = FILM_OK;
    int threads = threads_count(options->threads);
    size_t most = (size_t)threads < options->fits ? (size_t)threads : options->fits;
    struct fit *fits = mem_array(most, sizeof *fits);
    TRY_ALLOC(fits, error);
    for (size_t first = 0; first < options->fits; first += most) {
        size_t count = options->fits - first < most ? options->fits - first : most;
        for (size_t f = 0; f < count; f++)
            fits[f] =
                (struct fit){.use = labels->use ? labels->use + (first + f) * rows->pairs : NULL};
        TRY(learn_some(fits, (int)count, rows, labels, options, out + first, error));
    }
done:
    mem_free(fits);
    return status;
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
    TRY(keytab_seal(kept, error));
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
