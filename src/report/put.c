/* Writes the values of a report's data: numbers with seven digits, texts that are cut and valid
 * UTF-8, sentences, records. */
#include "base/jsonfile.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "report/parts.h"
#include "text/record_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void put_key(struct writer *to, const char *key)
{
    if (key) writer_key(to, key);
}

void put_open(struct writer *to, const char *key, char bracket)
{
    put_key(to, key);
    writer_open(to, bracket);
}

void put_count(struct writer *to, const char *key, size_t count)
{
    put_key(to, key);
    writer_count(to, count);
}

void put_truth(struct writer *to, const char *key, int truth)
{
    put_key(to, key);
    writer_truth(to, truth);
}

void put_number(struct writer *to, const char *key, double number)
{
    enum { DIGITS = 7 };
    put_key(to, key);
    writer_rounded(to, number, DIGITS);
}

void put_numbers(struct writer *to, const char *key, const double *numbers, size_t count)
{
    put_open(to, key, '[');
    for (size_t i = 0; i < count; i++) put_number(to, NULL, numbers[i]);
    writer_close(to, ']');
}

void put_point(struct writer *to, const double *numbers, size_t count)
{
    put_numbers(to, NULL, numbers, count);
}

void put_text(struct writer *to, const char *key, film_text text, size_t most)
{
    char valid[3 * REPORT_LONGEST + 3]; /* U+FFFD and the ellipsis have three bytes */
    size_t at = 0, end = 0;
    if (most > REPORT_LONGEST) most = REPORT_LONGEST;
    while (at < text.length) {
        size_t length = utf8_character(text.bytes + at, text.length - at);
        size_t step = length ? length : 1;
        int fits = at + step <= most;
        const char *from = !fits ? "\xE2\x80\xA6" : length ? text.bytes + at : "\xEF\xBF\xBD";
        memcpy(valid + end, from, fits && length ? length : 3);
        end += fits && length ? length : 3;
        if (!fits) break;
        at += step;
    }
    put_key(to, key);
    writer_text(to, (film_text){valid, end});
}

void put_string(struct writer *to, const char *key, const char *text)
{
    if (text) {
        put_text(to, key, film_string(text), REPORT_TEXT);
        return;
    }
    put_key(to, key);
    writer_null(to);
}

void put_sentence(struct writer *to, const char *key, film_text text)
{
    film_text name, value;
    if (!record_text_is(text)) {
        put_text(to, key, text, REPORT_TEXT);
        return;
    }
    put_open(to, key, '{');
    for (size_t at = 0; record_text_next(text, &at, &name, &value);) {
        writer_name(to, (film_text){name.bytes, utf8_cut(name.bytes, name.length, REPORT_TEXT)});
        put_text(to, NULL, value, REPORT_TEXT);
    }
    writer_close(to, '}');
}

film_status put_json(struct writer *to, const char *key, const json_t *value, int digits,
                     film_error *error)
{
    char *text = NULL;
    put_key(to, key);
    if (!value || json_is_null(value)) {
        writer_null(to);
        return FILM_OK;
    }
    film_status status = jsonfile_dump(
        value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION((size_t)digits), &text, error);
    if (status == FILM_OK) writer_raw(to, text, strlen(text));
    mem_free(text);
    return status;
}

void warn(struct report *report, const char *section, const char *format, ...)
{
    char line[REPORT_LONGEST];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    struct writer *to = &report->warnings;
    writer_open(to, '{');
    put_string(to, "section", section);
    put_text(to, "text", film_string(line), REPORT_LONGEST);
    writer_close(to, '}');
}

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}
