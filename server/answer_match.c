/* Handles requests about pairs of sentences: /v1/match, /v1/predict, /v1/explain. */
#include "fields.h"
#include "film_explain.h"
#include "route.h"

#include <stdint.h>
#include <stdlib.h>

/* Reasons of a response unless the request says how many; a request that does not. */
enum { USUAL_REASONS = 10 };
#define REASONS_NOT_SET (FILM_ALL_REASONS - 1)

/* Sentences or pairs between two checks whether the request was cancelled. */
enum { CHUNK = 512 };

struct pairs {
    film_text *a, *b; /* one allocation, owned by a */
    size_t count;
};

struct sentence_pair {
    film_text a, b;
};

static const struct field pair_fields[] = {
    {.name = "a", .kind = FIELD_TEXT, .at = offsetof(struct sentence_pair, a)},
    {.name = "b", .kind = FIELD_TEXT, .at = offsetof(struct sentence_pair, b)},
    {.name = NULL}};

/* {"a": ..., "b": ...} or [a, b] */
static int read_pair(const json_t *item, size_t number, film_text *a, film_text *b,
                     struct response *response)
{
    char where[40];
    struct sentence_pair pair = {.a = {NULL, 0}};
    snprintf(where, sizeof where, "pairs[%zu]", number);
    if (json_is_array(item) && json_array_size(item) == 2)
        return fields_text(item, where, 0, a, response) && fields_text(item, where, 1, b, response);
    snprintf(where, sizeof where, "pairs[%zu].", number);
    if (json_is_object(item) && !fields_of(item, where, pair_fields, &pair, response)) return 0;
    *a = pair.a;
    *b = pair.b;
    return (a->bytes && b->bytes) ||
           response_error(response, 400,
                          "pairs[%zu] must be [\"a\", \"b\"] or {\"a\": ..., \"b\": ...}", number);
}

static int read_pairs(const json_t *list, size_t most, struct pairs *pairs,
                      struct response *response)
{
    pairs->count = json_array_size(list);
    if (!fields_not_many(pairs->count, most, "pairs", response)) return 0;
    pairs->a = calloc(2 * pairs->count + 1, sizeof *pairs->a);
    if (!pairs->a) return response_error(response, 503, "out of memory");
    pairs->b = pairs->a + pairs->count;
    for (size_t i = 0; i < pairs->count; i++)
        if (!read_pair(json_array_get(list, i), i, &pairs->a[i], &pairs->b[i], response)) return 0;
    return 1;
}

/* The fields of a request about pairs. */
struct pair_request {
    film_text a, b;
    const json_t *pairs;
    film_answer_options options;
    int decision, memory, reversals;
    size_t reasons;
};

static struct pair_request request_defaults(const struct worker *worker)
{
    struct pair_request wanted = {
        .decision = FILM_DECISION_AUTO, .memory = 1, .reasons = REASONS_NOT_SET};
    wanted.options.size = sizeof wanted.options;
    wanted.options.threads = worker->service->options.threads;
    return wanted;
}

static int has_both(const struct pair_request *wanted, struct response *response)
{
    return (wanted->a.bytes && wanted->b.bytes) ||
           response_error(response, 400, "%s is missing; send {\"a\": ..., \"b\": ...}",
                          wanted->a.bytes ? "b" : "a");
}

/* Returns the verdicts of all pairs, without reasons; the caller frees them. NULL: RESPONSE has the
 * error. */
