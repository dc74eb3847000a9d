/* Handles requests about the server itself: /v1/model, /healthz, /metrics, /report and the files of
 * the web page. */
#include "assets.h"
#include "route.h"

#include <stdlib.h>
#include <string.h>

static void write_limits(struct bytes *out, const struct service_options *options)
{
    const struct service_limits *limits = &options->limits;
    bytes_format(out,
                 "{\"body\": %zu, \"buffer\": %zu, \"texts\": %zu, \"sentence\": %zu, "
                 "\"header\": %zu, \"connections\": %zu, \"queue\": %zu, \"timeout\": %g, "
                 "\"deadline\": %g, \"pool\": ",
                 limits->body, limits->buffer, limits->texts, limits->sentence, limits->header,
                 limits->connections, limits->queue, limits->timeout, limits->deadline);
    if (limits->pool)
        bytes_format(out, "%zu", limits->pool);
    else
        bytes_text(out, "null");
    bytes_text(out, ", \"read_only\": ");
    bytes_flag(out, options->read_only);
    bytes_text(out, "}");
}

static void answer_model(struct worker *worker, const struct request *request,
                         struct response *response)
{
    struct bytes *out = &response->body;
    const struct generation *generation = worker->generation;
    film_error error;
    char *pool = NULL;
    (void)request;
    if (generation->pool) {
        film_status status = film_pool_describe_json(generation->pool, &pool, &error);
        if (status != FILM_OK) {
            response_failure(response, status, &error);
            return;
        }
    }
    bytes_text(out, "{\"version\": ");
    bytes_string(out, film_string(film_version()));
    bytes_text(out, ", \"model\": ");
    bytes_text(out, generation->about ? generation->about : "null");
    bytes_text(out, ", \"pool\": ");
    bytes_text(out, pool ? pool : "null");
    bytes_text(out, ", \"limits\": ");
    write_limits(out, &worker->service->options);
    bytes_text(out, ", \"report\": ");
    bytes_flag(out, generation->report != NULL);
    bytes_text(out, "}\n");
    film_free(pool);
}

static void answer_health(struct worker *worker, const struct request *request,
                          struct response *response)
{
    (void)worker;
    (void)request;
    bytes_text(&response->body, "{\"status\": \"ok\"}\n");
}

static void answer_metrics(struct worker *worker, const struct request *request,
                           struct response *response)
{
    (void)request;
    response->type = "text/plain; version=0.0.4; charset=utf-8";
    metrics_write(worker, &response->body);
}

/* A report contains its own scripts and styles. The policy keeps it from loading anything else,
 * even from this server. */
static void answer_report(struct worker *worker, const struct request *request,
                          struct response *response)
{
    const struct generation *generation = worker->generation;
    (void)request;
    if (!generation->report) {
        response_error(response, 404,
                       "no report; create one with film report and start the server with "
                       "--report FILE");
        return;
    }
    response->type = "text/html; charset=utf-8";
    response->policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
                       "img-src data: blob:; base-uri 'none'; form-action 'none'; "
                       "frame-ancestors 'self'; sandbox allow-scripts allow-downloads";
    bytes_append(&response->body, generation->report, generation->report_length);
}

void answer_asset(struct worker *worker, const struct request *request, struct response *response)
{
    const struct asset *asset = assets_find(request->path);
    (void)worker;
    response->type = asset->type;
    response->etag = asset->etag;
    response->policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; frame-src 'self' blob:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'";
    if (request->if_none_match && strstr(request->if_none_match, asset->etag)) {
        response->status = 304;
        response->type = NULL;
    } else {
        response->lasting = asset->content;
    }
}

const struct route about_routes[] = {{.method = METHOD_GET,
                                      .path = "/v1/model",
                                      .summary = "Describe the model, the pool and the limits",
                                      .answer = answer_model,
                                      .bare = 1},
                                     {.method = METHOD_GET,
                                      .path = "/healthz",
                                      .summary = "Health check",
                                      .answer = answer_health,
                                      .open = 1},
                                     {.method = METHOD_GET,
                                      .path = "/metrics",
                                      .summary = "Metrics in Prometheus text format",
                                      .answer = answer_metrics,
                                      .bare = 1},
                                     {.method = METHOD_GET,
                                      .path = "/report",
                                      .summary = "The report passed with --report",
                                      .answer = answer_report,
                                      .bare = 1},
                                     {.path = NULL}};
