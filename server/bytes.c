/* A growing byte buffer and the JSON that answers are written with. A failed allocation is
 * remembered, so callers check once, at the end. */
#include "bytes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bytes_free(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){.data = NULL};
}

int bytes_reserve(struct bytes *bytes, size_t more)
{
    if (bytes->failed) return 0;
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

/* The letter behind a backslash; 'u' for those that need a number; 0: as it is. */
static char escape_of(unsigned char byte)
{
    switch (byte) {
    case '"':
        return '"';
    case '\\':
        return '\\';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return byte < 0x20 || byte == 0x7f ? 'u' : 0;
    }
}

void bytes_string(struct bytes *bytes, film_text text)
{
    size_t plain = 0; /* where the stretch begins that needs no escape */
    bytes_append(bytes, "\"", 1);
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        char escape = escape_of(byte);
        if (!escape) continue;
        bytes_append(bytes, text.bytes + plain, i - plain);
        if (escape == 'u')
            bytes_format(bytes, "\\u%04x", byte);
        else
            bytes_append(bytes, (char[]){'\\', escape}, 2);
        plain = i + 1;
    }
    if (text.length) bytes_append(bytes, text.bytes + plain, text.length - plain);
    bytes_append(bytes, "\"", 1);
}

void bytes_real(struct bytes *bytes, double number)
{
    if (isfinite(number))
        bytes_format(bytes, "%.17g", number);
    else
        bytes_text(bytes, "null"); /* JSON has no other word for it */
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
