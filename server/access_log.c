/* Writes one JSON line per request to a file or standard output. Texts are logged only with
 * --log-text; tokens never. */
#include "access_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

film_status access_log_open(struct access_log *access_log, film_error *error)
{
    if (!access_log->path) return FILM_OK;
    if (strcmp(access_log->path, "-") == 0) {
        access_log->file = STDOUT_FILENO;
        return FILM_OK;
    }
    int file = open(access_log->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
    if (file < 0) {
        snprintf(error->message, sizeof error->message, "cannot open %s: %s", access_log->path,
                 strerror(errno));
        return error->status = FILM_IO;
    }
    /* Keep the descriptor number: other threads may be about to write to it. */
    if (access_log->file > STDERR_FILENO) {
        dup3(file, access_log->file, O_CLOEXEC);
        close(file);
    } else {
        access_log->file = file;
    }
    return FILM_OK;
}

void access_log_close(struct access_log *access_log)
{
    if (access_log->file > STDERR_FILENO) close(access_log->file);
    access_log->file = 0;
}

/* Replaces bytes that are not ASCII by '?' and cuts long paths: a client can send anything. */
static void write_path(struct bytes *line, const char *path)
{
    char shown[200];
    size_t length = 0;
    for (; path[length] && length < sizeof shown; length++)
        shown[length] = (unsigned char)path[length] < 0x80 ? path[length] : '?';
    bytes_string(line, (film_text){shown, length});
}

/* Writes the body only if the request succeeded: then the parser has checked that it is UTF-8. */
static void write_body(struct bytes *line, const struct access_log_entry *entry)
{
    film_text body = entry->request->body;
    if (body.length == 0 || entry->response->status != 200) return;
    bytes_text(line, ", \"body\": ");
    bytes_string(line, body);
}

void access_log_write(const struct access_log *access_log, const struct access_log_entry *entry)
{
    struct bytes line = {.data = NULL};
    struct timespec now;
    struct tm parts;
    char when[32];
    if (!access_log->path) return;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &parts);
    bytes_format(&line, "{\"time\": \"%s.%03ldZ\", \"method\": ", when, now.tv_nsec / 1000000);
    write_path(&line, entry->method);
    bytes_text(&line, ", \"path\": ");
    write_path(&line, entry->request->path);
    bytes_format(&line, ", \"status\": %u, \"ms\": %.3f, \"received\": %zu, \"sent\": %zu",
                 entry->response->status, 1e3 * entry->seconds, entry->request->body.length,
                 entry->sent);
    if (access_log->with_text) write_body(&line, entry);
    bytes_text(&line, "}\n");
    if (!line.failed && write(access_log->file, line.data, line.length) < 0) errno = 0;
    bytes_free(&line);
}