static film_verdict *judge_pairs(struct worker *worker, const struct pair_request *wanted,
                                 size_t *count, struct response *response)
{
    film_error error;
    struct pairs pairs = {.a = NULL};
    film_verdict *verdicts = NULL;
    if (read_pairs(wanted->pairs, worker->service->options.limits.texts, &pairs, response)) {
        *count = pairs.count;
        verdicts = malloc((pairs.count + 1) * sizeof *verdicts);
        if (!verdicts) response_error(response, 503, "out of memory");
    }
    film_status status = FILM_OK;
    for (size_t i = 0; verdicts && i < pairs.count && status == FILM_OK; i += CHUNK) {
        size_t some = pairs.count - i < CHUNK ? pairs.count - i : CHUNK;
        status = worker_cancelled(worker)
                     ? FILM_CANCELLED
                     : film_match_batch(worker->generation->model, pairs.a + i, pairs.b + i, some,
                                        &wanted->options, verdicts + i, &error);
    }
    if (status != FILM_OK) {
        response_failure(response, status, &error);
        free(verdicts);
        verdicts = NULL;
    }
    free(pairs.a);
    return verdicts;
}

static void write_judgement(struct bytes *out, const film_verdict *verdict)
{
    bytes_text(out, "\"probability\": ");
    bytes_real(out, verdict->probability);
    bytes_text(out, ", \"same\": ");
    bytes_flag(out, verdict->same);
    bytes_text(out, ", \"similarity\": ");
    bytes_real(out, verdict->similarity);
}

static void match_many(struct worker *worker, const struct pair_request *wanted,
                       struct response *response)
{
    size_t count = 0;
    film_verdict *verdicts = judge_pairs(worker, wanted, &count, response);
    struct bytes *out = &response->body;
    if (!verdicts) return;
    bytes_text(out, "{\"results\": [");
    for (size_t i = 0; i < count; i++) {
        bytes_text(out, i ? ", {" : "{");
        write_judgement(out, &verdicts[i]);
        bytes_text(out, "}");
    }
    bytes_text(out, "]}\n");
    free(verdicts);
}

/* Explains a pair and what would change the verdict. WRITE makes the response. */
static void explain_one(struct worker *worker, const struct pair_request *wanted,
                        film_status (*write)(const film_explanation *why, size_t most, char **json,
                                             size_t *length, film_error *error),
                        struct response *response)
{
    film_error error;
    film_explanation why = {.size = sizeof why};
    film_status status = film_context_set(worker->context, &wanted->options, &error);
    if (status == FILM_OK)
        status = film_explain_pair(worker->context, wanted->a, wanted->b, &why, &error);
    if (status == FILM_OK) status = film_explain_reversals(worker->context, 0, &why, &error);
    if (status == FILM_OK)
        status = write(&why, wanted->reasons, &response->given, &response->given_length, &error);
    if (status != FILM_OK) response_failure(response, status, &error);
}

static void match_one(struct worker *worker, const struct pair_request *wanted,
                      struct response *response)
{
    film_error error;
    film_verdict verdict;
    film_status status = film_context_set(worker->context, &wanted->options, &error);
    if (status == FILM_OK)
        status = film_match(worker->context, wanted->a, wanted->b, &verdict, &error);
    if (status == FILM_OK)
        status = film_verdict_json(wanted->a, wanted->b, &verdict, wanted->reasons,
                                   &response->given, &response->given_length, &error);
    if (status != FILM_OK) response_failure(response, status, &error);
}

static const struct field match_fields[] = {
    {.name = "a", .kind = FIELD_TEXT, .at = offsetof(struct pair_request, a)},
    {.name = "b", .kind = FIELD_TEXT, .at = offsetof(struct pair_request, b)},
    {.name = "pairs", .kind = FIELD_LIST, .at = offsetof(struct pair_request, pairs)},
    {.name = "prior", .kind = FIELD_SHARE, .at = offsetof(struct pair_request, options.prior)},
    {.name = "decision",
     .kind = FIELD_WORD,
     .at = offsetof(struct pair_request, decision),
     .words = "auto|full|threshold"},
    {.name = "memory", .kind = FIELD_FLAG, .at = offsetof(struct pair_request, memory)},
    {.name = "reasons",
     .kind = FIELD_COUNT,
     .at = offsetof(struct pair_request, reasons),
     .most = INT32_MAX,
     .words = "all"},
    {.name = "reversals", .kind = FIELD_FLAG, .at = offsetof(struct pair_request, reversals)},
    {.name = NULL}};

