/* Handles requests for vectors: /v1/embed, and /v1/embeddings as OpenAI's clients send it, so that
 * tools made for that protocol can use a FILM model as their embedder. */
#include "route.h"

#include <stdlib.h>

/* Sentences between two checks whether the request was cancelled. */
enum { CHUNK = 512 };

/* The vectors of a request's sentences. */
struct embedded_vectors {
    float *values;
    size_t count, dim;
};

/* Computes the vectors of LIST, whose field is NAME; returns 0 on error. The caller frees the
 * values. */
static int compute_vectors(struct worker *worker, const json_t *list, const char *name,
                           struct embedded_vectors *vectors, struct response *response)
{
    film_error error;
    film_text *texts = NULL;
    vectors->dim = film_dim(worker->generation->model);
    if (!fields_texts(list, name, worker->service->options.limits.texts, &texts, &vectors->count,
                      response)) {
        free(texts);
        return 0;
    }
    vectors->values = calloc(vectors->count * vectors->dim + 1, sizeof *vectors->values);
    film_status status = vectors->values ? FILM_OK : FILM_NO_MEMORY;
    for (size_t i = 0; i < vectors->count && status == FILM_OK; i += CHUNK) {
        size_t some = vectors->count - i < CHUNK ? vectors->count - i : CHUNK;
        status = worker_cancelled(worker)
                     ? FILM_CANCELLED
                     : film_embed_batch(worker->generation->model, texts + i, some,
                                        worker->service->options.threads,
                                        vectors->values + i * vectors->dim, &error);
    }
    free(texts);
    return status == FILM_OK || response_failure(response, status, &error);
}

static void write_numbers(struct bytes *out, const float *vector, size_t dim)
{
    bytes_text(out, "[");
    for (size_t i = 0; i < dim; i++) bytes_format(out, "%s%.9g", i ? "," : "", (double)vector[i]);
    bytes_text(out, "]");
}

/* ---- /v1/embed ---- */

static const struct field embed_fields[] = {{.name = "texts", .kind = FIELD_LIST}, {.name = NULL}};

static void answer_embed(struct worker *worker, const struct request *request,
                         struct response *response)
{
    json_t *root = NULL;
    const json_t *list = NULL;
    struct embedded_vectors vectors = {.values = NULL};
    struct bytes *out = &response->body;
    if (fields_read(request, embed_fields, &list, &root, response)) {
        if (!list) {
            response_error(response, 400, "texts is missing: [\"a sentence\", ...]");
        } else if (compute_vectors(worker, list, "texts", &vectors, response)) {
            bytes_format(out, "{\"dim\": %zu, \"vectors\": [", vectors.dim);
            for (size_t i = 0; i < vectors.count; i++) {
                if (i) bytes_text(out, ", ");
                write_numbers(out, vectors.values + i * vectors.dim, vectors.dim);
            }
            bytes_text(out, "]}\n");
        }
    }
    free(vectors.values);
    json_decref(root);
}

/* ---- /v1/embeddings ---- */

struct embeddings_request {
    const json_t *input;
    film_text model, user;
    size_t dimensions;
    int format;
};
enum { FORMAT_FLOAT, FORMAT_BASE64 };

static const struct field embeddings_fields[] = {
    {.name = "input", .kind = FIELD_TEXTS, .at = offsetof(struct embeddings_request, input)},
    {.name = "model", .kind = FIELD_TEXT, .at = offsetof(struct embeddings_request, model)},
    {.name = "encoding_format",
     .kind = FIELD_WORD,
     .at = offsetof(struct embeddings_request, format),
     .words = "float|base64"},
    {.name = "dimensions",
     .kind = FIELD_COUNT,
     .at = offsetof(struct embeddings_request, dimensions),
     .least = 1,
     .most = 1000000},
    {.name = "user", .kind = FIELD_TEXT, .at = offsetof(struct embeddings_request, user)},
    {.name = NULL}};

/* Writes LENGTH bytes as a JSON string in base64 (RFC 4648). */
static void write_base64(struct bytes *out, const void *data, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *bytes = data;
    bytes_text(out, "\"");
    for (size_t i = 0; i < length; i += 3) {
        unsigned left = length - i < 3 ? (unsigned)(length - i) : 3, group = 0;
        for (unsigned j = 0; j < 3; j++) group = group << 8 | (j < left ? bytes[i + j] : 0u);
        char four[4] = {digits[group >> 18], digits[group >> 12 & 63],
                        left > 1 ? digits[group >> 6 & 63] : '=',
                        left > 2 ? digits[group & 63] : '='};
        bytes_append(out, four, sizeof four);
    }
    bytes_text(out, "\"");
}

static void write_embeddings(struct bytes *out, const struct embedded_vectors *vectors, int format)
{
    bytes_text(out, "{\"object\": \"list\", \"data\": [");
    for (size_t i = 0; i < vectors->count; i++) {
        const float *vector = vectors->values + i * vectors->dim;
        bytes_format(
            out, "%s{\"object\": \"embedding\", \"index\": %zu, \"embedding\": ", i ? ", " : "", i);
        if (format == FORMAT_BASE64)
            write_base64(out, vector, vectors->dim * sizeof *vector);
        else
            write_numbers(out, vector, vectors->dim);
        bytes_text(out, "}");
    }
    /* Clients read the counts of tokens; nothing is billed by them here. */
    bytes_text(out, "], \"model\": \"film\", \"usage\": {\"prompt_tokens\": 0, "
                    "\"total_tokens\": 0}}\n");
}

static void answer_embeddings(struct worker *worker, const struct request *request,
                              struct response *response)
{
    json_t *root = NULL, *one = NULL;
    struct embeddings_request wanted = {.format = FORMAT_FLOAT};
    struct embedded_vectors vectors = {.values = NULL};
    size_t dim = film_dim(worker->generation->model);
    if (fields_read(request, embeddings_fields, &wanted, &root, response)) {
        if (json_is_string(wanted.input)) wanted.input = one = json_pack("[O]", wanted.input);
        if (!wanted.input)
            response_error(response, 400, "input is missing: \"a sentence\" or a list of them");
        else if (!dim)
            response_error(response, 400, "the model has no vectors (method tfidf)");
        else if (wanted.dimensions && wanted.dimensions != dim)
            response_error(response, 400, "dimensions must be %zu, the length of the vectors", dim);
        else if (compute_vectors(worker, wanted.input, "input", &vectors, response))
            write_embeddings(&response->body, &vectors, wanted.format);
    }
    free(vectors.values);
    json_decref(one);
    json_decref(root);
}

const struct route embed_routes[] = {
    {.method = METHOD_POST,
     .path = "/v1/embed",
     .summary = "Return the vectors of sentences",
     .fields = embed_fields,
     .answer = answer_embed,
     .batch = 1},
    {.method = METHOD_POST,
     .path = "/v1/embeddings",
     .summary = "Return vectors in the protocol of OpenAI's clients",
     .fields = embeddings_fields,
     .answer = answer_embeddings,
     .batch = 1},
    {.path = NULL}};
