/* film serve: parses the options, reads the token and starts the server. */
#include "cli.h"
#include "json.h"
#include "server/route.h"
#include "server/serve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TOKEN_LEAST = 16, TOKEN_MOST = 500 };

/* Reads the token from the first line of the file, or from the environment. It is never an argument
 * because every user of the machine can read those. *OUT stays NULL without a token. */
static film_status read_token_file(const char *path, char token[TOKEN_MOST + 2], const char **out,
                                   film_error *error)
{
    const char *given = getenv("FILM_TOKEN");
    if (path) {
        FILE *file = fopen(path, "r");
        if (!file) {
            snprintf(error->message, sizeof error->message, "cannot open %s: %s", path,
                     strerror(errno));
            return FILM_IO;
        }
        if (!fgets(token, TOKEN_MOST + 2, file)) token[0] = 0;
        fclose(file);
    } else if (given) {
        snprintf(token, TOKEN_MOST + 2, "%s", given);
    } else {
        return FILM_OK;
    }
    token[strcspn(token, "\r\n")] = 0;
    size_t length = strlen(token);
    for (const char *at = token; *at; at++)
        if (*at <= ' ' || *at > '~') length = 0;
    *out = token;
    if (length >= TOKEN_LEAST && length <= TOKEN_MOST) return FILM_OK;
    snprintf(error->message, sizeof error->message,
             "%s: a token must have %d to %d characters without spaces; create one with openssl "
             "rand -hex 32",
             path ? path : "FILM_TOKEN", TOKEN_LEAST, TOKEN_MOST);
    return FILM_USAGE;
}

struct values {
    struct serve_options serving;
    struct option_texts origins;
    const char *token_file;
};

static const struct option options[] = {
    {.name = "listen",
     .letter = 'l',
     .kind = OPTION_TEXT,
     .at = offsetof(struct values, serving.listen),
     .argument = "HOST:PORT",
     .help = "address to listen on; port 0: any free port",
     .fallback = "127.0.0.1:8080",
     .proposals = "127.0.0.1:8080 [::1]:8080"},
    {.name = "token-file",
     .kind = OPTION_FILE,
     .at = offsetof(struct values, token_file),
     .argument = "FILE",
     .help = "require the token in this file (or in FILM_TOKEN)"},
    {.name = "allow-origin",
     .kind = OPTION_TEXTS,
     .at = offsetof(struct values, origins),
     .argument = "ORIGIN",
     .help = "allow cross-origin requests from ORIGIN; may be repeated"},
    {.name = "read-only",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, serving.service.read_only),
     .help = "reject changes to the pool"},
    {.name = "new",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, serving.service.fresh),
     .help = "if POOL does not exist: build it from a table that the page takes"},
    {.name = "start",
     .kind = OPTION_FILE,
     .at = offsetof(struct values, serving.service.start),
     .argument = "MODEL",
     .help = "build the pool of --new, and learn, from this model of other data"},
    {.name = "learn-after",
     .kind = OPTION_COUNT,
     .at = offsetof(struct values, serving.service.learn_after),
     .argument = "N",
     .help = "learn after N new labels and a tenth of all; 0: on request",
     .fallback = "50"},
    {.name = "words",
     .kind = OPTION_FILE,
     .at = offsetof(struct values, serving.service.words),
     .argument = "FILE",
     .help = "also know these words (as film train --words); SIGHUP reads the file again"},
    {.name = "report",
     .kind = OPTION_FILE,
     .at = offsetof(struct values, serving.service.report),
     .argument = "FILE",
     .help = "serve this HTML file at /report"},
    ENCODER_OPTIONS(struct values, serving.service.arithmetic),
    {.name = "log",
     .kind = OPTION_FILE,
     .at = offsetof(struct values, serving.log),
     .argument = "FILE",
     .help = "access log, a JSON line per request; -: standard output"},
    {.name = "log-text",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, serving.log_text),
     .help = "log the sentences too"},
    {.name = "max-body",
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, serving.service.limits.body),
     .argument = "BYTES",
     .help = "maximum size of a request body",
     .fallback = "8388608"},
    {.name = "max-buffer",
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, serving.service.limits.buffer),
     .argument = "BYTES",
     .help = "memory for all bodies and responses, at least 2 x --max-body",
     .fallback = "134217728"},
    {.name = "max-header",
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, serving.service.limits.header),
     .argument = "BYTES",
     .help = "maximum size of a request header",
     .fallback = "8192"},
    {.name = "max-texts",
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, serving.service.limits.texts),
     .argument = "N",
     .help = "maximum sentences or pairs per request",
     .fallback = "10000"},
    {.name = "max-sentence",
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, serving.service.limits.sentence),
     .argument = "BYTES",
     .help = "maximum size of a sentence, or any other string, in a request",
     .fallback = "65536"},
    {.name = "max-pool",
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, serving.service.limits.pool),
     .argument = "N",
     .help = "maximum sentences in the pool",
     .fallback = "no limit"},
    {.name = "max-connections",
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, serving.service.limits.connections),
     .argument = "N",
     .help = "maximum concurrent connections",
     .fallback = "1000"},
    {.name = "max-queue",
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, serving.service.limits.queue),
     .argument = "N",
     .help = "maximum requests that wait for a thread, in each of three queues",
     .fallback = "64"},
    {.name = "deadline",
     .kind = OPTION_POSITIVE,
     .at = offsetof(struct values, serving.service.limits.deadline),
     .argument = "SECONDS",
     .help = "time limit to compute a response",
     .fallback = "60"},
    {.name = "timeout",
     .kind = OPTION_POSITIVE,
     .at = offsetof(struct values, serving.service.limits.timeout),
     .argument = "SECONDS",
     .help = "time limit to receive a request and to send its response",
     .fallback = "30"},
    THREADS_OPTION(struct values, serving.service.threads),
    END_OF_OPTIONS};

