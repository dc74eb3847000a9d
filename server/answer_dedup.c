/* Finds duplicates in the list of sentences in the request: /v1/dedup. */
#include "fields.h"
#include "route.h"

#include <stdlib.h>

struct clusters {
    struct bytes *out;
    size_t open; /* cluster being written; 0: none */
};

static int add_member(void *user, const film_member *member)
{
    struct clusters *clusters = user;
    struct bytes *out = clusters->out;
    if (member->cluster != clusters->open) {
        bytes_format(out, "%s{\"size\": %zu, \"members\": [", clusters->open ? "]}, " : "",
                     member->cluster_size);
        clusters->open = member->cluster;
    } else {
        bytes_text(out, ", ");
    }
    bytes_format(out, "{\"index\": %zu", member->at);
    if (member->record.id.bytes) {
        bytes_text(out, ", \"id\": ");
        bytes_string(out, member->record.id);
    }
    bytes_text(out, ", \"text\": ");
    bytes_record(out, member->record.text);
    bytes_text(out, ", \"probability\": ");
    bytes_real(out, member->probability);
    bytes_text(out, ", \"representative\": ");
    bytes_flag(out, member->representative);
    bytes_text(out, "}");
    return out->failed;
}

static void find_clusters(struct worker *worker, const film_record *records, size_t count,
                          double threshold, double prior, struct response *response)
{
    film_error error;
    film_dedup_result result = {.size = sizeof result};
    film_dedup_options options = {.size = sizeof options};
    struct clusters clusters = {&response->body, 0};
    options.answer.threads = worker->service->options.threads;
    options.threshold = threshold;
    if (prior > 0) options.answer.prior = prior;
    options.progress = worker_progress(worker);
    options.member = add_member;
    options.user = &clusters;
    bytes_text(&response->body, "{\"clusters\": [");
    film_status status =
        film_dedup(worker->generation->model, records, count, &options, &result, &error);
    if (status != FILM_OK) {
        response_failure(response, status, &error);
        return;
    }
    bytes_text(&response->body, clusters.open ? "]}]" : "]");
    bytes_format(&response->body,
                 ", \"records\": %llu, \"distinct\": %llu, \"pairs\": %llu, \"sure\": %llu, "
                 "\"threshold\": ",
                 (unsigned long long)result.records, (unsigned long long)result.distinct,
                 (unsigned long long)result.pairs, (unsigned long long)result.sure);
    bytes_real(&response->body, result.threshold);
    bytes_text(&response->body, "}\n");
}

static const struct field record_fields[] = {
    {.name = "id", .kind = FIELD_TEXT, .at = offsetof(film_record, id)},
    {.name = "text", .kind = FIELD_TEXT, .at = offsetof(film_record, text)},
    {.name = NULL}};

static int read_record(const json_t *item, size_t number, film_record *record,
                       struct response *response)
{
    char where[40];
    snprintf(where, sizeof where, "records[%zu].", number);
    if (json_is_object(item) && !fields_of(item, where, record_fields, record, response)) return 0;
    return record->text.bytes != NULL ||
           response_error(response, 400, "records[%zu] must be {\"id\": ..., \"text\": ...}",
                          number);
}

static void dedup(struct worker *worker, const json_t *list, int texts, double threshold,
                  double prior, struct response *response)
{
    size_t count = json_array_size(list), read = 0;
    if (!fields_not_many(count, worker->service->options.limits.texts, texts ? "texts" : "records",
                         response))
        return;
    film_record *records = calloc(count + 1, sizeof *records);
    if (!records) response_error(response, 503, "out of memory");
    while (records && read < count &&
           (texts ? fields_text(list, "texts", read, &records[read].text, response)
                  : read_record(json_array_get(list, read), read, &records[read], response)))
        read++;
    if (records && read == count) find_clusters(worker, records, count, threshold, prior, response);
    free(records);
}

struct dedup_request {
    const json_t *texts, *records;
    double threshold, prior;
};

static const struct field dedup_fields[] = {
    {.name = "texts", .kind = FIELD_LIST, .at = offsetof(struct dedup_request, texts)},
    {.name = "records", .kind = FIELD_LIST, .at = offsetof(struct dedup_request, records)},
    {.name = "threshold", .kind = FIELD_SHARE, .at = offsetof(struct dedup_request, threshold)},
    {.name = "prior", .kind = FIELD_SHARE, .at = offsetof(struct dedup_request, prior)},
    {.name = NULL}};

static void answer_dedup(struct worker *worker, const struct request *request,
                         struct response *response)
{
    json_t *root = NULL;
    struct dedup_request list = {.texts = NULL};
    if (fields_read(request, dedup_fields, &list, &root, response)) {
        if (!list.texts == !list.records)
            response_error(response, 400,
                           "exactly one of texts and records is required: texts is a list of "
                           "strings, records a list of {\"id\": ..., \"text\": ...}");
        else
            dedup(worker, list.texts ? list.texts : list.records, list.texts != NULL,
                  list.threshold, list.prior, response);
    }
    json_decref(root);
}

const struct route dedup_routes[] = {{.method = METHOD_POST,
                                      .path = "/v1/dedup",
                                      .summary = "Find duplicates in a list of sentences",
                                      .fields = dedup_fields,
                                      .answer = answer_dedup,
                                      .batch = 1},
                                     {.path = NULL}};
