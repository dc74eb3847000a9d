/* A growing HTML buffer, and the only place where text is escaped. */
#include "plot/markup.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void markup_free(struct markup *markup)
{
    mem_free(markup->bytes);
    memset(markup, 0, sizeof *markup);
}

void markup_bytes(struct markup *markup, const char *bytes, size_t length)
{
    void *room = markup->bytes;
    if (markup->failed || length == 0) return;
    if (!mem_grow(&room, &markup->capacity, markup->length + length, 1)) {
        markup->failed = 1;
        return;
    }
    markup->bytes = room;
    memcpy(markup->bytes + markup->length, bytes, length);
    markup->length += length;
}

void markup_raw(struct markup *markup, const char *text)
{
    markup_bytes(markup, text, strlen(text));
}

void markup_print(struct markup *markup, const char *format, ...)
{
    char text[1200]; /* longer texts use markup_raw */
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof text) {
        markup->failed = 1;
        return;
    }
    markup_bytes(markup, text, (size_t)length);
}

/* ---- Characters ---- */

#define REPLACEMENT "\xEF\xBF\xBD"

/* Returns the length of the character at the start of BYTES. 0: invalid UTF-8, or not allowed in
 * XML (control characters, U+FFFE, U+FFFF). */
static size_t character(const char *bytes, size_t left)
{
    size_t length = utf8_character(bytes, left);
    char first = bytes[0];
    if (length == 1)
        return first >= 0x20 ? first != 0x7f : first == '\t' || first == '\n' || first == '\r';
    int forbidden = length == 3 && (memcmp(bytes, "\xEF\xBF\xBE", 3) == 0 ||
                                    memcmp(bytes, "\xEF\xBF\xBF", 3) == 0);
    return forbidden ? 0 : length;
}

static const char *escape(char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void markup_text(struct markup *markup, film_text text, size_t most)
{
    size_t i = 0;
    while (i < text.length) {
        size_t length = character(text.bytes + i, text.length - i);
        if (i + (length ? length : 1) > most) {
            markup_raw(markup, "\xE2\x80\xA6");
            return;
        }
        const char *escaped = length == 1 ? escape(text.bytes[i]) : NULL;
        if (length == 0)
            markup_raw(markup, REPLACEMENT);
        else if (escaped)
            markup_raw(markup, escaped);
        else
            markup_bytes(markup, text.bytes + i, length);
        i += length ? length : 1;
    }
}

void markup_string(struct markup *markup, const char *text)
{
    markup_text(markup, film_string(text), SIZE_MAX);
}

/* ---- Tables to download ---- */

void markup_csv_begin(struct markup *markup, const char *name)
{
    markup_raw(markup, "<a class=\"csv\" download=\"");
    markup_string(markup, name);
    markup_raw(markup, ".csv\" href=\"data:text/csv;charset=utf-8,");
}

/* Letters, digits and the punctuation of numbers need no percent-encoding. */
static void percent_encode(struct markup *markup, const char *bytes, size_t length)
{
    for (size_t i = 0, end; i < length; i = end) {
        for (end = i; end < length; end++) {
            char c = bytes[end];
            int plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || (c && strchr("-_.,", c));
            if (!plain) break;
        }
        markup_bytes(markup, bytes + i, end - i);
        if (end == length) return;
        markup_print(markup, "%%%02X", (unsigned char)bytes[end++]);
    }
}

void markup_csv_text(struct markup *markup, film_text text)
{
    int formula = text.length && memchr("=+-@\t\r", text.bytes[0], 6) != NULL;
    int quoted = formula;
    for (size_t i = 0; i < text.length; i++) quoted |= memchr("\",\n\r", text.bytes[i], 4) != NULL;
    if (quoted) percent_encode(markup, "\"", 1);
    if (formula) percent_encode(markup, "'", 1);
    for (size_t i = 0, end; i < text.length; i = end) {
        const char *quote = memchr(text.bytes + i, '"', text.length - i);
        end = quote ? (size_t)(quote - text.bytes) + 1 : text.length;
        percent_encode(markup, text.bytes + i, end - i);
        if (quote) percent_encode(markup, "\"", 1);
    }
    if (quoted) percent_encode(markup, "\"", 1);
}

void markup_csv_number(struct markup *markup, double value)
{
    char text[40];
    if (!isfinite(value)) return;
    int length = snprintf(text, sizeof text, "%.7g", value);
    percent_encode(markup, text, (size_t)length);
}

void markup_csv_comma(struct markup *markup)
{
    markup_raw(markup, ",");
}

void markup_csv_row(struct markup *markup)
{
    markup_raw(markup, "%0A");
}

void markup_csv_end(struct markup *markup)
{
    markup_raw(markup, "\">CSV</a>");
}
