/* The calls of FILM that a page or Node uses, exported from the WebAssembly module. One module has
 * one model. Strings are UTF-8 in the module's memory; film.js writes and reads them. A call
 * returns 0 (a null pointer) when it failed; failure() is then the message. */
#include "film_dedup.h"
#include "film_explain.h"

#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(#name)))

static film_model *model;
static film_context *context;
static film_error error;
static char *text; /* the last string that was returned */

static int passed(film_status status)
{
    error.status = status;
    return status == FILM_OK;
}

static int answer_with(double prior, int no_memory)
{
    film_answer_options options = {
        .size = sizeof options, .prior = prior, .no_memory = no_memory, .no_reasons = 1};
    return passed(film_context_set(context, &options, &error));
}

EXPORT(failure) const char *failure(void)
{
    return error.message;
}

EXPORT(failure_kind) const char *failure_kind(void)
{
    return film_status_name(error.status);
}

/* Memory for the caller's bytes; models are used in place, where tensors must be aligned. */
EXPORT(reserve) void *reserve(size_t size)
{
    return size > SIZE_MAX - 64 ? NULL : aligned_alloc(64, (size + 63) / 64 * 64);
}

EXPORT(release) void release(void *memory)
{
    free(memory);
}

/* Opens the model in SIZE reserved BYTES, which stay in use. */
EXPORT(open) int open_model(const void *bytes, size_t size)
{
    return passed(film_open_memory(bytes, size, &model, &error)) &&
           passed(film_context_new(model, &context, &error)) && answer_with(0, 0);
}

EXPORT(version) const char *version(void)
{
    return film_version();
}

EXPORT(dim) size_t dim(void)
{
    return film_dim(model);
}

EXPORT(describe) const char *describe(void)
{
    film_free(text);
    text = NULL;
    return passed(film_describe(model, &text, &error)) ? text : NULL;
}

/* PRIOR 0: 0.5. */
EXPORT(configure) int configure(double prior, int no_memory)
{
    return answer_with(prior, no_memory);
}

/* Probability, same, similarity, log-odds and bias. */
EXPORT(match) const double *match(const char *a, size_t a_length, const char *b, size_t b_length)
{
    static double numbers[5];
    film_verdict verdict;
    if (!passed(film_match(context, (film_text){a, a_length}, (film_text){b, b_length}, &verdict,
                           &error)))
        return NULL;
    numbers[0] = verdict.probability;
    numbers[1] = verdict.same;
    numbers[2] = verdict.similarity;
    numbers[3] = verdict.log_odds;
    numbers[4] = verdict.bias;
    return numbers;
}

/* The explanation as JSON, with at most MOST reasons in each group. */
EXPORT(explain)
const char *explain(const char *a, size_t a_length, const char *b, size_t b_length, size_t most)
{
    film_explanation why = {.size = sizeof why};
    film_free(text);
    text = NULL;
    return passed(film_explain_pair(context, (film_text){a, a_length}, (film_text){b, b_length},
                                    &why, &error)) &&
                   passed(film_explain_reversals(context, 0, &why, &error)) &&
                   passed(film_explanation_json(&why, most, &text, NULL, &error))
               ? text
               : NULL;
}

EXPORT(embed) int embed(const char *bytes, size_t length, float *out)
{
    return passed(film_embed(context, (film_text){bytes, length}, out, &error));
}

/* ---- Duplicates ---- */

struct members {
    double *numbers; /* per member: cluster, position, probability, representative */
    size_t count, capacity;
};

static int add_member(void *user, const film_member *member)
{
    struct members *members = user;
    if (members->count == members->capacity) {
        size_t capacity = 2 * members->capacity + 256;
        double *grown = realloc(members->numbers, capacity * 4 * sizeof *grown);
        if (!grown) return 1;
        members->numbers = grown;
        members->capacity = capacity;
    }
    double *to = members->numbers + 4 * members->count++;
    to[0] = (double)member->cluster;
    to[1] = (double)member->at;
    to[2] = member->probability;
    to[3] = member->representative;
    return 0;
}

/* Finds the duplicates among COUNT texts, which are in BYTES up to each of ENDS. Returns the number
 * of members of all clusters, the number of distinct records, of pairs, of sure pairs, the
 * threshold, and then the members; release() frees them. THRESHOLD and PRIOR 0: the default. */
EXPORT(dedup)
double *dedup(const char *bytes, const uint32_t *ends, size_t count, double threshold, double prior)
{
    enum { HEAD = 2 }; /* the head is as long as two members */
    struct members members = {.numbers = calloc(HEAD, 4 * sizeof(double))};
    film_record *records = calloc(count + 1, sizeof *records);
    film_dedup_result result = {.size = sizeof result};
    film_dedup_options options = {.size = sizeof options,
                                  .threshold = threshold,
                                  .answer.prior = prior,
                                  .member = add_member,
                                  .user = &members};
    members.count = members.capacity = HEAD;
    for (size_t i = 0; records && i < count; i++)
        records[i].text =
            (film_text){bytes + (i ? ends[i - 1] : 0), ends[i] - (i ? ends[i - 1] : 0)};
    int good = records && members.numbers &&
               passed(film_dedup(model, records, count, &options, &result, &error));
    free(records);
    if (!good) {
        free(members.numbers);
        return NULL;
    }
    double head[] = {(double)(members.count - HEAD), (double)result.distinct, (double)result.pairs,
                     (double)result.sure, result.threshold};
    memcpy(members.numbers, head, sizeof head);
    return members.numbers;
}
