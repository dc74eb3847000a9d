/* Handles /v1/edit: edits a copy of the pool's model, lists the known pairs whose verdict changes,
 * and on request gives the copy to the pool. The reload that follows serves it. */
#include "fields.h"
#include "film_explain.h"
#include "private_file.h"
#include "route.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_EDITS = 100, MOST_CHANGES = 100, CHUNK = 512 };

struct edit_request {
    const json_t *list;
    film_text reason;
    int save;
};

struct edit_item {
    film_text what;
    int action;
    double weight;
};

static const struct field item_fields[] = {
    {.name = "what", .kind = FIELD_TEXT, .at = offsetof(struct edit_item, what)},
    {.name = "action",
     .kind = FIELD_WORD,
     .at = offsetof(struct edit_item, action),
     .words = "set|add|remove"},
    {.name = "weight", .kind = FIELD_NUMBER, .at = offsetof(struct edit_item, weight)},
    {.name = NULL}};

/* ---- Known pairs: those of the model, and the labels of the pool ---- */

struct known_pairs {
    film_text *a, *b; /* copies */
    int *same;
    size_t count, capacity;
    int failed; /* out of memory */
};

static void known_free(struct known_pairs *known)
{
    for (size_t i = 0; i < known->count; i++) {
        free((char *)(uintptr_t)known->a[i].bytes);
        free((char *)(uintptr_t)known->b[i].bytes);
    }
    free(known->a);
    free(known->b);
    free(known->same);
}

static film_text copy_of(film_text text)
{
    char *bytes = malloc(text.length + 1);
    if (bytes) memcpy(bytes, text.bytes, text.length);
    return (film_text){bytes, text.length};
}

static int grow_known(struct known_pairs *known)
{
    size_t room = known->capacity ? 2 * known->capacity : 64;
    void *a = realloc(known->a, room * sizeof *known->a);
    if (a) known->a = a;
    void *b = realloc(known->b, room * sizeof *known->b);
    if (b) known->b = b;
    void *same = realloc(known->same, room * sizeof *known->same);
    if (same) known->same = same;
    if (a && b && same) known->capacity = room;
    return a && b && same;
}

static int add_known(struct known_pairs *known, film_text a, film_text b, int same)
{
    if (known->count == known->capacity && !grow_known(known)) {
        known->failed = 1;
        return 1;
    }
    film_text *at[2] = {&known->a[known->count], &known->b[known->count]};
    *at[0] = copy_of(a);
    *at[1] = copy_of(b);
    known->same[known->count++] = same;
    known->failed = !at[0]->bytes || !at[1]->bytes;
    return known->failed;
}

static int take_labelled(void *user, const film_pair *pair)
{
    return add_known(user, pair->a, pair->b, pair->label >= 0.5);
}

static film_status read_known(struct worker *worker, struct known_pairs *known, film_error *error)
{
    film_status status = FILM_OK;
    const film_model *model = worker->generation->model;
    for (size_t i = 0; i < film_example_count(model) && status == FILM_OK; i++) {
        film_example example;
        status = film_example_at(model, i, &example, error);
        if (status == FILM_OK) add_known(known, example.a, example.b, example.same);
    }
    if (status == FILM_OK)
        status = film_pool_labelled_pairs(worker->generation->pool, take_labelled, known, error);
    if (known->failed) {
        snprintf(error->message, sizeof error->message, "out of memory");
        return error->status = FILM_NO_MEMORY;
    }
    return status;
}

/* ---- The response ---- */

static void write_change(struct bytes *out, const struct known_pairs *known, size_t i,
                         const film_verdict *before, const film_verdict *after)
{
    bytes_text(out, "{\"a\": ");
    bytes_record(out, known->a[i]);
    bytes_text(out, ", \"b\": ");
    bytes_record(out, known->b[i]);
    bytes_text(out, ", \"label\": ");
    bytes_flag(out, known->same[i]);
    bytes_text(out, ", \"same_before\": ");
    bytes_flag(out, before->same);
    bytes_text(out, ", \"probability_before\": ");
    bytes_real(out, before->probability);
    bytes_text(out, ", \"same\": ");
    bytes_flag(out, after->same);
    bytes_text(out, ", \"probability\": ");
    bytes_real(out, after->probability);
    bytes_text(out, "}");
}

/* Writes the known pairs whose verdict changes, and counts them. */
static film_status write_changes(struct worker *worker, const film_model *edited,
                                 const struct known_pairs *known, struct bytes *out,
                                 film_error *error)
{
    static const film_answer_options options = {.size = sizeof options, .threads = 1};
    film_verdict before[CHUNK], after[CHUNK];
    film_status status = FILM_OK;
    size_t changed = 0;
    bytes_text(out, "\"changed\": [");
    for (size_t i = 0; i < known->count && status == FILM_OK; i += CHUNK) {
        size_t some = known->count - i < CHUNK ? known->count - i : CHUNK;
        status = worker_cancelled(worker)
                     ? FILM_CANCELLED
                     : film_match_batch(worker->generation->model, known->a + i, known->b + i, some,
                                        &options, before, error);
        if (status == FILM_OK)
            status =
                film_match_batch(edited, known->a + i, known->b + i, some, &options, after, error);
        for (size_t k = 0; k < some && status == FILM_OK; k++) {
            if (before[k].same == after[k].same || changed++ >= MOST_CHANGES) continue;
            bytes_text(out, changed > 1 ? ", " : "");
            write_change(out, known, i + k, &before[k], &after[k]);
        }
    }
    bytes_format(out, "], \"changes\": %zu, \"checked\": %zu", changed, known->count);
    return status;
}

