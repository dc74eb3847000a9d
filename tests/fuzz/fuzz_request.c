/* Fuzzes the body of a request: the response is JSON, either an error with a message or the result.
 * The first byte selects the path. No sockets are needed: a request is a function's argument. The
 * limits are low, because an execution with fewer and shorter sentences takes less time. */
#include "film_explain.h"
#include "served.h"

#include <jansson.h>

static struct worker *worker;
static size_t input_size;

film_status __real_film_explain_reversals(film_context *context, double threshold,
                                          film_explanation *why, film_error *error);
film_status __wrap_film_explain_reversals(film_context *context, double threshold,
                                          film_explanation *why, film_error *error);

/* It judges up to 200 edited pairs, which took most of the time. An explanation is complete without
 * it. */
film_status __wrap_film_explain_reversals(film_context *context, double threshold,
                                          film_explanation *why, film_error *error)
{
    if (!chosen(input_size, 16, 0)) return FILM_OK;
    return __real_film_explain_reversals(context, threshold, why, error);
}

static void start(void)
{
    served_start(&(struct service_options){.threads = 1,
                                           .limits = {.body = 1 << 20, .texts = 8, .pool = 12}});
    worker = service_worker(&service);
    require(worker != NULL);
}

static const struct {
    int method;
    const char *path;
} targets[] = {
    {METHOD_POST, "/v1/match"},        {METHOD_POST, "/v1/predict"},  {METHOD_POST, "/v1/search"},
    {METHOD_POST, "/v1/embed"},        {METHOD_POST, "/v1/dedup"},    {METHOD_POST, "/v1/pool"},
    {METHOD_DELETE, "/v1/pool"},       {METHOD_POST, "/v1/explain"},  {METHOD_POST, "/v1/edit"},
    {METHOD_POST, "/v1/classify"},     {METHOD_POST, "/v1/labels"},   {METHOD_DELETE, "/v1/labels"},
    {METHOD_POST, "/v1/threshold"},    {METHOD_POST, "/v1/clusters"}, {METHOD_POST, "/v1/learn"},
    {METHOD_POST, "/v1/learn/restore"}};
enum { TARGETS = sizeof targets / sizeof *targets };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct response response;
    if (!worker) start();
    if (size == 0) return 0;
    input_size = size;
    size_t target = (size_t)(data[0] - '0') % TARGETS;
    struct request request = {.method = targets[target].method,
                              .path = targets[target].path,
                              .content_type = "application/json",
                              .longest = 32,
                              .body = {(const char *)data + 1, size - 1}};
    service_answer(worker, &request, &response);
    film_text content = response_content(&response);
    json_t *answer = json_loadb(content.bytes, content.length, 0, NULL);
    require(json_is_object(answer));
    const char *message =
        json_string_value(json_object_get(json_object_get(answer, "error"), "message"));
    require((response.status == 200 || response.status == 202) == (message == NULL));
    require(!message || (*message && !strchr(message, '\n')));
    json_decref(answer);
    response_free(&response);
    return 0;
}
