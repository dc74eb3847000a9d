/* The calls of film.h about categories: asks the classifier for each sentence, sorts categories,
 * adds up the weights of words, and lists the nearest examples. */
#include "base/jsonfile.h"
#include "base/sort.h"
#include "base/mem.h"
#include "base/sized.h"
#include "base/threads.h"
#include "base/utf8.h"
#include "model/model.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REASONS = 10, CHUNK = 256 };

size_t film_category_count(const film_model *model)
{
    return model ? model->classifier.categories.count : 0;
}

/* ---- One sentence ---- */

/* The result of one sentence; its arrays are parts of one block. */
struct slot {
    film_classification result;
    film_category *categories;
    film_category_reason *reasons;
    film_category_example *examples;
};

/* Scratch space of one thread. */
struct class_worker {
    struct class_asker asker;
    uint32_t *order; /* of categories */
    double *share;   /* by token */
    size_t share_capacity;
};

static film_status worker_init(struct class_worker *worker, const film_model *model,
                               film_error *error)
{
    *worker = (struct class_worker){.order = NULL};
    film_status status =
        class_asker_init(&worker->asker, &model->classifier, &model->encoder, error);
    worker->order = mem_array(model->classifier.categories.count, sizeof *worker->order);
    return status == FILM_OK && !worker->order ? status_no_memory(error) : status;
}

static void worker_free(struct class_worker *worker)
{
    class_asker_free(&worker->asker);
    mem_free(worker->order);
    mem_free(worker->share);
}

/* The TOP most probable categories, by selection: TOP is small. */
static void put_top_categories(struct class_worker *worker, struct slot *slot, size_t top)
{
    const struct class_asker *asker = &worker->asker;
    const struct strtab *names = &asker->classifier->categories;
    for (uint32_t c = 0; c < names->count; c++) worker->order[c] = c;
    for (size_t i = 0; i < top && i < names->count; i++) {
        size_t best = i;
        for (size_t j = i + 1; j < names->count; j++) {
            double here = asker->probability[worker->order[j]];
            double most = asker->probability[worker->order[best]];
            if (here > most || (here == most && worker->order[j] < worker->order[best])) best = j;
        }
        uint32_t category = worker->order[best];
        worker->order[best] = worker->order[i];
        worker->order[i] = category;
        slot->categories[i] = (film_category){strtab_get(names, category),
                                              asker->probability[category] * (1 - asker->none)};
        slot->result.category_count++;
    }
}

static int by_weight(const void *a, const void *b)
{
    const film_category_reason *left = a, *right = b;
    double first = fabs(left->weight), second = fabs(right->weight);
    if (first != second) return first > second ? -1 : 1;
    return left->start < right->start ? -1 : left->start > right->start;
}

/* Splits the score of the best category over the words; an item of two words counts half for
 * each. */
static film_status put_reasons(struct class_worker *worker, film_text text, struct slot *slot,
                               film_error *error)
{
    film_status status = FILM_OK;
    const struct class_asker *asker = &worker->asker;
    const struct tokens *tokens = &asker->row.grams.tokens;
    film_category_reason *all = mem_array(tokens->count, sizeof *all);
    size_t count = 0;
    TRY_ALLOC(all && mem_grow((void **)&worker->share, &worker->share_capacity, tokens->count + 1,
                              sizeof *worker->share),
              error);
    memset(worker->share, 0, (tokens->count + 1) * sizeof *worker->share);
    for (size_t i = 0; i < asker->row.count; i++) {
        const struct class_item *item = &asker->row.items[i];
        double weight = class_asker_weight(asker, i, asker->best) * asker->classifier->rule.scale;
        worker->share[item->first] += weight / 2;
        worker->share[item->second] += weight / 2;
    }
    for (size_t t = 0; t < tokens->count; t++) {
        const struct token *token = &tokens->items[t];
        if (worker->share[t] == 0) continue;
        all[count++] = (film_category_reason){{text.bytes + token->from, token->to - token->from},
                                              token->from,
                                              token->to,
                                              worker->share[t]};
    }
    sort_array(all, count, sizeof *all, by_weight);
    slot->result.reason_count = count < MOST_REASONS ? count : MOST_REASONS;
    memcpy(slot->reasons, all, slot->result.reason_count * sizeof *all);
done:
    mem_free(all);
    return status;
}

