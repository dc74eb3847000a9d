/* Fuzzes the body of a request: the response is JSON, either an error with a message or the result.
 * The first byte selects the path. No sockets are needed: a request is a function's argument. */
#include "server/route.h"
#include "server/service.h"

#include "film_train.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition) abort();
}

static struct service service;
static struct worker *worker;
static char paths[2][100];

static void remove_files(void)
{
    char log[120];
    service_close(&service);
    for (int i = 0; i < 2; i++) unlink(paths[i]);
    snprintf(log, sizeof log, "%s-wal", paths[1]);
    unlink(log);
    snprintf(log, sizeof log, "%s-shm", paths[1]);
    unlink(log);
}

/* A pool of a few questions with a small model, in a file system in memory. */
static void start(void)
{
    const char *file = FILM_ROOT "/examples/faq/questions.tsv";
    film_error error;
    film_train_options options;
    film_model *model = NULL;
    film_sentence sentence = {.id = film_string("one"), .text = film_string("where is my card")};
    film_pool *pool = NULL;
    struct service_options serving = {
        .read_only = 0, .threads = 1, .limits = {.body = 1 << 20, .texts = 50, .pool = 200}};
    snprintf(paths[0], sizeof paths[0], "/dev/shm/film-fuzz-%ld.film", (long)getpid());
    snprintf(paths[1], sizeof paths[1], "/dev/shm/film-fuzz-%ld.pool", (long)getpid());
    options = (film_train_options){.size = sizeof options};
    options.method = FILM_METHOD_SVD;
    options.rank = 8;
    options.threads = 1;
    require(film_train(&file, 1, &options, &model, &error) == FILM_OK);
    require(film_save(model, paths[0], &error) == FILM_OK);
    film_close(model);
    unlink(paths[1]);
    require(film_pool_create(paths[1], paths[0], &error) == FILM_OK);
    require(film_pool_open(paths[1], &pool, &error) == FILM_OK);
    require(film_pool_add(pool, &sentence, 1, NULL, NULL, &error) == FILM_OK);
    film_pool_close(pool);
    serving.path = paths[1];
    require(service_open(&service, &serving, &error) == FILM_OK);
    worker = service_worker(&service);
    require(worker != NULL);
    atexit(remove_files);
}

static const struct {
    int method;
    const char *path;
} targets[] = {
    {METHOD_POST, "/v1/match"},  {METHOD_POST, "/v1/predict"}, {METHOD_POST, "/v1/search"},
    {METHOD_POST, "/v1/embed"},  {METHOD_POST, "/v1/dedup"},   {METHOD_POST, "/v1/pool"},
    {METHOD_DELETE, "/v1/pool"}, {METHOD_POST, "/v1/explain"}, {METHOD_POST, "/v1/edit"}};
enum { TARGETS = sizeof targets / sizeof *targets };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct response response;
    if (!worker) start();
    if (size == 0) return 0;
    size_t target = (size_t)(data[0] - '0') % TARGETS;
    struct request request = {.method = targets[target].method,
                              .path = targets[target].path,
                              .content_type = "application/json",
                              .body = {(const char *)data + 1, size - 1}};
    service_answer(worker, &request, &response);
    film_text content = response_content(&response);
    json_t *answer = json_loadb(content.bytes, content.length, 0, NULL);
    require(json_is_object(answer));
    const char *message =
        json_string_value(json_object_get(json_object_get(answer, "error"), "message"));
    require((response.status == 200) == (message == NULL));
    require(!message || (*message && !strchr(message, '\n')));
    json_decref(answer);
    response_free(&response);
    return 0;
}
