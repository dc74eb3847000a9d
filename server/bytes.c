/* A growing buffer for request bodies, responses, metrics and log lines. Writes simple JSON values
 * only: the library escapes strings, and whole documents come from the library (film_explain.h) or
 * from jansson. */
#include "bytes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bytes_free(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){.full = bytes->full};
}

int bytes_reserve(struct bytes *bytes, size_t more)
{
    if (bytes->failed) return 0;
    if (bytes->limit && (more > bytes->limit || bytes->length > bytes->limit - more)) {
        bytes->failed = bytes->full = 1;
        return 0;
    }
    if (bytes->capacity - bytes->length >= more) return 1;
    size_t capacity = bytes->capacity ? bytes->capacity : 256;
    while (capacity - bytes->length < more && capacity <= SIZE_MAX / 2) capacity *= 2;
    char *data = capacity - bytes->length >= more ? realloc(bytes->data, capacity) : NULL;
    bytes->failed = !data;
    if (!data) return 0;
    bytes->data = data;
    bytes->capacity = capacity;
    return 1;
}

void bytes_append(struct bytes *bytes, const void *data, size_t length)
{
    if (length == 0 || !bytes_reserve(bytes, length)) return;
    memcpy(bytes->data + bytes->length, data, length);
    bytes->length += length;
}

void bytes_text(struct bytes *bytes, const char *text)
{
    bytes_append(bytes, text, strlen(text));
}

void bytes_format(struct bytes *bytes, const char *format, ...)
{
    for (size_t room = 128;;) {
        if (!bytes_reserve(bytes, room)) return;
        va_list arguments;
        va_start(arguments, format);
        int length = vsnprintf(bytes->data + bytes->length, room, format, arguments);
        va_end(arguments);
        if (length >= 0 && (size_t)length < room) {
            bytes->length += (size_t)length;
            return;
        }
        room = length >= 0 ? (size_t)length + 1 : 2 * room;
    }
}

void bytes_string(struct bytes *bytes, film_text text)
{
    enum { CHUNK = 4096 }; /* room for escapes is six times the length of most text */
    bytes_append(bytes, "\"", 1);
    for (size_t at = 0; at < text.length; at += CHUNK) {
        size_t length = text.length - at < CHUNK ? text.length - at : CHUNK;
        if (!bytes_reserve(bytes, FILM_JSON_ESCAPED * length)) return;
        bytes->length +=
            film_json_escape((film_text){text.bytes + at, length}, bytes->data + bytes->length);
    }
    bytes_append(bytes, "\"", 1);
}

void bytes_record(struct bytes *bytes, film_text text)
{
    film_text name, value;
    size_t at = 0, count = 0;
    while (film_record_next(text, &at, &name, &value)) {
        bytes_text(bytes, count++ ? ", " : "{");
        bytes_string(bytes, name);
        bytes_text(bytes, ": ");
        bytes_string(bytes, value);
    }
    if (count)
        bytes_text(bytes, "}");
    else
        bytes_string(bytes, text);
}

void bytes_real(struct bytes *bytes, double number)
{
    if (isfinite(number))
        bytes_format(bytes, "%.17g", number);
    else
        bytes_text(bytes, "null"); /* JSON has no NaN and no infinity */
}

void bytes_flag(struct bytes *bytes, int flag)
{
    bytes_text(bytes, flag ? "true" : "false");
}

void bytes_error(struct bytes *bytes, unsigned status, const char *message)
{
    bytes_format(bytes, "{\"error\": {\"status\": %u, \"message\": ", status);
    bytes_string(bytes, film_string(message));
    bytes_text(bytes, "}}\n");
}
