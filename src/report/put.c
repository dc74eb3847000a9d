/* Writes the values of a report's data: numbers with seven digits, texts that are cut and valid
 * UTF-8, sentences, records. A failure to allocate is kept by the writer. */
#include "base/mem.h"
#include "base/utf8.h"
#include "report/parts.h"
#include "text/record_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 7 };

void put_open(struct writer *to, const char *key, char bracket)
{
    if (key) writer_key(to, key);
    writer_open(to, bracket);
}

void put_json(struct writer *to, const char *key, json_t *value)
{
    film_error error;
    char *text = NULL;
    if (key) writer_key(to, key);
    /* Twelve digits, as film eval --json writes them. */
    size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12);
    if (jsonfile_dump(value, flags, &text, &error) != FILM_OK)
        to->failed = 1;
    else
        writer_raw(to, text, strlen(text));
    mem_free(text);
    json_decref(value);
}

void put_numbers(struct writer *to, const char *key, const double *numbers, size_t count)
{
    put_open(to, key, '[');
    for (size_t i = 0; i < count; i++) writer_rounded(to, numbers[i], DIGITS);
    writer_close(to, ']');
}

json_t *number_json(double number)
{
    char text[40];
    if (!isfinite(number)) return json_null();
    snprintf(text, sizeof text, "%.*g", DIGITS, number);
    return json_real(strtod(text, NULL));
}

json_t *text_json(film_text text, size_t most)
{
    char valid[3 * REPORT_LONGEST + 3]; /* U+FFFD and the ellipsis have three bytes */
    size_t at = 0, end = 0;
    if (!text.bytes) return json_null();
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
    return json_stringn_nocheck(valid, end);
}

json_t *file_json(const char *path)
{
    return path ? text_json(film_string(file_name(path)), REPORT_TEXT) : json_null();
}

json_t *sentence_json(film_text text)
{
    film_text name, value;
    char key[REPORT_TEXT + 1];
    if (!record_text_is(text)) return text_json(text, REPORT_TEXT);
    json_t *record = json_object();
    for (size_t at = 0; record_text_next(text, &at, &name, &value);) {
        size_t length = utf8_cut(name.bytes, name.length, REPORT_TEXT);
        snprintf(key, sizeof key, "%.*s", (int)length, name.bytes);
        jsonfile_put(record, key, text_json(value, REPORT_TEXT));
    }
    return record;
}

void warn(struct report *report, const char *section, const char *format, ...)
{
    char line[REPORT_LONGEST];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    put_json(&report->warnings, NULL,
             json_pack("{s:s, s:o}", "section", section, "text",
                       text_json(film_string(line), REPORT_LONGEST)));
}

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}
