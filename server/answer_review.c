/* Handles the review of a pool: pairs to label (GET /v1/review) and answers (POST /v1/labels). */
#include "clock.h"
#include "fields.h"
#include "route.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double random_share = 0.25;

/* ---- pairs to label ---- */

struct review_output {
    struct bytes *out;
    struct leases *leases;
    double now;
    size_t written;
};

static int is_leased(void *user, film_text a, film_text b)
{
    const struct review_output *output = user;
    return leases_has(output->leases, a, b);
}

/* The id of a pair is the origin of its answer and the ids of its sentences, separated by tabs. A
 * server that was restarted in between still understands it. */
static void write_pair_id(struct bytes *out, const film_review_pair *pair)
{
    char origin[FILM_REVIEW_ORIGIN];
    struct bytes id = {.data = NULL};
    film_review_origin(pair, origin);
    bytes_text(&id, origin);
    bytes_text(&id, "\t");
    bytes_append(&id, pair->first.id.bytes, pair->first.id.length);
    bytes_text(&id, "\t");
    bytes_append(&id, pair->second.id.bytes, pair->second.id.length);
    out->failed |= id.failed;
    bytes_string(out, (film_text){id.data, id.length});
    bytes_free(&id);
}

static int write_review_pair(void *user, const film_review_pair *pair)
{
    struct review_output *output = user;
    struct bytes *out = output->out;
    if (!leases_add(output->leases, pair->first.id, pair->second.id, output->now)) out->failed = 1;
    bytes_text(out, output->written++ ? ", {\"id\": " : "{\"id\": ");
    write_pair_id(out, pair);
    bytes_text(out, ", \"a\": ");
    bytes_string(out, pair->first.text);
    bytes_text(out, ", \"b\": ");
    bytes_string(out, pair->second.text);
    bytes_text(out, ", \"probability\": ");
    bytes_real(out, pair->probability);
    bytes_text(out, ", \"same\": ");
    bytes_flag(out, pair->same);
    bytes_text(out, "}");
    return out->failed;
}

/* Writes how many answers there are, and what the random ones say about the model. */
static film_status write_estimate(film_pool *pool, struct bytes *out, film_error *error)
{
    film_review_estimate estimate = {.size = sizeof estimate};
    film_status status = film_pool_review_estimate(pool, &estimate, error);
    if (status != FILM_OK) return status;
    bytes_format(out, "\"answered\": %llu, \"estimate\": ", (unsigned long long)estimate.answered);
    if (estimate.random == 0) {
        bytes_text(out, "null");
        return FILM_OK;
    }
    bytes_text(out, "{\"accuracy\": ");
    bytes_real(out, estimate.accuracy);
    bytes_text(out, ", \"low\": ");
    bytes_real(out, estimate.low);
    bytes_text(out, ", \"high\": ");
    bytes_real(out, estimate.high);
    bytes_format(out, ", \"answers\": %llu}", (unsigned long long)estimate.random);
    return FILM_OK;
}

static int read_pair_count(const char *given, size_t *count, struct response *response)
{
    char *end = NULL;
    if (!given) return 1;
    unsigned long long value = strtoull(given, &end, 10);
    if (strspn(given, "0123456789") == 0 || *end || value < 1 || value > FILM_REVIEW_MOST)
        return response_error(response, 400, "n must be a whole number from 1 to %d, as in ?n=10",
                              FILM_REVIEW_MOST);
    *count = (size_t)value;
    return 1;
}

