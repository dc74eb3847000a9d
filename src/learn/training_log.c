/* The log of a training: measures and seconds as two JSON objects. The learners decide what is
 * logged. Seconds are not stored in the model, so that the same training gives the same
 * file. */
#include "learn/training_log.h"
#include "base/mem.h"
#include "base/clock.h"
#include "base/jsonfile.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

film_status training_log_init(struct training_log *log, film_error *error)
{
    *log = (struct training_log){
        .figures = json_object(), .seconds = json_object(), .started = clock_seconds()};
    return log->figures && log->seconds ? FILM_OK : status_no_memory(error);
}

void training_log_free(struct training_log *log)
{
    json_decref(log->figures);
    json_decref(log->seconds);
    *log = (struct training_log){0};
}

void training_log_note(struct training_log *log, const char *key, json_t *value)
{
    if (log)
        jsonfile_put(log->figures, key, value);
    else
        json_decref(value);
}

void training_log_count(struct training_log *log, const char *key, size_t count)
{
    training_log_note(log, key, json_integer((json_int_t)count));
}

void training_log_forget(struct training_log *log, const char *key)
{
    if (log) json_object_del(log->figures, key);
}

void training_log_remark(struct training_log *log, const char *key, json_t *value)
{
    if (log)
        jsonfile_put(log->seconds, key, value);
    else
        json_decref(value);
}

void training_log_phase(struct training_log *log, const char *name)
{
    if (!log) return;
    double now = clock_seconds();
    jsonfile_put(log->seconds, name, json_real(now - log->started));
    log->started = now;
}

static film_status dump_json(const json_t *object, char **out, film_error *error)
{
    return jsonfile_dump(object, JSON_COMPACT | JSON_REAL_PRECISION(6), out, error);
}

film_status training_log_print(const struct training_log *log, char **figures, char **seconds_text,
                               film_error *error)
{
    film_status status = dump_json(log->figures, figures, error);
    return status == FILM_OK ? dump_json(log->seconds, seconds_text, error) : status;
}

size_t training_log_stride(size_t count, size_t *stride)
{
    enum { MOST_HISTORY = 500 };
    *stride = (count + MOST_HISTORY - 1) / MOST_HISTORY;
    return count ? (count - 1) % *stride : 0;
}
