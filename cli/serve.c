/* film serve: the options of the server. */
#include "cli.h"
#include "server/serve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TOKEN_LEAST = 16, TOKEN_MOST = 500 };

/* The first line of the file, or the environment's; never an argument, which everyone on the machine could
 * read. *OUT stays NULL where there is none. */
static film_status read_token(const char *path, char token[TOKEN_MOST + 2], const char **out,
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
             "%s: a token has %d to %d characters without spaces; openssl rand -hex 32 makes one",
             path ? path : "FILM_TOKEN", TOKEN_LEAST, TOKEN_MOST);
    return FILM_USAGE;
}

static int run(const struct verb *verb, int argc, char **argv)
{
    struct common common = {0};
    struct serve_options serving;
    struct option_texts origins = {.count = 0};
    const char *path[1], *token_file = NULL;
    char token[TOKEN_MOST + 2];
    serve_defaults(&serving);
    struct service_options *service = &serving.service;
    struct service_limits *limits = &service->limits;
    const struct option options[] = {
        {"listen", 'l', OPTION_TEXT, &serving.listen, "HOST:PORT",
         "where (default 127.0.0.1:8080; port 0: any free one)"},
        {"token-file", 0, OPTION_TEXT, &token_file, "FILE",
         "ask for this token; or FILM_TOKEN in the environment"},
        {"allow-origin", 0, OPTION_TEXTS, &origins, "ORIGIN",
         "let pages of this origin ask too (several times: each)"},
        {"read-only", 0, OPTION_FLAG, &service->read_only, NULL, "refuse changes of the pool"},
        {"report", 0, OPTION_TEXT, &service->report, "FILE", "show this HTML file at /report"},
        {"log", 0, OPTION_TEXT, &serving.log, "FILE",
         "a JSON line per request; - is standard output"},
        {"log-text", 0, OPTION_FLAG, &serving.log_text, NULL, "with the sentences asked about"},
        {"max-body", 0, OPTION_SIZE, &limits->body, "BYTES", "of a request (default 8388608)"},
        {"max-header", 0, OPTION_SIZE, &limits->header, "BYTES",
         "of a request's head (default 8192)"},
        {"max-texts", 0, OPTION_SIZE, &limits->texts, "N",
         "sentences or pairs in a request (default 10000)"},
        {"max-pool", 0, OPTION_SIZE, &limits->pool, "N",
         "sentences the pool may grow to (default: any number)"},
        {"max-connections", 0, OPTION_SIZE, &limits->connections, "N", "at once (default 1000)"},
        {"timeout", 0, OPTION_ABOVE_0, &limits->timeout, "SECONDS",
         "for a request to arrive, and its answer to be taken (30)"},
        {"threads", 't', OPTION_THREADS, &service->threads, "N", "default: all cores"},
        END_OF_OPTIONS};
    int count = parse_arguments(verb, options, &common, argc, argv, path, 1, 1);
    if (count < 0) return count == -2 ? EXIT_DONE : EXIT_USAGE;

    film_error error = {0};
    if (service->threads == 0) service->threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    service->path = path[0];
    film_status status = read_token(token_file, token, &service->token, &error);
    if (status != FILM_OK) return report(status, &error);
    service->origins = origins.item;
    service->origin_count = origins.count;
    serving.quiet = common.quiet;
    status = serve(&serving, &error);
    return report(status, &error);
}

const struct verb verb_serve = {
    "serve", "MODEL|POOL [--listen HOST:PORT] [options]", "Answer over HTTP, with a page to try it",
    "Open http://127.0.0.1:8080 in a browser, or ask:\n"
    "  curl -H 'Content-Type: application/json' -d '{\"a\": \"I lost my card\", \"b\": \"what "
    "if my card is lost?\"}' \\\n"
    "    http://127.0.0.1:8080/v1/match\n"
    "docs/http.md and /openapi.json list what can be asked. SIGHUP opens the file again (and the "
    "log),\n"
    "without dropping a request; SIGTERM or Ctrl-C finishes what is being answered and stops.\n"
    "To listen beyond this machine a token is needed.\n\n"
    "example:\n"
    "  film serve faq.pool --listen 127.0.0.1:8080 --log requests.log\n",
    run};