static void prepare(void *given)
{
    serve_defaults(&((struct values *)given)->serving);
}

static int run(const struct command *command, void *given)
{
    struct values *values = given;
    struct service_options *service = &values->serving.service;
    char token[TOKEN_MOST + 2];
    film_error error = {0};
    if (service->threads == 0) service->threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    service->path = command->words[0];
    if (service->fresh && film_pool_is_uri(service->path))
        return usage_error(command->verb, "--new needs the name of a file");
    if (service->arithmetic && !service->read_only &&
        (service->fresh || is_pool_file(service->path)))
        return usage_error(command->verb,
                           "a pool stores vectors as its model was trained; with --round or "
                           "--no-round, pass --read-only");
    film_status status = read_token_file(values->token_file, token, &service->token, &error);
    if (status != FILM_OK) return report(status, &error);
    service->origins = values->origins.item;
    service->origin_count = values->origins.count;
    values->serving.quiet = command->quiet;
    json_set_alloc_funcs(allocate_or_reserve, free); /* a failure is the response to one request */
    status = serve(&values->serving, &error);
    return report(status, &error);
}

/* The routes of the server, for --describe. */
static void describe_routes(void *object)
{
    json_t *list = json_array();
    const struct route *route;
    for (size_t i = 0; (route = route_at(i)); i++) {
        json_t *about = json_pack(
            "{s:s, s:s, s:s, s:b, s:b, s:b, s:b, s:b, s:b}", "method",
            route_method_name(route->method), "path", route->path, "summary", route->summary,
            "open", route->open, "slow", route->slow || route->batch, "needs_pool",
            route->needs_pool, "writes", route->writes, "bare", route->bare, "table", route->table);
        json_t *fields = json_array();
        for (const struct field *field = route->fields; field && field->name; field++)
            json_array_append_new(fields, json_string(field->name));
        if (route->fields) json_object_set(about, "fields", fields);
        json_decref(fields);
        json_array_append_new(list, about);
    }
    json_object_set_new(object, "routes", list);
}

const struct verb verb_serve = {
    VERB_SERVE,
    .arguments = "MODEL|POOL [--new] [--listen HOST:PORT] [options]",
    .page = "docs/reference/http.md",
    .min_words = 1,
    .max_words = 1,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .describe = describe_routes,
    .details =
        "Open http://127.0.0.1:8080 in a browser, or send a request:\n"
        "  curl -H 'Content-Type: application/json' -d '{\"a\": \"I lost my card\", \"b\": \"what "
        "if my card is lost?\"}' \\\n"
        "    http://127.0.0.1:8080/v1/match\n"
        "docs/reference/http.md and /openapi.json describe the API. SIGHUP reloads the file and "
        "reopens the "
        "log\n"
        "without dropping requests. SIGTERM or Ctrl-C finishes running requests and stops.\n"
        "An address other than loopback requires a token.\n\n"
        "example:\n"
        "  film serve faq.pool --listen 127.0.0.1:8080 --log requests.log\n"};
