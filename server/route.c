/* Finds the handler of a request, and rejects requests before a handler runs (token, host, method,
 * content type, missing pool). */
#include "route.h"
#include "assets.h"

#include <string.h>
#include <strings.h>

/* Each file with handlers has a table of its routes. */
static const struct route *const tables[] = {
    match_routes, embed_routes,     classify_routes, pool_routes,  review_routes, learn_routes,
    start_routes, threshold_routes, clusters_routes, dedup_routes, edit_routes,   about_routes};
enum { TABLES = sizeof tables / sizeof *tables };
static const struct route asset_route = {.method = METHOD_GET, .answer = answer_asset, .open = 1};

const struct route *route_at(size_t number)
{
    for (size_t i = 0; i < TABLES; i++)
        for (const struct route *route = tables[i]; route->path; route++)
            if (number-- == 0) return route;
    return NULL;
}

const char *route_method_name(int method)
{
    return method == METHOD_GET ? "GET" : method == METHOD_POST ? "POST" : "DELETE";
}

const struct route *route_find(int method, const char *path)
{
    const struct route *route;
    for (size_t i = 0; (route = route_at(i)); i++)
        if (route->method == method && strcmp(route->path, path) == 0) return route;
    return method == METHOD_GET && assets_find(path) ? &asset_route : NULL;
}

/* Paths without their own counters are counted as "page" or "other". */
enum { NUMBER_OF_PAGE, NUMBER_OF_OTHERS, FIRST_NUMBER };

size_t route_number(const char *path)
{
    const struct route *route;
    for (size_t i = 0; (route = route_at(i)) && i + FIRST_NUMBER < METRICS_ENDPOINTS; i++)
        if (strcmp(route->path, path) == 0) return i + FIRST_NUMBER;
    return assets_find(path) ? NUMBER_OF_PAGE : NUMBER_OF_OTHERS;
}

const char *route_path(size_t number)
{
    if (number == NUMBER_OF_PAGE) return "page";
    if (number == NUMBER_OF_OTHERS) return "other";
    const struct route *route = route_at(number - FIRST_NUMBER);
    return route && number < METRICS_ENDPOINTS ? route->path : NULL;
}

/* ---- access ---- */

/* Compares in constant time, so that the duration reveals nothing about the token. */
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

/* Guards against DNS rebinding: a foreign page can make a browser send requests to this machine,
 * but the Host header then has a foreign name. */
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

/* Returns the methods of a path; NULL: unknown path. */
static const char *methods_of(const char *path)
{
    int get = route_find(METHOD_GET, path) != NULL, post = route_find(METHOD_POST, path) != NULL;
    if (get) return post ? "GET, HEAD, POST, OPTIONS" : "GET, HEAD, OPTIONS";
    if (post && route_find(METHOD_DELETE, path)) return "POST, DELETE, OPTIONS";
    return post ? "POST, OPTIONS" : NULL;
}

static int is_json(const char *type)
{
    static const char json[] = "application/json";
    size_t length = sizeof json - 1;
    return type && strncasecmp(type, json, length) == 0 && strchr("; ", type[length]);
}

/* A page of another origin cannot send these types without asking first. */
static int is_table(const char *type)
{
    static const char *const types[] = {"text/csv", "text/tab-separated-values"};
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++) {
        size_t length = strlen(types[i]);
        if (strncasecmp(type, types[i], length) == 0 && strchr("; ", type[length])) return 1;
    }
    return 0;
}

/* ---- dispatch ---- */

static void no_route(const struct request *request, struct response *response)
{
    response->allow = methods_of(request->path);
    if (!response->allow)
        response_error(response, 404, "not found; /openapi.json lists all paths");
    else if (request->method == METHOD_OPTIONS)
        response->status = 204;
    else
        response_error(response, 405, "method not allowed; allowed: %s", response->allow);
}

static int is_allowed(const struct service_options *options, const struct route *route,
                      const struct request *request, struct response *response)
{
    if (!route->open && !has_token(options, request)) {
        response->challenge = 1;
        return response_error(response, 401,
                              "missing or wrong token; send the server's token in the header "
                              "Authorization: Bearer TOKEN");
    }
    if (route->writes && options->read_only)
        return response_error(response, 403, "the pool is read-only (--read-only)");
    if (route->table)
        return is_table(request->content_type) ||
               response_error(response, 415,
                              "unsupported content type; send Content-Type: text/csv or "
                              "text/tab-separated-values");
    if (route->method != METHOD_GET && !is_json(request->content_type))
        return response_error(response, 415,
                              "unsupported content type; send Content-Type: application/json");
    return 1;
}

const struct route *route_admit(const struct service_options *options,
                                const struct request *request, struct response *response)
{
    const struct route *route = route_find(request->method, request->path);
    response->type = "application/json";
    response->policy = "default-src 'none'; frame-ancestors 'none'";
    response->origin = allowed_origin(options, request->origin);
    response->preflight = response->origin && request->method == METHOD_OPTIONS;
    if (options->local && request->host && !is_local_name(request->host))
        response_error(response, 421,
                       "wrong Host header; this server is reachable as localhost only");
    else if (!route)
        no_route(request, response);
    else if (is_allowed(options, route, request, response))
        return route;
    return NULL;
}

void route_answer(struct worker *worker, const struct request *request, struct response *response)
{
    const struct route *route = route_admit(&worker->service->options, request, response);
    response->model = worker->generation->model;
    if (route && !route->bare && !route->open && !worker->generation->model)
        response_error(response, 409, "there is no pool yet; send a table to POST /v1/start");
    else if (route && route->needs_pool && !worker->generation->pool)
        response_error(response, 409,
                       "this request needs a pool; start the server with one: film serve POOL");
    else if (route)
        route->answer(worker, request, response);
}
