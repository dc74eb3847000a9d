/* What the user sees while waiting: messages, the progress bar, Ctrl-C. */
#include "cli.h"
#include "server/clock.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int report(film_status status, const film_error *error)
{
    progress_end();
    if (status == FILM_OK) return EXIT_DONE;
    if (job && job_rank() > 0 && status != FILM_USAGE)
        fprintf(stderr, "film (process %d): %s\n", job_rank(), error->message);
    else if (job_rank() == 0)
        fprintf(stderr, "film: %s\n", error->message);
    return status <= FILM_CANCELLED ? (int)status : EXIT_IO;
}

film_status no_memory(film_error *error)
{
    snprintf(error->message, sizeof error->message, "out of memory");
    return FILM_NO_MEMORY;
}

int answer_json(film_status status, char *json, const film_error *error)
{
    /* That standard output could not be written is found and told at the end. */
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

static void draw(double done, double total, double elapsed)
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
    fprintf(stderr, "\r%-*s", bar.width, line); /* spaces over what a longer line left */
    if (length > bar.width) bar.width = length;
    bar.drawn = 1;
}

static int on_progress(void *user, const char *phase, double done, double total)
{
    (void)user;
    double time = clock_seconds();
    if (strncmp(bar.phase, phase, sizeof bar.phase - 1) != 0) {
        snprintf(bar.phase, sizeof bar.phase, "%s", phase);
        bar.phase_started = time;
        bar.note[0] = 0;
    }
    if (bar.shown && (time - bar.last_drawn > 0.1 || done >= total)) {
        draw(done, total, time - bar.phase_started);
        bar.last_drawn = time;
    }
    return stop_requested;
}

/* Shown behind the bar at its next drawing. */
static void on_note(void *user, const char *line)
{
    (void)user;
    snprintf(bar.note, sizeof bar.note, "%s", line);
}

film_progress progress_start(int quiet)
{
    struct sigaction action = {.sa_handler = request_stop};
    sigemptyset(&action.sa_mask);
    action.sa_flags = (int)SA_RESETHAND; /* a second Ctrl-C ends the program at once */
    if (!job) { /* mpirun hears Ctrl-C itself and ends all processes; one that stops alone would be
                   waited for */
        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
    }
    bar.shown = !quiet && job_rank() == 0 && isatty(STDERR_FILENO);
    return (film_progress){on_progress, NULL, on_note};
}

void progress_end(void)
{
    if (bar.drawn) fprintf(stderr, "\r%*s\r", bar.width, "");
    bar.drawn = 0;
}
