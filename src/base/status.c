/* Status codes, messages, progress and the version, as film_types.h promises for every function. It
 * neither prints nor allocates. */
#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define STRINGIFY(x) #x
#define VERSION_TEXT(a, b, c) STRINGIFY(a) "." STRINGIFY(b) "." STRINGIFY(c)

const char *film_version(void)
{
    return VERSION_TEXT(FILM_VERSION_MAJOR, FILM_VERSION_MINOR, FILM_VERSION_PATCH);
}

int film_version_number(void)
{
    return FILM_VERSION_NUMBER;
}

const char *film_status_name(film_status status)
{
    static const char *const names[] = {
        [FILM_OK] = "ok",   [FILM_USAGE] = "usage",         [FILM_BAD_INPUT] = "bad input",
        [FILM_IO] = "i/o",  [FILM_CANCELLED] = "cancelled", [FILM_NO_MEMORY] = "no memory",
        [FILM_END] = "end", [FILM_DENIED] = "denied",       [FILM_NEEDS_LIBRARY] = "needs library",
    };
    unsigned number = (unsigned)status;
    return number < sizeof names / sizeof *names ? names[number] : "unknown";
}

/* A message is one line, whatever file name, field or library message it quotes. */
static void replace_control_characters(char *message)
{
    for (; *message; message++)
        if ((unsigned char)*message < 0x20 || *message == 0x7f) *message = ' ';
}

film_status status_set(film_error *error, film_status code, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        replace_control_characters(error->message);
        error->status = code;
    }
    return code;
}

film_status status_errno(film_error *error, const char *format, ...)
{
    int cause = errno;
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        int used = vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        size_t at = used < 0 ? 0 : (size_t)used;
        if (at < sizeof error->message) {
            char reason[128];
            const char *text = strerror_r(cause, reason, sizeof reason);
            snprintf(error->message + at, sizeof error->message - at, ": %s", text);
        }
        replace_control_characters(error->message);
        error->status = FILM_IO;
    }
    return FILM_IO;
}

film_status status_no_memory(film_error *error)
{
    return status_set(error, FILM_NO_MEMORY,
                      "out of memory; use a smaller rank, fewer features or less data");
}

film_status status_missing(film_error *error, const char *what)
{
    return status_set(error, FILM_USAGE, "%s is NULL", what);
}

film_status progress_report(const film_progress *progress, const char *phase, double done,
                            double total, film_error *error)
{
    if (progress && progress->call && progress->call(progress->user, phase, done, total))
        return status_set(error, FILM_CANCELLED, "stopped during %s", phase);
    return FILM_OK;
}

void progress_note(const film_progress *progress, const char *format, ...)
{
    char line[200];
    va_list arguments;
    if (!progress || !progress->note) return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    progress->note(progress->user, line);
}
