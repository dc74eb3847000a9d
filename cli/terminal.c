/* Messages, numbers in messages, the progress bar and Ctrl-C. */
#include "cli.h"
#include "json.h"
#include "server/clock.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int is_quiet;

/* Prints a message. The library names what to choose, the program adds the option. */
static void print_message(const char *message)
{
    static const char *const options[][2] = {
        {"choose the encoding ", "pass --encoding "},
        {"name the columns, for example ", "name the columns, for example --columns "},
        {"create one first", "create one with film pool create POOL --model MODEL"}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *at = strstr(message, options[i][0]);
        if (!at) continue;
        print_clean(stderr, "%.*s%s", (int)(at - message), message, options[i][1]);
        message = at + strlen(options[i][0]);
    }
    print_clean(stderr, "%s\n", message);
}

/* ---- A reader that leaves, as head does ---- */

static volatile sig_atomic_t reader_left;

static void note_reader_left(int signal_number)
{
    (void)signal_number;
    reader_left = 1;
}

/* The write fails with EPIPE, so that temporary files are removed before the program ends. */
void watch_reader(void)
{
    struct sigaction action = {.sa_handler = note_reader_left, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGPIPE, &action, NULL);
}

int reader_is_gone(void)
{
    return reader_left;
}

void end_as_reader_left(void)
{
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

int report(film_status status, const film_error *error)
{
    progress_end();
    if (status == FILM_OK) return EXIT_DONE;
    if (status == FILM_IO && reader_left) return EXIT_IO;
    fprintf(stderr, "film: ");
    print_message(error->message);
    return status <= FILM_CANCELLED ? (int)status : EXIT_IO;
}

int report_page(const struct command *command, film_status status, film_error *error,
                const char *key, const char *output)
{
    int said = status == FILM_OK && strcmp(output, "-") != 0;
    if (said && command->json) {
        json_t *answer = json_pack("{s:s}", key, output);
        if (!answer || json_dumpf(answer, stdout, 0) != 0) status = no_memory(error);
        puts("");
        json_decref(answer);
    }
    int code = report(status, error);
    if (said && !command->json && !command->quiet)
        print_clean(stderr, "wrote %s; open it in a browser\n", output);
    return code;
}

film_status no_memory(film_error *error)
{
    snprintf(error->message, sizeof error->message, "out of memory");
    return FILM_NO_MEMORY;
}

film_status stopped(film_error *error)
{
    snprintf(error->message, sizeof error->message, "stopped; nothing was written");
    return error->status = FILM_CANCELLED;
}

const char *grouped(unsigned long long number)
{
    enum { TEXTS = 10 };
    static char texts[TEXTS][32];
    static unsigned next;
    char *text = texts[next++ % TEXTS] + sizeof texts[0];
    int digits = 0;
    *--text = 0;
    do {
        if (digits && digits % 3 == 0) *--text = ',';
        *--text = (char)('0' + number % 10);
        digits++;
    } while (number /= 10);
    return text;
}

const char *counted(unsigned long long number, const char *noun)
{
    enum { TEXTS = 10 };
    static char texts[TEXTS][80];
    static unsigned next;
    char *text = texts[next++ % TEXTS];
    snprintf(text, sizeof texts[0], "%s %s%s", grouped(number), noun, number == 1 ? "" : "s");
    return text;
}

FILE *figures_stream(const struct command *command, int code, const char *output)
{
    if (code != EXIT_DONE || (command->quiet && !command->json)) return NULL;
    return command->json && strcmp(output, "-") != 0 ? stdout : stderr;
}

void print_skipped(FILE *stream, unsigned long long rows)
{
    if (rows) fprintf(stream, ", %s skipped", counted(rows, "bad row"));
}

int answer_json(film_status status, char *json, const film_error *error)
{
    /* main reports write errors of standard output at the end. */
    if (status == FILM_OK) puts(json);
    film_free(json);
    return report(status, error);
}

int use_colour(FILE *stream)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(fileno(stream)) && !(no_colour && *no_colour) &&
           !(terminal && strcmp(terminal, "dumb") == 0);
}

static volatile sig_atomic_t stop_requested;

static void request_stop(int signal_number)
{
    (void)signal_number;
    stop_requested = 1;
}

int interrupted(void)
{
    return stop_requested;
}

static struct {
    int shown, drawn, width;
    char phase[40], note[160];
    double phase_started, last_drawn;
} bar;

static void draw_bar(double done, double total, double elapsed)
{
    enum { WIDTH = 30 };
    double share = total > 0 ? fmin(fmax(done / total, 0), 1) : 0;
    char cells[WIDTH + 1];
    for (int i = 0; i < WIDTH; i++) cells[i] = i < (int)(share * WIDTH) ? '#' : '.';
    cells[WIDTH] = 0;
    char line[300], left[40] = "";
    if (share > 0.02 && share < 1 && elapsed > 1)
        snprintf(left, sizeof left, "  %.0f s left", elapsed / share - elapsed);
    int length = snprintf(line, sizeof line, "%-12s [%s] %3.0f %%%s  %s", bar.phase, cells,
                          100 * share, left, bar.note);
    fputc('\r', stderr);
    print_clean(stderr, "%-*s", bar.width, line); /* padded to erase a longer line */
    if (length > bar.width) bar.width = length;
    bar.drawn = 1;
}

static int on_progress(void *user, const char *phase, double done, double total)
{
    (void)user;
    double time = monotonic_seconds();
    if (strncmp(bar.phase, phase, sizeof bar.phase - 1) != 0) {
        snprintf(bar.phase, sizeof bar.phase, "%s", phase);
        bar.phase_started = time;
        bar.note[0] = 0;
    }
    if (bar.shown && (time - bar.last_drawn > 0.1 || done >= total)) {
        draw_bar(done, total, time - bar.phase_started);
        bar.last_drawn = time;
    }
    return stop_requested;
}

/* The note follows the bar when it is drawn next. */
static void on_note(void *user, const char *line)
{
    (void)user;
    snprintf(bar.note, sizeof bar.note, "%s", line);
}

film_progress progress_start(int quiet)
{
    struct sigaction action = {.sa_handler = request_stop};
    sigemptyset(&action.sa_mask);
    action.sa_flags = (int)SA_RESETHAND; /* a second Ctrl-C ends the program immediately */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    bar.shown = !quiet && isatty(STDERR_FILENO);
    return (film_progress){on_progress, NULL, on_note};
}

void progress_end(void)
{
    if (bar.drawn) fprintf(stderr, "\r%*s\r", bar.width, "");
    bar.drawn = 0;
}