static void answer_review(struct worker *worker, const struct request *request,
                          struct response *response)
{
    film_error error;
    struct leases *leases = &worker->service->leases;
    struct review_output output = {&response->body, leases, monotonic_seconds(), 0};
    film_review_options options = {.size = sizeof options,
                                   .random = random_share,
                                   .answer = {.size = sizeof options.answer,
                                              .no_reasons = 1,
                                              .threads = worker->service->options.threads},
                                   .progress = worker_search_progress(worker),
                                   .call = write_review_pair,
                                   .skip = is_leased,
                                   .user = &output};
    if (!read_pair_count(request->number, &options.count, response)) return;
    bytes_text(&response->body, "{\"pairs\": [");
    pthread_mutex_lock(&leases->lock);
    leases_expire(leases, output.now);
    film_status status = film_pool_review(worker->generation->pool, &options, &error);
    pthread_mutex_unlock(&leases->lock);
    bytes_text(&response->body, "], ");
    if (status == FILM_OK)
        status = write_estimate(worker->generation->pool, &response->body, &error);
    bytes_text(&response->body, "}\n");
    if (status != FILM_OK) response_failure(response, status, &error);
}

/* ---- answers ---- */

/* Labels of one origin are stored together. The first is that of labels given without a review. */
enum { ORIGIN_HTTP, ORIGIN_FIRST_REVIEW, ORIGINS = 5 };

struct review_answers {
    film_pool_label_row *rows;
    int *origin;
    size_t count;
};

static void origin_name(int origin, char name[FILM_REVIEW_ORIGIN])
{
    int review = origin - ORIGIN_FIRST_REVIEW;
    film_review_pair pair = {.same = review & 1, .random = review >> 1};
    strcpy(name, "http");
    if (origin != ORIGIN_HTTP) film_review_origin(&pair, name);
}

/* Splits the id of a pair, as write_pair_id wrote it. Returns 0 if it is another text. */
static int split_pair_id(film_text id, film_pool_label_row *row, int *origin)
{
    const char *end = id.bytes + id.length, *a = memchr(id.bytes, '\t', id.length);
    const char *b = a ? memchr(a + 1, '\t', (size_t)(end - a - 1)) : NULL;
    char name[FILM_REVIEW_ORIGIN];
    if (!b || memchr(b + 1, '\t', (size_t)(end - b - 1))) return 0;
    row->a = (film_text){a + 1, (size_t)(b - a - 1)};
    row->b = (film_text){b + 1, (size_t)(end - b - 1)};
    for (*origin = ORIGIN_FIRST_REVIEW; *origin < ORIGINS; ++*origin) {
        origin_name(*origin, name);
        if (strlen(name) == (size_t)(a - id.bytes) && memcmp(name, id.bytes, strlen(name)) == 0)
            return 1;
    }
    return 0;
}

struct answer_fields {
    film_text id;
    const json_t *ids;
    int same;
};

static const struct field one_answer_fields[] = {
    {.name = "id", .kind = FIELD_TEXT, .at = offsetof(struct answer_fields, id)},
    {.name = "ids", .kind = FIELD_LIST, .at = offsetof(struct answer_fields, ids)},
    {.name = "same", .kind = FIELD_FLAG, .at = offsetof(struct answer_fields, same)},
    {.name = NULL}};

static int read_answer_label(const json_t *value, size_t number, film_pool_label_row *row,
                             int *origin, struct response *response)
{
    struct answer_fields given = {.same = -1};
    char where[48];
    snprintf(where, sizeof where, "labels[%zu]", number);
    if (!json_is_object(value))
        return response_error(response, 400, "%s must be an object {id, same}", where);
    if (!fields_of(value, where, one_answer_fields, &given, response)) return 0;
    if (given.same < 0)
        return response_error(response, 400, "%s.same is missing: true or false", where);
    row->same = given.same;
    *origin = ORIGIN_HTTP;
    if (!given.id.bytes == !given.ids)
        return response_error(response, 400,
                              "%s: exactly one of id (of a pair from /v1/review) and ids (of two "
                              "sentences) is required",
                              where);
    if (given.ids)
        return json_array_size(given.ids) == 2
                   ? fields_text(given.ids, "ids", 0, &row->a, response) &&
                         fields_text(given.ids, "ids", 1, &row->b, response)
                   : response_error(response, 400, "%s.ids must have two ids", where);
    return split_pair_id(given.id, row, origin) ||
           response_error(response, 400, "%s.id is not the id of a pair; take it from /v1/review",
                          where);
}