static void put_examples(const struct class_worker *worker, struct slot *slot, size_t most)
{
    const struct class_asker *asker = &worker->asker;
    const struct classifier *classifier = asker->classifier;
    for (size_t i = 0; i < most && i < asker->nearest_count; i++) {
        uint32_t example = asker->nearest[i];
        slot->examples[i] = (film_category_example){
            strtab_get(&classifier->texts, example),
            strtab_get(&classifier->categories, classifier->category[example]),
            (double)asker->similarity[i]};
        slot->result.example_count++;
    }
}

/* ---- Many sentences ---- */

struct classifying {
    const film_model *model;
    const film_text *texts;
    const film_classify_options *options;
    struct slot *slots;
};

static film_status classify_one(const struct classifying *classifying, struct class_worker *worker,
                                film_text text, struct slot *slot, film_error *error)
{
    const film_classify_options *options = classifying->options;
    film_status status = class_asker_ask(&worker->asker, text, error);
    if (status != FILM_OK) return status;
    slot->result =
        (film_classification){.none = !options->always && worker->asker.none >= options->threshold,
                              .none_probability = worker->asker.none,
                              .threshold = options->threshold,
                              .categories = slot->categories,
                              .reasons = slot->reasons,
                              .examples = slot->examples};
    put_top_categories(worker, slot, options->top);
    put_examples(worker, slot, options->examples);
    return put_reasons(worker, text, slot, error);
}

static film_status classify_some(struct threads_worker *thread, void *user, film_error *error)
{
    const struct classifying *classifying = user;
    film_status status = FILM_OK;
    struct class_worker worker;
    size_t begin, end;
    TRY(worker_init(&worker, classifying->model, error));
    while (threads_next(thread, &begin, &end))
        for (size_t i = begin; i < end; i++)
            TRY(classify_one(classifying, &worker, classifying->texts[i], &classifying->slots[i],
                             error));
done:
    worker_free(&worker);
    return status;
}

/* One block for the arrays of CHUNK results. */
static film_status slots_new(const film_classify_options *options, size_t count,
                             struct slot **slots, void **block, film_error *error)
{
    size_t each = options->top * sizeof(film_category) +
                  MOST_REASONS * sizeof(film_category_reason) +
                  options->examples * sizeof(film_category_example);
    *slots = mem_zeroed(count, sizeof **slots);
    *block = mem_array(count, each);
    if (!*slots || !*block) return status_no_memory(error);
    char *next = *block;
    for (size_t i = 0; i < count; i++, next += each) {
        struct slot *slot = &(*slots)[i];
        slot->categories = (film_category *)(void *)next;
        slot->reasons = (film_category_reason *)(void *)(slot->categories + options->top);
        slot->examples = (film_category_example *)(void *)(slot->reasons + MOST_REASONS);
    }
    return FILM_OK;
}