static void answer_match(struct worker *worker, const struct request *request,
                         struct response *response)
{
    json_t *root = NULL;
    struct pair_request wanted = request_defaults(worker), plain = wanted;
    int is_plain = fields_plain(request, match_fields, &plain);
    if (is_plain) wanted = plain;
    if (is_plain || fields_read(request, match_fields, &wanted, &root, response)) {
        int chosen = wanted.reasons != REASONS_NOT_SET;
        if (!chosen) wanted.reasons = USUAL_REASONS;
        wanted.options.decision = (film_decision)wanted.decision;
        wanted.options.no_memory = !wanted.memory;
        wanted.options.no_reasons = wanted.reasons == 0;
        wanted.options.most_reasons = wanted.reasons == FILM_ALL_REASONS ? 0 : wanted.reasons;
        if (wanted.pairs && (wanted.a.bytes || wanted.b.bytes || chosen || wanted.reversals))
            response_error(response, 400,
                           "pairs cannot be combined with a, b, reasons or reversals");
        else if (wanted.pairs)
            match_many(worker, &wanted, response);
        else if (has_both(&wanted, response) && wanted.reversals)
            explain_one(worker, &wanted, film_match_json, response);
        else if (wanted.a.bytes && wanted.b.bytes)
            match_one(worker, &wanted, response);
    }
    json_decref(root);
}

static const struct field predict_fields[] = {
    {.name = "pairs", .kind = FIELD_LIST, .at = offsetof(struct pair_request, pairs)},
    {.name = "prior", .kind = FIELD_SHARE, .at = offsetof(struct pair_request, options.prior)},
    {.name = NULL}};

static void answer_predict(struct worker *worker, const struct request *request,
                           struct response *response)
{
    json_t *root = NULL;
    struct pair_request wanted = request_defaults(worker);
    struct bytes *out = &response->body;
    size_t count = 0;
    film_verdict *verdicts = NULL;
    if (fields_read(request, predict_fields, &wanted, &root, response)) {
        if (wanted.pairs)
            verdicts = judge_pairs(worker, &wanted, &count, response);
        else
            response_error(response, 400, "pairs is missing: [[\"a\", \"b\"], ...]");
    }
    if (verdicts) {
        bytes_text(out, "{\"probabilities\": [");
        for (size_t i = 0; i < count; i++) {
            if (i) bytes_text(out, ", ");
            bytes_real(out, verdicts[i].probability);
        }
        bytes_text(out, "]}\n");
    }
    free(verdicts);
    json_decref(root);
}

static const struct field explain_fields[] = {
    {.name = "a", .kind = FIELD_TEXT, .at = offsetof(struct pair_request, a)},
    {.name = "b", .kind = FIELD_TEXT, .at = offsetof(struct pair_request, b)},
    {.name = "prior", .kind = FIELD_SHARE, .at = offsetof(struct pair_request, options.prior)},
    {.name = NULL}};

static void answer_explain(struct worker *worker, const struct request *request,
                           struct response *response)
{
    json_t *root = NULL;
    struct pair_request wanted = request_defaults(worker);
    wanted.reasons = FILM_ALL_REASONS;
    if (fields_read(request, explain_fields, &wanted, &root, response) &&
        has_both(&wanted, response))
        explain_one(worker, &wanted, film_explanation_json, response);
    json_decref(root);
}

const struct route match_routes[] = {
    {.method = METHOD_POST,
     .path = "/v1/match",
     .summary = "Decide whether two sentences mean the same",
     .fields = match_fields,
     .answer = answer_match},
    {.method = METHOD_POST,
     .path = "/v1/predict",
     .summary = "Return the probabilities of many pairs",
     .fields = predict_fields,
     .answer = answer_predict,
     .batch = 1},
    {.method = METHOD_POST,
     .path = "/v1/explain",
     .summary = "Explain a decision: words, groups of reasons, what would change it, examples",
     .fields = explain_fields,
     .answer = answer_explain,
     .slow = 1},
    {.path = NULL}};
