/* One fit of the classifier: chooses the items, learns their weights by stochastic gradients and
 * rounds them to bytes. What is left out of a fit is decided in classifier_learn.c. */
#include "learn/classifier_fit.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/sort.h"
#include "base/threads.h"
#include "embed/vec.h"

#include <math.h>
#include <string.h>

enum { EPOCHS = 12, MIN_DF = 2, MOST_EXAMPLES = 20000 };
#define RATE 0.1f
#define KEEP 0.3f      /* the share of items that a step uses */
#define SHARPNESS 5.0f /* of the softmax */
/* The weights and their squared gradients take 8 bytes each while they are learned. */
#define MOST_WEIGHTS ((size_t)32 << 20)

/* ---- Items of all sentences ---- */

void class_data_free(struct class_data *data)
{
    mem_free(data->start);
    mem_free(data->key);
    mem_free(data->tf);
    data->start = NULL;
    data->key = NULL;
    data->tf = NULL;
}

struct item_pass {
    struct class_data *data;
    const struct tokenizer *tokenizer;
    int write; /* 0: counts the items of every sentence; 1: writes them */
};

static film_status pass_some(struct threads_worker *worker, void *user, film_error *error)
{
    const struct item_pass *pass = user;
    struct class_data *data = pass->data;
    struct class_row row;
    size_t i, end;
    film_status status = class_row_init(&row, pass->tokenizer, error);
    while (status == FILM_OK && threads_next(worker, &i, &end))
        for (; i < end; i++) {
            TRY(class_row_collect(&row, pass->tokenizer, data->text[i], error));
            if (!pass->write) data->start[i + 1] = row.count;
            for (size_t k = 0; pass->write && k < row.count; k++) {
                data->key[data->start[i] + k] = row.items[k].key;
                data->tf[data->start[i] + k] = row.items[k].value;
            }
        }
done:
    class_row_free(&row);
    return status;
}

static film_status pass_items(struct class_data *data, const struct tokenizer *tokenizer,
                              int threads, int write, film_error *error)
{
    struct item_pass pass = {data, tokenizer, write};
    return threads_for(threads_count(threads), data->count, 64, pass_some, &pass, error);
}

film_status class_data_collect(struct class_data *data, const struct tokenizer *tokenizer,
                               int threads, film_error *error)
{
    film_status status = FILM_OK;
    TRY_ALLOC(data->start = mem_zeroed(data->count + 1, sizeof *data->start), error);
    TRY(pass_items(data, tokenizer, threads, 0, error));
    for (size_t i = 0; i < data->count; i++) data->start[i + 1] += data->start[i];
    size_t items = data->start[data->count];
    TRY_ALLOC((data->key = mem_array(items, sizeof *data->key)) &&
                  (data->tf = mem_array(items, sizeof *data->tf)),
              error);
    TRY(pass_items(data, tokenizer, threads, 1, error));
done:
    if (status != FILM_OK) class_data_free(data);
    return status;
}

/* ---- The vocabulary of a fit ---- */

/* The categories in use, numbered from 0, and CLASS[i] of each sentence in use. */
static film_status number_categories(const struct class_data *data, const unsigned char *use,
                                     struct strtab *categories, uint32_t *class, film_error *error)
{
    film_status status = strtab_init(categories, error);
    for (size_t i = 0; i < data->count && status == FILM_OK; i++) {
        film_text name = strtab_get(data->names, data->category[i]);
        if (use[i]) status = strtab_add(categories, name.bytes, name.length, &class[i], error);
    }
    if (status == FILM_OK && categories->count < 2)
        status = status_set(error, FILM_BAD_INPUT,
                            "a classifier needs at least two categories; add rows");
    return status;
}

