/* Handles requests to the pool: searching (/v1/search), adding and removing sentences
 * (/v1/pool). */
#include "fields.h"
#include "film_explain.h"
#include "route.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WHERE = 16, MOST_ANSWERS = 1000 };

/* ---- searching ---- */

struct search_output {
    struct bytes *out;
    int explain, many;
    size_t reasons; /* maximum per result */
    size_t query;   /* the query whose list is being written */
};

static void write_field(struct bytes *out, const char *name, film_text text)
{
    if (!text.bytes || text.length == 0) return;
    bytes_format(out, ", \"%s\": ", name);
    bytes_string(out, text);
}

/* Writes the user's extra fields. They are parsed first: a damaged pool must not make the response
 * invalid JSON. */
static void write_more(struct bytes *out, film_text more)
{
    json_error_t problem = {.text = ""};
    json_t *value = more.bytes ? json_loadb(more.bytes, more.length, 0, &problem) : NULL;
    char *text = value ? json_dumps(value, JSON_COMPACT) : NULL;
    if (value ? !text : more.bytes && !problem.text[0]) out->failed = 1;
    if (text) {
        bytes_text(out, ", \"more\": ");
        bytes_text(out, text);
    }
    free(text);
    json_decref(value);
}

static void write_verdict_reasons(struct bytes *out, const film_verdict *verdict, size_t most)
{
    char *json = NULL, *groups = NULL;
    size_t length = 0, groups_length = 0;
    if (film_reasons_json(verdict, most, &json, &length, NULL) != FILM_OK ||
        film_groups_json(verdict, &groups, &groups_length, NULL) != FILM_OK)
        out->failed = 1;
    bytes_text(out, ", \"bias\": ");
    bytes_real(out, verdict->bias);
    bytes_text(out, ", \"groups\": ");
    bytes_append(out, groups, groups_length);
    bytes_text(out, ", \"reasons\": ");
    bytes_append(out, json, length);
    film_free(json);
    film_free(groups);
}

/* Results arrive ordered by query; a query without results gets an empty list. */
static void open_list(struct search_output *searching, size_t query)
{
    for (; searching->query < query; searching->query++) bytes_text(searching->out, "], [");
}

static int write_found(void *user, const film_found *found)
{
    struct search_output *searching = user;
    struct bytes *out = searching->out;
    const film_sentence *sentence = &found->sentence;
    if (searching->many) open_list(searching, found->query);
    bytes_text(out, found->place ? ", {\"id\": " : "{\"id\": ");
    bytes_string(out, sentence->id);
    bytes_text(out, ", \"text\": ");
    bytes_record(out, sentence->text);
    write_field(out, "category", sentence->category);
    write_field(out, "answer", sentence->answer);
    write_field(out, "url", sentence->url);
    write_more(out, sentence->more);
    bytes_text(out, ", \"probability\": ");
    bytes_real(out, found->verdict.probability);
    bytes_text(out, ", \"same\": ");
    bytes_flag(out, found->verdict.same);
    bytes_text(out, ", \"score\": ");
    bytes_real(out, found->score);
    if (found->answered >= 0) {
        bytes_text(out, ", \"answered\": ");
        bytes_real(out, found->answered);
        bytes_text(out, ", \"answers\": ");
        bytes_flag(out, found->answers);
    }
    if (searching->explain) write_verdict_reasons(out, &found->verdict, searching->reasons);
    bytes_text(out, "}");
    return out->failed;
}

/* {"field": value, ...}. Numbers and booleans are compared as text. */
struct conditions {
    film_pool_where where[MOST_WHERE];
    char *written[MOST_WHERE];
    size_t count;
};

static int read_conditions(const json_t *object, struct conditions *conditions,
                           struct response *response)
{
    const char *name;
    json_t *value;
    if (json_object_size(object) > MOST_WHERE)
        return response_error(response, 400, "where: at most %d conditions are allowed",
                              MOST_WHERE);
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        size_t at = conditions->count++;
        conditions->where[at].field = film_string(name);
        if (json_is_string(value)) {
            conditions->where[at].value =
                (film_text){json_string_value(value), json_string_length(value)};
            continue;
        }
        if (!json_is_integer(value) && !json_is_boolean(value))
            return response_error(response, 400,
                                  "where: each value must be a string, an integer or a boolean");
        conditions->written[at] = json_dumps(value, JSON_ENCODE_ANY);
        if (!conditions->written[at]) return response_error(response, 503, "out of memory");
        conditions->where[at].value = film_string(conditions->written[at]);
    }
    return 1;
}

struct query {
    film_text q;
    const json_t *queries, *where;
    film_search_options options;
    size_t reasons;
};