/* ---- Editing ---- */

static int read_items(const json_t *list, struct edit_item *items, size_t *count,
                      struct response *response)
{
    *count = json_array_size(list);
    if (!*count) return response_error(response, 400, "edits is missing: [{\"what\": ...}, ...]");
    if (!fields_not_many(*count, MOST_EDITS, "edits", response)) return 0;
    for (size_t i = 0; i < *count; i++) {
        char where[40];
        const json_t *item = json_array_get(list, i);
        snprintf(where, sizeof where, "edits[%zu].", i);
        items[i] = (struct edit_item){.what = {NULL, 0}};
        if (!json_is_object(item))
            return response_error(response, 400, "edits[%zu] must be {\"what\": ...}", i);
        if (!fields_of(item, where, item_fields, &items[i], response)) return 0;
        if (!items[i].what.bytes || strlen(items[i].what.bytes) != items[i].what.length)
            return response_error(response, 400, "edits[%zu].what is missing", i);
    }
    return 1;
}

static film_status edit_copy(film_model *model, const struct edit_item *items, size_t count,
                             film_text reason, film_error *error)
{
    film_status status = FILM_OK;
    char date[16] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts)) strftime(date, sizeof date, "%Y-%m-%d", &parts);
    for (size_t i = 0; i < count && status == FILM_OK; i++) {
        film_edit edit = {.size = sizeof edit,
                          .action = (film_edit_action)items[i].action,
                          .what = items[i].what.bytes,
                          .weight = items[i].weight,
                          .reason = reason.bytes,
                          .date = date};
        status = film_edit_model(model, &edit, error);
    }
    return status;
}

/* A copy of the model, in a file of its own. */
struct model_copy {
    struct private_file file;
    film_model *model;
};

static film_status open_copy(const struct worker *worker, struct model_copy *copy,
                             film_error *error)
{
    film_status status = private_file_create(&copy->file, "model.film", error);
    if (status == FILM_OK) status = film_save(worker->generation->model, copy->file.path, error);
    if (status == FILM_OK) status = film_open_private(copy->file.path, &copy->model, error);
    return status == FILM_OK
               ? film_set_arithmetic(copy->model, worker->service->options.arithmetic, error)
               : status;
}

static void close_copy(struct model_copy *copy)
{
    film_close(copy->model);
    private_file_remove(&copy->file);
}

static film_status save_copy(struct worker *worker, struct model_copy *copy, film_error *error)
{
    film_progress progress = worker_progress(worker);
    film_status status = film_save(copy->model, copy->file.path, error);
    if (status != FILM_OK) return status;
    pthread_mutex_lock(&worker->service->writing);
    status = film_pool_update(worker->generation->pool, copy->file.path,
                              worker->service->options.threads, &progress, NULL, error);
    pthread_mutex_unlock(&worker->service->writing);
    return status;
}

static const struct field edit_fields[] = {
    {.name = "edits", .kind = FIELD_LIST, .at = offsetof(struct edit_request, list)},
    {.name = "reason", .kind = FIELD_TEXT, .at = offsetof(struct edit_request, reason)},
    {.name = "save", .kind = FIELD_FLAG, .at = offsetof(struct edit_request, save)},
    {.name = NULL}};

static void edit_pool(struct worker *worker, const struct edit_request *wanted,
                      struct response *response)
{
    static _Thread_local struct edit_item items[MOST_EDITS];
    film_error error;
    size_t count;
    struct model_copy copy = {.model = NULL};
    struct known_pairs known = {.count = 0};
    struct bytes *out = &response->body;
    if (!read_items(wanted->list, items, &count, response)) return;
    film_status status = open_copy(worker, &copy, &error);
    if (status == FILM_OK) status = edit_copy(copy.model, items, count, wanted->reason, &error);
    if (status == FILM_OK) status = read_known(worker, &known, &error);
    if (status == FILM_OK) bytes_text(out, "{");
    if (status == FILM_OK) status = write_changes(worker, copy.model, &known, out, &error);
    if (status == FILM_OK && wanted->save) status = save_copy(worker, &copy, &error);
    if (status == FILM_OK) {
        bytes_text(out, ", \"saved\": ");
        bytes_flag(out, wanted->save);
        bytes_text(out, "}\n");
    } else {
        response_failure(response, status, &error);
    }
    known_free(&known);
    close_copy(&copy);
}

static void answer_edit(struct worker *worker, const struct request *request,
                        struct response *response)
{
    json_t *root = NULL;
    struct edit_request wanted = {.list = NULL};
    if (fields_read(request, edit_fields, &wanted, &root, response))
        edit_pool(worker, &wanted, response);
    json_decref(root);
}

const struct route edit_routes[] = {
    {.method = METHOD_POST,
     .path = "/v1/edit",
     .summary = "Edit the pool's model, or list the known pairs whose verdict would change",
     .fields = edit_fields,
     .answer = answer_edit,
     .batch = 1,
     .needs_pool = 1,
     .writes = 1},
    {.path = NULL}};