/* Counts in how many sentences each item occurs. */
static film_status count_items(const struct class_data *data, const unsigned char *use,
                               struct keytab *all, uint32_t **df, film_error *error)
{
    film_status status = FILM_OK;
    size_t capacity = 0;
    uint32_t number;
    TRY(keytab_init(all, error));
    for (size_t i = 0; i < data->count; i++)
        for (size_t k = data->start[i]; use[i] && k < data->start[i + 1]; k++) {
            uint32_t before = all->count;
            TRY(keytab_add(all, data->key[k], &number, error));
            TRY_ALLOC(mem_grow((void **)df, &capacity, (size_t)all->count, sizeof **df), error);
            if (number == before) (*df)[number] = 0;
            (*df)[number]++;
        }
done:
    return status;
}

/* The lowest document frequency with which the weights fit into memory. */
static uint32_t least_df(const uint32_t *df, uint32_t count, size_t classes)
{
    for (uint32_t least = MIN_DF;; least++) {
        size_t kept = 0;
        for (uint32_t i = 0; i < count; i++) kept += df[i] >= least;
        if (kept * classes <= MOST_WEIGHTS) return least;
    }
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static film_status choose_items(const struct class_data *data, const unsigned char *use,
                                struct classifier *out, film_error *error)
{
    film_status status = FILM_OK;
    struct keytab all = {0};
    uint32_t *df = NULL, number;
    uint64_t *key = NULL;
    size_t sentences = 0, count = 0;
    TRY(count_items(data, use, &all, &df, error));
    for (size_t i = 0; i < data->count; i++) sentences += use[i] != 0;
    uint32_t least = least_df(df, all.count, out->categories.count);
    TRY(keytab_init(&out->items, error));
    TRY_ALLOC(out->own_idf = mem_array(all.count, sizeof(float)), error);
    TRY_ALLOC(key = mem_array(all.count, sizeof *key), error);
    for (uint64_t slot = 0; slot <= all.slot_mask; slot++)
        if (all.keys[slot] && df[all.number[slot]] >= least) key[count++] = all.keys[slot];
    sort_array(key, count, sizeof *key, by_key);
    for (size_t i = 0; i < count; i++) {
        TRY(keytab_add(&out->items, key[i], &number, error));
        out->own_idf[i] =
            logf((1 + (float)sentences) / (1 + (float)df[keytab_find(&all, key[i])])) + 1;
    }
    out->idf = out->own_idf;
done:
    keytab_free(&all);
    mem_free(df);
    mem_free(key);
    return status;
}

/* ---- Weights ---- */

struct learner {
    const struct class_data *data;
    const struct classifier *classifier;
    size_t classes;
    const uint32_t *class;  /* by sentence */
    float *weight, *square; /* items x classes */
    float *score;
    /* The known items of sentence i, weighed: number and value from data->start[i] on. */
    uint32_t *number, *count;
    float *value;
    uint32_t *drawn; /* of the sentence at hand: positions of the items that were not dropped */
    struct rng rng;
};

VEC_KERNEL static void add_scaled(float *sum, float factor, const float *weight, size_t count)
{
    for (size_t c = 0; c < count; c++) sum[c] += factor * weight[c];
}

VEC_KERNEL static void step(float *weight, float *square, const float *slope, float factor,
                            float rate, size_t count)
{
    for (size_t c = 0; c < count; c++) {
        float gradient = factor * slope[c];
        square[c] += gradient * gradient;
        weight[c] -= rate * gradient / (sqrtf(square[c]) + 1e-6f);
    }
}

/* Turns scores into the gradient of the loss: softmax minus the target. */
static void softmax_slope(float *score, size_t classes, uint32_t target)
{
    float most = score[0], sum = 0;
    for (size_t c = 1; c < classes; c++) most = fmaxf(most, score[c]);
    for (size_t c = 0; c < classes; c++) sum += score[c] = expf(score[c] - most);
    for (size_t c = 0; c < classes; c++) score[c] /= sum;
    score[target] -= 1;
}

/* Finds and weighs the items of every sentence in use. */
static film_status weigh_items(struct learner *learner, const unsigned char *use, film_error *error)
{
    film_status status = FILM_OK;
    const struct class_data *data = learner->data;
    size_t longest = 0, all = data->start[data->count];
    struct class_row row = {.count = 0};
    TRY_ALLOC((learner->number = mem_array(all, sizeof *learner->number)) &&
                  (learner->value = mem_array(all, sizeof *learner->value)) &&
                  (learner->count = mem_zeroed(data->count, sizeof *learner->count)),
              error);
    for (size_t i = 0; i < data->count; i++) {
        size_t first = data->start[i], count = data->start[i + 1] - first;
        if (!use[i]) continue;
        TRY_ALLOC(mem_grow((void **)&row.items, &row.capacity, count, sizeof *row.items), error);
        for (size_t k = 0; k < count; k++)
            row.items[k] =
                (struct class_item){.key = data->key[first + k], .value = data->tf[first + k]};
        row.count = count;
        class_row_weigh(&row, &learner->classifier->items, learner->classifier->idf);
        for (size_t k = 0; k < row.count; k++) {
            learner->number[first + k] = row.items[k].number;
            learner->value[first + k] = row.items[k].value;
        }
        learner->count[i] = (uint32_t)row.count;
        if (row.count > longest) longest = row.count;
    }
    TRY_ALLOC(learner->drawn = mem_array(longest, sizeof *learner->drawn), error);
done:
    mem_free(row.items);
    return status;
}

static void learn_sentence(struct learner *learner, size_t i, float rate)
{
    size_t classes = learner->classes, first = learner->data->start[i], drawn = 0;
    const uint32_t *number = learner->number + first;
    const float *value = learner->value + first;
    float *score = learner->score, factor = SHARPNESS / KEEP;
    for (uint32_t k = 0; k < learner->count[i]; k++)
        if (rng_uniform(&learner->rng) < (double)KEEP) learner->drawn[drawn++] = k;
    memset(score, 0, classes * sizeof *score);
    for (size_t d = 0; d < drawn; d++) {
        uint32_t k = learner->drawn[d];
        add_scaled(score, factor * value[k], learner->weight + number[k] * classes, classes);
    }
    softmax_slope(score, classes, learner->class[i]);
    for (size_t d = 0; d < drawn; d++) {
        uint32_t k = learner->drawn[d];
        size_t at = number[k] * classes;
        step(learner->weight + at, learner->square + at, score, factor * value[k], rate, classes);
    }
}

static film_status learn_weights(struct learner *learner, const unsigned char *use,
                                 film_error *error)
{
    film_status status = FILM_OK;
    size_t count = 0;
    uint32_t *order = mem_array(learner->data->count, sizeof *order);
    TRY_ALLOC(order, error);
    for (size_t i = 0; i < learner->data->count; i++)
        if (use[i]) order[count++] = (uint32_t)i;
    for (int epoch = 0; epoch < EPOCHS; epoch++) {
        for (size_t i = count; i > 1; i--) {
            size_t j = (size_t)rng_below(&learner->rng, i);
            uint32_t swapped = order[i - 1];
            order[i - 1] = order[j];
            order[j] = swapped;
        }
        float rate = RATE * (1 - (float)epoch / EPOCHS);
        for (size_t i = 0; i < count; i++) learn_sentence(learner, order[i], rate);
    }
done:
    mem_free(order);
    return status;
}

/* Rounds each item's weights to bytes of one scale. */
static film_status round_weights(const struct learner *learner, struct classifier *out,
                                 film_error *error)
{
    film_status status = FILM_OK;
    size_t items = out->items.count, classes = learner->classes;
    TRY_ALLOC((out->own_weight = mem_array(items * classes, 1)) &&
                  (out->own_weight_scale = mem_array(items, sizeof(float))),
              error);
    for (size_t i = 0; i < items; i++) {
        const float *weight = learner->weight + i * classes;
        float most = 0;
        for (size_t c = 0; c < classes; c++) most = fmaxf(most, fabsf(weight[c]));
        out->own_weight_scale[i] = SHARPNESS * most / 127;
        for (size_t c = 0; c < classes; c++)
            out->own_weight[i * classes + c] =
                most > 0 ? (int8_t)lrintf(weight[c] / most * 127) : 0;
    }
    out->weight = out->own_weight;
    out->weight_scale = out->own_weight_scale;
done:
    return status;
}

static film_status fit_weights(const struct class_data *data, const unsigned char *use,
                               const uint32_t *class, uint64_t seed, struct classifier *out,
                               film_error *error)
{
    film_status status = FILM_OK;
    size_t classes = out->categories.count, count = (size_t)out->items.count * classes;
    struct learner learner = {.data = data, .classifier = out, .classes = classes, .class = class};
    rng_seed(&learner.rng, seed);
    TRY_ALLOC((learner.weight = mem_zeroed(count, sizeof(float))) &&
                  (learner.square = mem_zeroed(count, sizeof(float))) &&
                  (learner.score = mem_array(classes, sizeof(float))),
              error);
    TRY(weigh_items(&learner, use, error));
    TRY(learn_weights(&learner, use, error));
    TRY(round_weights(&learner, out, error));
done:
    mem_free(learner.weight);
    mem_free(learner.square);
    mem_free(learner.score);
    mem_free(learner.number);
    mem_free(learner.value);
    mem_free(learner.count);
    mem_free(learner.drawn);
    return status;
}

/* ---- Examples ---- */

/* Stores the sentences in use, or a random sample, with their vectors. */
static film_status keep_examples(const struct class_data *data, const unsigned char *use,
                                 const uint32_t *class, const struct encoder *encoder,
                                 struct classifier *out, film_error *error)
{
    film_status status = FILM_OK;
    struct feature_row row = {0};
    struct rng rng;
    size_t count = 0, room = 0, dim = encoder->dim;
    float *vector = mem_array(dim, sizeof *vector);
    for (size_t i = 0; i < data->count; i++) count += use[i] != 0;
    room = count < MOST_EXAMPLES ? count : MOST_EXAMPLES;
    rng_seed(&rng, 1);
    TRY_ALLOC(vector && (out->own_category = mem_array(room, sizeof(uint32_t))) &&
                  (out->own_code = mem_array(room * dim, 1)) &&
                  (out->own_code_scale = mem_array(room, sizeof(float))),
              error);
    TRY(feature_row_init(&row, encoder->features, error));
    TRY(strtab_init(&out->texts, error));
    for (size_t i = 0; i < data->count; i++) {
        uint32_t number, before = out->texts.count;
        /* Selection sampling (Knuth): each of the COUNT left with equal probability. */
        if (!use[i] || rng_below(&rng, count--) >= room - before) continue;
        TRY(strtab_add(&out->texts, data->text[i].bytes, data->text[i].length, &number, error));
        if (number < before) continue; /* the same sentence again */
        out->own_category[number] = class[i];
        if (!dim) continue;
        TRY(encoder_read_words(encoder, &row, data->text[i], vector, error));
        out->own_code_scale[number] = classifier_encode(vector, dim, out->own_code + number * dim);
    }
    out->category = out->own_category;
    out->code = out->own_code;
    out->code_scale = out->own_code_scale;
    out->dim = dim;
done:
    feature_row_free(&row);
    mem_free(vector);
    return status;
}

film_status classifier_fit(const struct class_data *data, const unsigned char *use,
                           const struct encoder *encoder, uint64_t seed, struct classifier *out,
                           film_error *error)
{
    film_status status = FILM_OK;
    uint32_t *class = mem_array(data->count, sizeof *class);
    *out = (struct classifier){.dim = 0};
    TRY_ALLOC(class, error);
    TRY(number_categories(data, use, &out->categories, class, error));
    TRY(choose_items(data, use, out, error));
    TRY(fit_weights(data, use, class, seed, out, error));
    TRY(keep_examples(data, use, class, encoder, out, error));
    out->rule = (struct class_rule){.scale = 1, .neighbours = 0.3, .threshold = 1};
done:
    mem_free(class);
    if (status != FILM_OK) classifier_free(out);
    return status;
}