/* Stores the answers, those of one origin at a time, each set all or none. Sending them again is
 * harmless: a label replaces that of the same pair. */
static film_status store_answers(struct worker *worker, const struct review_answers *answers,
                                 uint64_t *changed, film_error *error)
{
    film_status status = FILM_OK;
    film_pool_label_row *rows = calloc(answers->count + 1, sizeof *rows);
    if (!rows) return FILM_NO_MEMORY;
    for (int origin = 0; origin < ORIGINS && status == FILM_OK; origin++) {
        char name[FILM_REVIEW_ORIGIN];
        size_t count = 0;
        uint64_t some = 0;
        for (size_t i = 0; i < answers->count; i++)
            if (answers->origin[i] == origin) rows[count++] = answers->rows[i];
        origin_name(origin, name);
        if (count)
            status =
                film_pool_label_many(worker->generation->pool, rows, count, name, &some, error);
        *changed += some;
    }
    free(rows);
    return status;
}

static void store_and_answer(struct worker *worker, const struct review_answers *answers,
                             struct response *response)
{
    film_error error = {.message = "out of memory"};
    struct leases *leases = &worker->service->leases;
    uint64_t changed = 0;
    film_status status = store_answers(worker, answers, &changed, &error);
    atomic_fetch_add(&worker->service->background.added, (size_t)changed);
    pthread_mutex_lock(&leases->lock);
    for (size_t i = 0; i < answers->count && status == FILM_OK; i++)
        leases_end(leases, answers->rows[i].a, answers->rows[i].b);
    pthread_mutex_unlock(&leases->lock);
    bytes_format(&response->body, "{\"stored\": %zu, \"new\": %llu, ", answers->count,
                 (unsigned long long)changed);
    if (status == FILM_OK)
        status = write_estimate(worker->generation->pool, &response->body, &error);
    bytes_text(&response->body, "}\n");
    if (status != FILM_OK) response_failure(response, status, &error);
}

struct labels_request {
    const json_t *list;
};

static const struct field labels_fields[] = {
    {.name = "labels", .kind = FIELD_LIST, .at = offsetof(struct labels_request, list)},
    {.name = NULL}};

static void read_and_store(struct worker *worker, const json_t *list, struct response *response)
{
    size_t count = json_array_size(list), read = 0;
    if (!fields_not_many(count, worker->service->options.limits.texts, "labels", response)) return;
    struct review_answers answers = {.rows = calloc(count + 1, sizeof *answers.rows),
                                     .origin = calloc(count + 1, sizeof *answers.origin),
                                     .count = count};
    if (!answers.rows || !answers.origin) {
        response_error(response, 503, "out of memory");
    } else {
        while (read < count &&
               read_answer_label(json_array_get(list, read), read, &answers.rows[read],
                                 &answers.origin[read], response))
            read++;
        if (read == count) store_and_answer(worker, &answers, response);
    }
    free(answers.rows);
    free(answers.origin);
}

static void answer_labels(struct worker *worker, const struct request *request,
                          struct response *response)
{
    json_t *root = NULL;
    struct labels_request labels = {.list = NULL};
    if (fields_read(request, labels_fields, &labels, &root, response)) {
        if (labels.list)
            read_and_store(worker, labels.list, response);
        else
            response_error(response, 400,
                           "labels is missing: [{\"id\": ..., \"same\": true}, ...]");
    }
    json_decref(root);
}

const struct route review_routes[] = {{.method = METHOD_GET,
                                       .path = "/v1/review",
                                       .summary = "Return pairs for a person to label",
                                       .answer = answer_review,
                                       .slow = 1,
                                       .needs_pool = 1},
                                      {.method = METHOD_POST,
                                       .path = "/v1/labels",
                                       .summary = "Store the labels of pairs",
                                       .fields = labels_fields,
                                       .answer = answer_labels,
                                       .slow = 1,
                                       .needs_pool = 1,
                                       .writes = 1},
                                      {.path = NULL}};
