/* Handles requests about categories (/v1/classify): the category of a sentence or of many, or
 * none. */
#include "fields.h"
#include "route.h"

#include <stdlib.h>

struct class_request {
    film_text text;
    const json_t *texts;
    film_classify_options options;
};

static const struct field classify_fields[] = {
    {.name = "text", .kind = FIELD_TEXT, .at = offsetof(struct class_request, text)},
    {.name = "texts", .kind = FIELD_LIST, .at = offsetof(struct class_request, texts)},
    {.name = "top",
     .kind = FIELD_COUNT,
     .at = offsetof(struct class_request, options.top),
     .least = 1,
     .most = 1000},
    {.name = "examples",
     .kind = FIELD_COUNT,
     .at = offsetof(struct class_request, options.examples),
     .least = 1,
     .most = 30},
    {.name = "threshold",
     .kind = FIELD_SHARE,
     .at = offsetof(struct class_request, options.threshold)},
    {.name = "always", .kind = FIELD_FLAG, .at = offsetof(struct class_request, options.always)},
    {.name = NULL}};

struct class_writing {
    struct bytes *out;
    int many;
};

static int write_result(void *user, size_t number, const film_classification *result)
{
    const struct class_writing *writing = user;
    char *json = NULL;
    if (film_classification_json(result, &json, NULL) != FILM_OK) writing->out->failed = 1;
    if (writing->many && number) bytes_text(writing->out, ", ");
    if (json) bytes_text(writing->out, json);
    film_free(json);
    return writing->out->failed;
}

static void classify_texts(struct worker *worker, struct class_request *wanted,
                           struct response *response)
{
    film_error error;
    film_text *texts = NULL;
    size_t count = 1;
    struct bytes *out = &response->body;
    struct class_writing writing = {out, wanted->texts != NULL};
    if (wanted->texts &&
        !fields_texts(wanted->texts, "texts", worker->service->options.limits.texts, &texts, &count,
                      response)) {
        free(texts);
        return;
    }
    wanted->options.threads = wanted->texts ? worker->service->options.threads : 1;
    if (writing.many) bytes_text(out, "{\"results\": [");
    film_status status =
        film_classify_many(worker->generation->model, texts ? texts : &wanted->text, count,
                           &wanted->options, write_result, &writing, &error);
    bytes_text(out, writing.many ? "]}\n" : "\n");
    if (status != FILM_OK) response_failure(response, status, &error);
    free(texts);
}

static void answer_classify(struct worker *worker, const struct request *request,
                            struct response *response)
{
    json_t *root = NULL;
    struct class_request wanted = {.texts = NULL};
    wanted.options.size = sizeof wanted.options;
    if (fields_read(request, classify_fields, &wanted, &root, response)) {
        if (!wanted.text.bytes == !wanted.texts)
            response_error(response, 400,
                           "exactly one of text (a sentence) and texts (a list) is required");
        else
            classify_texts(worker, &wanted, response);
    }
    json_decref(root);
}

const struct route classify_routes[] = {
    {.method = METHOD_POST,
     .path = "/v1/classify",
     .summary = "Return the category of a sentence or of many, or none",
     .fields = classify_fields,
     .answer = answer_classify,
     .slow = 1},
    {.path = NULL}};
