/* Handles the review of a pool: pairs to label (GET /v1/review) and answers
 * (/v1/labels). */
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
    bytes_record(out, pair->first.text);
    bytes_text(out, ", \"b\": ");
    bytes_record(out, pair->second.text);
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

/* Splits the id of a pair, as write_pair_id wrote it. Returns 0 if it is another text. */
static int split_pair_id(film_text id, film_pool_label_row *row)
{
    const char *end = id.bytes + id.length, *a = memchr(id.bytes, '\t', id.length);
    const char *b = a ? memchr(a + 1, '\t', (size_t)(end - a - 1)) : NULL;
    film_review_pair pair;
    if (!b || memchr(b + 1, '\t', (size_t)(end - b - 1))) return 0;
    row->a = (film_text){a + 1, (size_t)(b - a - 1)};
    row->b = (film_text){b + 1, (size_t)(end - b - 1)};
    row->origin = (film_text){id.bytes, (size_t)(a - id.bytes)};
    return film_review_read_origin(row->origin, &pair);
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

/* REMOVE: the label is to be removed, and `same` is not needed. */
static int read_answer_label(const json_t *value, size_t number, int remove,
                             film_pool_label_row *row, struct response *response)
{
    struct answer_fields given = {.same = -1};
    char where[48];
    snprintf(where, sizeof where, "labels[%zu]", number);
    if (!json_is_object(value))
        return response_error(response, 400, "%s must be an object {id, same}", where);
    if (!fields_of(value, where, one_answer_fields, &given, response)) return 0;
    if (given.same < 0 && !remove)
        return response_error(response, 400, "%s.same is missing: true or false", where);
    row->same = given.same;
    row->origin = film_string("http");
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
    return split_pair_id(given.id, row) ||
           response_error(response, 400, "%s.id is not the id of a pair; take it from /v1/review",
                          where);
}

/* Sending answers again is harmless: a label replaces that of the same pair. A pair whose answer
 * was taken back is leased again, because it is on somebody's screen. */
static void store_and_answer(struct worker *worker, const film_pool_label_row *rows, size_t count,
                             int remove, struct response *response)
{
    film_error error;
    film_pool *pool = worker->generation->pool;
    struct leases *leases = &worker->service->leases;
    uint64_t changed = 0;
    film_status status = remove ? film_pool_unlabel(pool, rows, count, &changed, &error)
                                : film_pool_label_many(pool, rows, count, NULL, &changed, &error);
    if (!remove) atomic_fetch_add(&worker->service->background.added, (size_t)changed);
    pthread_mutex_lock(&leases->lock);
    for (size_t i = 0; i < count && status == FILM_OK; i++) {
        leases_end(leases, rows[i].a, rows[i].b);
        if (remove && !leases_add(leases, rows[i].a, rows[i].b, monotonic_seconds()))
            response->body.failed = 1;
    }
    pthread_mutex_unlock(&leases->lock);
    if (remove)
        bytes_format(&response->body, "{\"removed\": %llu, ", (unsigned long long)changed);
    else
        bytes_format(&response->body, "{\"stored\": %zu, \"new\": %llu, ", count,
                     (unsigned long long)changed);
    if (status == FILM_OK) status = write_estimate(pool, &response->body, &error);
    bytes_text(&response->body, "}\n");
    if (status != FILM_OK) response_failure(response, status, &error);
}

struct labels_request {
    const json_t *list;
};

static const struct field labels_fields[] = {
    {.name = "labels", .kind = FIELD_LIST, .at = offsetof(struct labels_request, list)},
    {.name = NULL}};

static void read_and_store(struct worker *worker, const json_t *list, int remove,
                           struct response *response)
{
    size_t count = json_array_size(list), read = 0;
    if (!fields_not_many(count, worker->service->options.limits.texts, "labels", response)) return;
    film_pool_label_row *rows = calloc(count + 1, sizeof *rows);
    if (!rows) response_error(response, 503, "out of memory");
    while (rows && read < count &&
           read_answer_label(json_array_get(list, read), read, remove, &rows[read], response))
        read++;
    if (rows && read == count) store_and_answer(worker, rows, count, remove, response);
    free(rows);
}

static void handle_labels(struct worker *worker, const struct request *request, int remove,
                          struct response *response)
{
    json_t *root = NULL;
    struct labels_request labels = {.list = NULL};
    if (fields_read(request, labels_fields, &labels, &root, response)) {
        if (labels.list)
            read_and_store(worker, labels.list, remove, response);
        else
            response_error(response, 400, "labels is missing: [{\"id\": ...%s}, ...]",
                           remove ? "" : ", \"same\": true");
    }
    json_decref(root);
}

static void answer_labels(struct worker *worker, const struct request *request,
                          struct response *response)
{
    handle_labels(worker, request, 0, response);
}

static void answer_unlabel(struct worker *worker, const struct request *request,
                           struct response *response)
{
    handle_labels(worker, request, 1, response);
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
                                      {.method = METHOD_DELETE,
                                       .path = "/v1/labels",
                                       .summary = "Remove the labels of pairs",
                                       .fields = labels_fields,
                                       .answer = answer_unlabel,
                                       .slow = 1,
                                       .needs_pool = 1,
                                       .writes = 1},
                                      {.path = NULL}};