static film_status check_classification(const film_model *model, const film_text *texts,
                                        size_t count, film_classify_options *options,
                                        film_error *error)
{
    size_t bad, categories = film_category_count(model);
    if (!categories)
        return status_set(error, FILM_USAGE,
                          "the model has no categories; train one from a file with a category "
                          "column");
    if (!(options->threshold >= 0 && options->threshold <= 1))
        return status_set(error, FILM_USAGE, "threshold %g is not between 0 and 1",
                          options->threshold);
    if (options->always && options->threshold != 0)
        return status_set(error, FILM_USAGE,
                          "a threshold has no effect on an answer that is never none; choose one "
                          "of the two");
    if (options->examples > CLASS_NEAREST)
        return status_set(error, FILM_USAGE, "examples: %zu is too many; choose at most %d",
                          options->examples, CLASS_NEAREST);
    for (size_t i = 0; i < count; i++)
        if (!utf8_valid(texts[i].bytes, texts[i].length, &bad))
            return status_set(error, FILM_BAD_INPUT, "sentence %zu is not valid UTF-8 at byte %zu",
                              i + 1, bad);
    if (!options->top) options->top = 1;
    if (options->top > categories) options->top = categories;
    if (!options->examples) options->examples = 3;
    if (options->threshold == 0) options->threshold = model->classifier.rule.threshold;
    return FILM_OK;
}

film_status film_classify_many(const film_model *model, const film_text *texts, size_t count,
                               const film_classify_options *options, film_classification_fn call,
                               void *user, film_error *error)
{
    film_status status = FILM_OK;
    film_classify_options with = {0};
    struct slot *slots = NULL;
    void *block = NULL;
    int stop = 0;
    if (!model || !call || (count && !texts)) return status_missing(error, "model, texts or call");
    TRY(sized_options(&with, sizeof with, options, "film_classify_options", error));
    TRY(sized_reserved(with.reserved, sizeof with.reserved / sizeof *with.reserved,
                       "film_classify_options", error));
    TRY(check_classification(model, texts, count, &with, error));
    TRY(slots_new(&with, count < CHUNK ? count : CHUNK, &slots, &block, error));
    for (size_t first = 0; first < count && !stop; first += CHUNK) {
        size_t some = count - first < CHUNK ? count - first : CHUNK;
        struct classifying classifying = {model, texts + first, &with, slots};
        TRY(threads_for(threads_count(with.threads), some, 8, classify_some, &classifying, error));
        for (size_t i = 0; i < some && !stop; i++) stop = call(user, first + i, &slots[i].result);
    }
done:
    mem_free(slots);
    mem_free(block);
    return status;
}

/* ---- JSON ---- */

static json_t *text_json(film_text text)
{
    return json_stringn(text.bytes, text.length);
}

film_status film_classification_json(const film_classification *result, char **json,
                                     film_error *error)
{
    if (!result || !json || !result->category_count)
        return status_missing(error, result ? "json" : "result");
    json_t *categories = json_array(), *reasons = json_array(), *examples = json_array();
    for (size_t i = 0; i < result->category_count; i++)
        jsonfile_append(categories,
                        json_pack("{s:o, s:f}", "category", text_json(result->categories[i].name),
                                  "probability", result->categories[i].probability));
    for (size_t i = 0; i < result->reason_count; i++) {
        const film_category_reason *reason = &result->reasons[i];
        jsonfile_append(reasons, json_pack("{s:o, s:I, s:I, s:f}", "word", text_json(reason->word),
                                           "start", (json_int_t)reason->start, "end",
                                           (json_int_t)reason->end, "weight", reason->weight));
    }
    for (size_t i = 0; i < result->example_count; i++) {
        const film_category_example *example = &result->examples[i];
        jsonfile_append(examples,
                        json_pack("{s:o, s:o, s:f}", "text", text_json(example->text), "category",
                                  text_json(example->category), "similarity", example->similarity));
    }
    json_t *object = json_pack(
        "{s:o, s:f, s:b, s:f, s:f, s:o, s:o, s:o}", "category",
        result->none ? json_null() : text_json(result->categories[0].name), "probability",
        result->none ? result->none_probability : result->categories[0].probability, "none",
        result->none, "none_probability", result->none_probability, "threshold", result->threshold,
        "categories", categories, "reasons", reasons, "examples", examples);
    film_status status = jsonfile_dump(object, JSON_COMPACT | JSON_REAL_PRECISION(15), json, error);
    json_decref(object);
    return status;
}