static void search_sentences(struct worker *worker, const struct query *query,
                             struct response *response)
{
    film_error error;
    film_text *texts = NULL;
    size_t count = 0;
    struct bytes *out = &response->body;
    struct search_output searching = {out, query->options.explain, query->queries != NULL,
                                      query->reasons, 0};
    film_status status;
    bytes_text(out, searching.many ? "{\"results\": [[" : "{\"results\": [");
    if (!searching.many) {
        status = film_pool_search(worker->generation->pool, query->q, &query->options, write_found,
                                  &searching, &error);
    } else if (fields_texts(query->queries, "queries", worker->service->options.limits.texts,
                            &texts, &count, response)) {
        status = film_pool_search_many(worker->generation->pool, texts, count, &query->options,
                                       write_found, &searching, &error);
        if (count) open_list(&searching, count - 1);
    } else {
        free(texts);
        return;
    }
    if (searching.many && count == 0) out->length--; /* no query: no inner list */
    bytes_text(out, searching.many && count ? "]]}\n" : "]}\n");
    if (status != FILM_OK) response_failure(response, status, &error);
    free(texts);
}

static const struct field search_fields[] = {
    {.name = "q", .kind = FIELD_TEXT, .at = offsetof(struct query, q)},
    {.name = "queries", .kind = FIELD_LIST, .at = offsetof(struct query, queries)},
    {.name = "k",
     .kind = FIELD_COUNT,
     .at = offsetof(struct query, options.k),
     .least = 1,
     .most = MOST_ANSWERS},
    {.name = "where", .kind = FIELD_OBJECT, .at = offsetof(struct query, where)},
    {.name = "least", .kind = FIELD_LEAST, .at = offsetof(struct query, options.least)},
    {.name = "answered_only",
     .kind = FIELD_FLAG,
     .at = offsetof(struct query, options.answered_only)},
    {.name = "explain", .kind = FIELD_FLAG, .at = offsetof(struct query, options.explain)},
    {.name = "reasons",
     .kind = FIELD_COUNT,
     .at = offsetof(struct query, reasons),
     .most = INT32_MAX},
    {.name = "prior", .kind = FIELD_SHARE, .at = offsetof(struct query, options.answer.prior)},
    {.name = NULL}};

static void answer_search(struct worker *worker, const struct request *request,
                          struct response *response)
{
    json_t *root = NULL;
    struct query query = {.reasons = FILM_ALL_REASONS};
    struct conditions conditions = {.count = 0};
    query.options.size = sizeof query.options;
    if (fields_read(request, search_fields, &query, &root, response) &&
        (!query.where || read_conditions(query.where, &conditions, response))) {
        query.options.where = conditions.where;
        query.options.where_count = conditions.count;
        query.options.answer.threads = query.queries ? worker->service->options.threads : 1;
        query.options.progress = worker_search_progress(worker);
        if (!query.q.bytes == !query.queries)
            response_error(response, 400,
                           "exactly one of q (a sentence) and queries (a list) is required");
        else
            search_sentences(worker, &query, response);
    }
    for (size_t i = 0; i < conditions.count; i++) free(conditions.written[i]);
    json_decref(root);
}

/* ---- adding ---- */

struct new_sentence {
    film_sentence sentence;
    const json_t *more;
};

static const struct field sentence_fields[] = {
    {.name = "id", .kind = FIELD_TEXT, .at = offsetof(struct new_sentence, sentence.id)},
    {.name = "text", .kind = FIELD_TEXT, .at = offsetof(struct new_sentence, sentence.text)},
    {.name = "category",
     .kind = FIELD_TEXT,
     .at = offsetof(struct new_sentence, sentence.category)},
    {.name = "answer", .kind = FIELD_TEXT, .at = offsetof(struct new_sentence, sentence.answer)},
    {.name = "url", .kind = FIELD_TEXT, .at = offsetof(struct new_sentence, sentence.url)},
    {.name = "more", .kind = FIELD_OBJECT, .at = offsetof(struct new_sentence, more)},
    {.name = NULL}};

static int read_sentence(const json_t *item, size_t number, film_sentence *sentence, char **more,
                         struct response *response)
{
    char where[40];
    struct new_sentence fresh = {.more = NULL};
    snprintf(where, sizeof where, "sentences[%zu].", number);
    if (!json_is_object(item))
        return response_error(response, 400, "sentences[%zu] must be {\"text\": ...}", number);
    if (!fields_of(item, where, sentence_fields, &fresh, response)) return 0;
    *sentence = fresh.sentence;
    if (!sentence->text.bytes)
        return response_error(response, 400, "sentences[%zu] has no text", number);
    if (!fresh.more) return 1;
    *more = json_dumps(fresh.more, JSON_COMPACT);
    if (!*more) return response_error(response, 503, "out of memory");
    sentence->more = film_string(*more);
    return 1;
}

/* Checks that COUNT more sentences fit into the pool. Replacements count as additions. */
static int has_room(struct worker *worker, size_t count, struct response *response)
{
    size_t most = worker->service->options.limits.pool;
    film_error error;
    uint64_t there;
    if (most == 0) return 1;
    film_status status = service_pool_size(worker->generation, &there, &error);
    if (status != FILM_OK) return response_failure(response, status, &error);
    return there + count <= most ||
           response_error(response, 507,
                          "pool full: it has %llu of at most %zu sentences (--max-pool), cannot "
                          "add %zu",
                          (unsigned long long)there, most, count);
}

