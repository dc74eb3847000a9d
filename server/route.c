/* The table of endpoints, and what is refused before one is called: method, content type, token,
 * origin, host. */
#include "route.h"
#include "assets.h"

#include <string.h>
#include <strings.h>

static const struct route routes[] = {
    {METHOD_POST, "/v1/match", answer_match, 0, 0, 0, 0},
    {METHOD_POST, "/v1/predict", answer_predict, 0, 1, 0, 0},
    {METHOD_POST, "/v1/explain", answer_explain, 0, 1, 0, 0},
    {METHOD_POST, "/v1/search", answer_search, 0, 1, 1, 0},
    {METHOD_POST, "/v1/embed", answer_embed, 0, 1, 0, 0},
    {METHOD_POST, "/v1/dedup", answer_dedup, 0, 1, 0, 0},
    {METHOD_POST, "/v1/pool", answer_add, 0, 1, 1, 1},
    {METHOD_DELETE, "/v1/pool", answer_remove, 0, 1, 1, 1},
    {METHOD_GET, "/v1/model", answer_model, 0, 1, 0, 0},
    {METHOD_GET, "/healthz", answer_health, 1, 0, 0, 0},
    {METHOD_GET, "/metrics", answer_metrics, 0, 1, 0, 0},
    {METHOD_GET, "/report", answer_report, 0, 0, 0, 0},
};
enum { ROUTES = sizeof routes / sizeof *routes };
static const struct route asset_route = {METHOD_GET, NULL, answer_asset, 1, 0, 0, 0};

_Static_assert(ROUTES + 2 <= METRICS_ENDPOINTS, "every endpoint has its counters");

const struct route *route_find(int method, const char *path)
{
    for (size_t i = 0; i < ROUTES; i++)
        if (routes[i].method == method && strcmp(routes[i].path, path) == 0) return &routes[i];
    return method == METHOD_GET && assets_find(path) ? &asset_route : NULL;
}

size_t route_number(const char *path)
{
    for (size_t i = 0; i < ROUTES; i++)
        if (strcmp(routes[i].path, path) == 0) return i;
    return assets_find(path) ? ROUTES : ROUTES + 1;
}

const char *route_path(size_t number)
{
    if (number < ROUTES) return routes[number].path;
    return number == ROUTES ? "page" : number == ROUTES + 1 ? "other" : NULL;
}

/* ---- who may ask ---- */

/* Compares all of the token whatever the first difference, so that the time tells nothing of it. */
static int same_token(const char *token, const char *given)
{
    size_t length = strlen(token), given_length = strlen(given);
    unsigned difference = length != given_length;
    for (size_t i = 0; i < length; i++)
        difference |= (unsigned)((unsigned char)token[i] ^
                                 (unsigned char)(given_length ? given[i % given_length] : 0));
    return difference == 0;
}

static int has_token(const struct service_options *options, const struct request *request)
{
    static const char scheme[] = "Bearer ";
    const char *given = request->authorization;
    if (!options->token) return 1;
    return given && strncasecmp(given, scheme, sizeof scheme - 1) == 0 &&
           same_token(options->token, given + sizeof scheme - 1);
}

/* A page elsewhere can make a browser ask this machine under a name of its own; the Host header
 * tells. */
static int is_local_name(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncasecmp(host, names[i], length) == 0 && (!host[length] || host[length] == ':'))
            return 1;
    }
    return 0;
}

static const char *allowed_origin(const struct service_options *options, const char *origin)
{
    for (size_t i = 0; origin && i < options->origin_count; i++)
        if (strcmp(options->origins[i], origin) == 0) return options->origins[i];
    return NULL;
}

/* The methods of a path; NULL: it is unknown. */
static const char *methods_of(const char *path)
{
    int get = route_find(METHOD_GET, path) != NULL, post = route_find(METHOD_POST, path) != NULL;
    if (get) return "GET, HEAD, OPTIONS";
    if (post && route_find(METHOD_DELETE, path)) return "POST, DELETE, OPTIONS";
    return post ? "POST, OPTIONS" : NULL;
}

static int is_json(const char *type)
{
    static const char json[] = "application/json";
    size_t length = sizeof json - 1;
    return type && strncasecmp(type, json, length) == 0 && strchr("; ", type[length]);
}

/* ---- answering ---- */

static void no_route(const struct request *request, struct response *response)
{
    response->allow = methods_of(request->path);
    if (!response->allow)
        response_error(response, 404, "there is nothing here; /openapi.json lists what there is");
    else if (request->method == METHOD_OPTIONS)
        response->status = 204;
    else
        response_error(response, 405, "this method is not for this path; there are: %s",
                       response->allow);
}

static int may_be_asked(const struct worker *worker, const struct route *route,
                        const struct request *request, struct response *response)
{
    const struct service_options *options = &worker->service->options;
    if (!route->open && !has_token(options, request)) {
        response->challenge = 1;
        return response_error(response, 401,
                              "a token is needed: Authorization: Bearer TOKEN, the one the server "
                              "was started with");
    }
    if (route->pool && !worker->generation->pool)
        return response_error(response, 409,
                              "a bare model is served, and this needs a pool: film serve POOL");
    if (route->write && options->read_only)
        return response_error(response, 403, "the pool is served for reading only (--read-only)");
    if (route->method != METHOD_GET && !is_json(request->content_type))
        return response_error(response, 415,
                              "the body must be JSON: send Content-Type: application/json");
    return 1;
}

void route_answer(struct worker *worker, const struct request *request, struct response *response)
{
    const struct service_options *options = &worker->service->options;
    const struct route *route = route_find(request->method, request->path);
    response->type = "application/json";
    response->policy = "default-src 'none'; frame-ancestors 'none'";
    response->origin = allowed_origin(options, request->origin);
    response->preflight = response->origin && request->method == METHOD_OPTIONS;
    if (options->local && request->host && !is_local_name(request->host))
        response_error(response, 421, "this server answers to localhost only, not to this name");
    else if (!route)
        no_route(request, response);
    else if (may_be_asked(worker, route, request, response))
        route->answer(worker, request, response);
}
