/* Handles learning from the labels of a pool: its state (GET /v1/learn), a start on demand (POST
 * /v1/learn) and the earlier model (POST /v1/learn/restore). background.c does the work. */
#include "fields.h"
#include "route.h"

#include <string.h>

static const char *const work_names[] = {[WORK_NONE] = "idle",
                                         [WORK_LEARN] = "learning",
                                         [WORK_RESTORE] = "restoring",
                                         [WORK_START] = "idle",
                                         [WORK_WRITING] = "idle"};

/* Writes the state, followed by the members of film_pool_models. */
static void write_learning(struct worker *worker, struct response *response)
{
    struct bytes *out = &response->body;
    struct background *background = &worker->service->background;
    film_error error;
    char *models = NULL;
    film_status status = film_pool_models(worker->generation->pool, &models, &error);
    if (status != FILM_OK) {
        response_failure(response, status, &error);
        return;
    }
    pthread_mutex_lock(&background->lock);
    bytes_format(out,
                 "{\"state\": \"%s\", \"after\": %zu, \"problem\": ", work_names[background->work],
                 worker->service->options.learn_after);
    if (background->problem[0])
        bytes_string(out, film_string(background->problem));
    else
        bytes_text(out, "null");
    pthread_mutex_unlock(&background->lock);
    bytes_text(out, ", ");
    bytes_text(out, models + 1); /* without the brace */
    bytes_text(out, "\n");
    film_free(models);
}

static void answer_learning(struct worker *worker, const struct request *request,
                            struct response *response)
{
    (void)request;
    write_learning(worker, response);
}

static void request_work(struct worker *worker, enum background_work work, int force,
                         struct response *response)
{
    if (!background_request(&worker->service->background, work, force)) {
        response->retry = 1;
        response_error(response, 409,
                       "a model is being learned or restored; wait until the state "
                       "of GET /v1/learn is idle");
        return;
    }
    response->status = 202;
    write_learning(worker, response);
}

struct learn_request {
    int force;
};

static const struct field learn_fields[] = {
    {.name = "force", .kind = FIELD_FLAG, .at = offsetof(struct learn_request, force)},
    {.name = NULL}};

static void answer_learn(struct worker *worker, const struct request *request,
                         struct response *response)
{
    json_t *root = NULL;
    struct learn_request given = {.force = 0};
    if (fields_read(request, learn_fields, &given, &root, response))
        request_work(worker, WORK_LEARN, given.force, response);
    json_decref(root);
}

static const struct field restore_fields[] = {{.name = NULL}};

static void answer_restore(struct worker *worker, const struct request *request,
                           struct response *response)
{
    json_t *root = NULL;
    if (fields_read(request, restore_fields, NULL, &root, response))
        request_work(worker, WORK_RESTORE, 0, response);
    json_decref(root);
}

const struct route learn_routes[] = {{.method = METHOD_GET,
                                      .path = "/v1/learn",
                                      .summary = "Report the state of learning and the models",
                                      .answer = answer_learning,
                                      .slow = 1,
                                      .needs_pool = 1},
                                     {.method = METHOD_POST,
                                      .path = "/v1/learn",
                                      .summary = "Learn from the labels in the background",
                                      .fields = learn_fields,
                                      .answer = answer_learn,
                                      .slow = 1,
                                      .needs_pool = 1,
                                      .writes = 1},
                                     {.method = METHOD_POST,
                                      .path = "/v1/learn/restore",
                                      .summary = "Put the earlier model in service again",
                                      .fields = restore_fields,
                                      .answer = answer_restore,
                                      .slow = 1,
                                      .needs_pool = 1,
                                      .writes = 1},
                                     {.path = NULL}};
