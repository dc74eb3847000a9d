/* Runs film serve: opens the service, starts the HTTP server, waits for signals, reloads or stops.
 * Parses no requests. */
#include "serve.h"
#include "clock.h"
#include "http.h"
#include "listen.h"
#include "terminal_text.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { SWEEP_MS = 250 };
static const double RETRY_SECONDS = 30;
static const double STOP_SECONDS = 10; /* maximum wait for requests in progress */

void serve_defaults(struct serve_options *options)
{
    *options = (struct serve_options){.listen = "127.0.0.1:8080",
                                      .service = {.learn_after = 50,
                                                  .limits = {.body = 8 << 20,
                                                             .buffer = 128 << 20,
                                                             .texts = 10000,
                                                             .sentence = 65536,
                                                             .header = 8192,
                                                             .connections = 1000,
                                                             .queue = 64,
                                                             .timeout = 30,
                                                             .deadline = 60}}};
}

static void print_status(const struct serve_options *options, const char *format, const char *what)
{
    if (!options->quiet) print_clean(stderr, format, what);
}

static film_status refuse_start(film_error *error, film_status status, const char *message)
{
    snprintf(error->message, sizeof error->message, "%s", message);
    return error->status = status;
}

/* ---- signals: blocked in all threads, received here ---- */

static void block_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, set, NULL);
    signal(SIGPIPE, SIG_IGN); /* a client that leaves */
}

static int next_signal(const sigset_t *set, int milliseconds)
{
    struct timespec wait = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    return sigtimedwait(set, NULL, &wait);
}

/* Returns whether it succeeded. */
static int reload(struct http *http, const struct serve_options *options)
{
    film_error error;
    if (access_log_open(&http->access_log, &error) != FILM_OK)
        print_clean(stderr, "film: %s; logging continues in the old file\n", error.message);
    if (service_reload(http->service, &error) != FILM_OK) {
        print_clean(stderr, "film: reload failed, the old model stays in use: %s\n", error.message);
        return 0;
    }
    print_status(options, "reloaded %s\n", options->service.path);
    http_warm_up(http);
    return 1;
}

static void run_until_stopped(struct http *http, const struct serve_options *options,
                              const sigset_t *signals)
{
    double next_look = 0; /* for another model in the pool; later after a failure */
    for (;;) {
        int caught = next_signal(signals, SWEEP_MS);
        int outdated = monotonic_seconds() >= next_look && service_outdated(http->service);
        if ((caught == SIGHUP || outdated) && !reload(http, options))
            next_look = monotonic_seconds() + RETRY_SECONDS;
        if (caught == SIGTERM || caught == SIGINT) return;
        if (caught == SIGHUP || outdated) background_recount(&http->service->background);
        background_step(http->service);
        connections_sweep(&http->connections);
    }
}

/* Finishes requests in progress: accepts no new connections, responds with Connection: close,
 * cancels long calls. Ends when no request has been in progress for 0.1 s, or after
 * STOP_SECONDS. */
static void stop_serving(struct http *http, const struct serve_options *options)
{
    struct service *service = http->service;
    double end = monotonic_seconds() + STOP_SECONDS, quiet = monotonic_seconds();
    print_status(options, "%s\n", "stopping");
    atomic_store(&service->stopping, 1);
    http_quiesce(http);
    while (monotonic_seconds() < end && monotonic_seconds() - quiet < 0.1) {
        struct timespec moment = {0, 5000000};
        nanosleep(&moment, NULL);
        if (atomic_load(&service->in_flight)) quiet = monotonic_seconds();
    }
    if (atomic_load(&service->in_flight) == 0) return;
    fprintf(stderr, "film: some requests did not finish in time and were aborted\n");
    _exit(0);
}

film_status serve(const struct serve_options *options, film_error *error)
{
    struct service service;
    struct listening listening;
    struct service_options with = options->service;
    struct http http = {.access_log = {options->log, options->log_text, 0}};
    sigset_t signals;
    film_status status = listen_on(options->listen, 1, &listening, error);
    if (status != FILM_OK) return status;
    if (!listening.local && !with.token)
        return refuse_start(
            error, FILM_USAGE,
            "listening on a public address needs a token: pass --token-file FILE or "
            "set FILM_TOKEN");
    with.local = listening.local && !with.token;
    /* A growing buffer has up to twice the size of its content. */
    if (with.limits.buffer < 2 * with.limits.body) with.limits.buffer = 2 * with.limits.body;
    block_signals(&signals); /* before threads start, so that they inherit the mask */
    status = access_log_open(&http.access_log, error);
    if (status == FILM_OK) status = service_open(&service, &with, error);
    if (status != FILM_OK) return status;
    status = listen_on(options->listen, 0, &listening, error);
    if (status == FILM_OK && !http_start(&http, &service, listening.socket))
        status = refuse_start(error, FILM_IO, "cannot start the HTTP server");
    if (status == FILM_OK) {
        print_status(options, "listening on http://%s\n", listening.name);
        http_warm_up(&http);
        run_until_stopped(&http, options, &signals);
        stop_serving(&http, options);
        http_end(&http);
    }
    service_close(&service);
    access_log_close(&http.access_log);
    return status;
}