static void add_sentences(struct worker *worker, const film_sentence *sentences, size_t count,
                          int replace, struct response *response)
{
    struct service *service = worker->service;
    film_error error;
    film_pool_added added = {.size = sizeof added};
    film_pool_add_options options = {.size = sizeof options,
                                     .replace = replace,
                                     .threads = service->options.threads,
                                     .progress = worker_progress(worker),
                                     .max_sentence = service->options.limits.sentence};
    pthread_mutex_lock(&service->writing);
    if (has_room(worker, count, response)) {
        film_status status =
            film_pool_add(worker->generation->pool, sentences, count, &options, &added, &error);
        if (status == FILM_OK)
            bytes_format(&response->body,
                         "{\"added\": %llu, \"replaced\": %llu, \"present\": %llu}\n",
                         (unsigned long long)added.added, (unsigned long long)added.replaced,
                         (unsigned long long)added.present);
        else
            response_failure(response, status, &error);
    }
    pthread_mutex_unlock(&service->writing);
}

static void read_and_add(struct worker *worker, const json_t *list, int replace,
                         struct response *response)
{
    size_t count = json_array_size(list), read = 0;
    if (!fields_not_many(count, worker->service->options.limits.texts, "sentences", response))
        return;
    film_sentence *sentences = calloc(count + 1, sizeof *sentences);
    char **more = calloc(count + 1, sizeof *more);
    if (!sentences || !more) response_error(response, 503, "out of memory");
    while (sentences && more && read < count &&
           read_sentence(json_array_get(list, read), read, &sentences[read], &more[read], response))
        read++;
    if (sentences && more && read == count)
        add_sentences(worker, sentences, count, replace, response);
    for (size_t i = 0; more && i < count; i++) free(more[i]);
    free(sentences);
    free(more);
}

struct add_request {
    const json_t *list;
    int replace;
};

static const struct field add_fields[] = {
    {.name = "sentences", .kind = FIELD_LIST, .at = offsetof(struct add_request, list)},
    {.name = "replace", .kind = FIELD_FLAG, .at = offsetof(struct add_request, replace)},
    {.name = NULL}};

static void answer_add(struct worker *worker, const struct request *request,
                       struct response *response)
{
    json_t *root = NULL;
    struct add_request adding = {.list = NULL};
    if (fields_read(request, add_fields, &adding, &root, response)) {
        if (adding.list)
            read_and_add(worker, adding.list, adding.replace, response);
        else
            response_error(response, 400, "sentences is missing: [{\"text\": ...}, ...]");
    }
    json_decref(root);
}

/* ---- removing ---- */

static void remove_ids(struct worker *worker, const json_t *list, int ignore_missing,
                       struct response *response)
{
    film_error error;
    film_text *ids = NULL;
    size_t count;
    uint64_t removed;
    if (fields_texts(list, "ids", worker->service->options.limits.texts, &ids, &count, response)) {
        pthread_mutex_lock(&worker->service->writing);
        film_status status = film_pool_remove(worker->generation->pool, ids, count, ignore_missing,
                                              &removed, &error);
        pthread_mutex_unlock(&worker->service->writing);
        if (status == FILM_OK)
            bytes_format(&response->body, "{\"removed\": %llu}\n", (unsigned long long)removed);
        else
            response_failure(response, status, &error);
    }
    free(ids);
}

struct removing {
    const json_t *list;
    int ignore_missing;
};

static const struct field remove_fields[] = {
    {.name = "ids", .kind = FIELD_LIST, .at = offsetof(struct removing, list)},
    {.name = "ignore_missing", .kind = FIELD_FLAG, .at = offsetof(struct removing, ignore_missing)},
    {.name = NULL}};

static void answer_remove(struct worker *worker, const struct request *request,
                          struct response *response)
{
    json_t *root = NULL;
    struct removing removing = {.list = NULL};
    if (fields_read(request, remove_fields, &removing, &root, response)) {
        if (removing.list)
            remove_ids(worker, removing.list, removing.ignore_missing, response);
        else
            response_error(response, 400, "ids is missing: [\"id\", ...]");
    }
    json_decref(root);
}

const struct route pool_routes[] = {{.method = METHOD_POST,
                                     .path = "/v1/search",
                                     .summary = "Search the pool for sentences that mean the same",
                                     .fields = search_fields,
                                     .answer = answer_search,
                                     .slow = 1,
                                     .needs_pool = 1},
                                    {.method = METHOD_POST,
                                     .path = "/v1/pool",
                                     .summary = "Add sentences to the pool, all or none",
                                     .fields = add_fields,
                                     .answer = answer_add,
                                     .slow = 1,
                                     .needs_pool = 1,
                                     .writes = 1},
                                    {.method = METHOD_DELETE,
                                     .path = "/v1/pool",
                                     .summary = "Remove sentences from the pool, all or none",
                                     .fields = remove_fields,
                                     .answer = answer_remove,
                                     .slow = 1,
                                     .needs_pool = 1,
                                     .writes = 1},
                                    {.path = NULL}};
