/* Writes JSON into a growing buffer: commas, escapes, numbers that read back the same. It does not
 * parse JSON; base/jsonfile.c does. */
#include "base/writer.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Reserves MORE bytes at the end of the buffer. Returns NULL on failure. */
static char *room(struct writer *writer, size_t more)
{
    if (writer->length + more > writer->capacity && !writer->failed) {
        /* Doubles the capacity: a response has some ten thousand bytes. */
        size_t wanted = 2 * writer->capacity + more + 256;
        writer->failed = !mem_grow((void **)&writer->bytes, &writer->capacity, wanted, 1);
    }
    return writer->failed ? NULL : writer->bytes + writer->length;
}

static void append(struct writer *writer, const char *bytes, size_t length)
{
    char *to = room(writer, length);
    if (!to) return;
    memcpy(to, bytes, length);
    writer->length += length;
}

static void before_value(struct writer *writer)
{
    if (writer->comma) append(writer, ", ", 2);
    writer->comma = 1;
}

void writer_open(struct writer *writer, char bracket)
{
    before_value(writer);
    append(writer, &bracket, 1);
    writer->comma = 0;
}

void writer_close(struct writer *writer, char bracket)
{
    append(writer, &bracket, 1);
    writer->comma = 1;
}

void writer_key(struct writer *writer, const char *key)
{
    /* One check for room instead of four: every reason has eight keys. */
    size_t length = strlen(key);
    char *to = room(writer, length + 6), *start = to;
    if (!to) return;
    if (writer->comma) {
        *to++ = ',';
        *to++ = ' ';
    }
    *to++ = '"';
    memcpy(to, key, length);
    memcpy(to + length, "\": ", 3);
    writer->length += (size_t)(to - start) + length + 3;
    writer->comma = 0;
}

void writer_raw(struct writer *writer, const char *json, size_t length)
{
    before_value(writer);
    append(writer, json, length);
}

void writer_null(struct writer *writer)
{
    writer_raw(writer, "null", 4);
}

void writer_truth(struct writer *writer, int truth)
{
    if (truth)
        writer_raw(writer, "true", 4);
    else
        writer_raw(writer, "false", 5);
}

/* ---- Text ---- */

static char *put_escape(char *to, unsigned char c)
{
    static const char short_form[] = "btn\0fr", digits[] = "0123456789abcdef"; /* 8 .. 13 */
    *to++ = '\\';
    if (c == '"' || c == '\\') {
        *to++ = (char)c;
    } else if (c >= 8 && c <= 13 && short_form[c - 8]) {
        *to++ = short_form[c - 8];
    } else {
        memcpy(to, "u00", 3);
        to[3] = digits[c >> 4];
        to[4] = digits[c & 15];
        to += 5;
    }
    return to;
}

/* Copies the text unchanged and returns whether that was right: nearly every text has nothing to
 * escape. */
static int put_plain(char *to, film_text text)
{
    unsigned special = 0;
#pragma omp simd reduction(| : special)
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.bytes[i];
        to[i] = (char)c;
        special |= (unsigned)((c < 0x20) | (c == '"') | (c == '\\'));
    }
    return !special;
}

size_t writer_escape(film_text text, char *out)
{
    char *to = out;
    if (put_plain(to, text)) return text.length;
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.bytes[i];
        if (c < 0x20 || c == '"' || c == '\\')
            to = put_escape(to, c);
        else
            *to++ = (char)c;
    }
    return (size_t)(to - out);
}

void writer_text(struct writer *writer, film_text text)
{
    before_value(writer);
    char *start = text.length < SIZE_MAX / 16 ? room(writer, WRITER_ESCAPED * text.length + 2)
                                              : (writer->failed = 1, NULL);
    if (!start) return;
    char *to = start;
    *to++ = '"';
    to += writer_escape(text, to);
    *to++ = '"';
    writer->length += (size_t)(to - start);
}

void writer_name(struct writer *writer, film_text name)
{
    writer_text(writer, name);
    append(writer, ": ", 2);
    writer->comma = 0;
}

/* ---- Numbers ---- */

enum { DIGITS = 20 };

/* Writes the decimal digits of NUMBER right-aligned before END, at least LEAST; returns the
 * first. */
static char *put_digits(char *end, uint64_t number, int least)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233"
        "34353637383940414243444546474849505152535455565758596061626364656667"
        "6869707172737475767778798081828384858687888990919293949596979899";
    for (; number >= 10 || least > 1; number /= 100, least -= 2) {
        end -= 2;
        memcpy(end, pairs + 2 * (number % 100), 2);
    }
    if (number || least > 0) *--end = (char)('0' + number);
    return end;
}

void writer_count(struct writer *writer, size_t number)
{
    char digits[DIGITS], *first = put_digits(digits + DIGITS, number, 1);
    writer_raw(writer, first, (size_t)(digits + DIGITS - first));
}

/* Writes NUMBER as "%.17g" does, in a fraction of the time. Returns 0 for numbers that are not from
 * 0.0001 to 1000, or whole. The digits are exact: a number is M / 2^SHIFT, and M times a power of
 * ten has at most 120 bits. */
static int write_short_number(struct writer *writer, double number)
{
#if defined(__SIZEOF_INT128__) && !defined(__wasm__)
    enum { SIGNIFICANT = 17, MANTISSA = 53 };
    double size = fabs(number), power = 1e-3;
    int before = -3, exponent; /* digits before the point; negative: zeros after it */
    if (!(size >= 1e-4 && size < 1e3)) return 0;
    for (; size >= power; power *= 10) before++;
    unsigned __int128 scaled = (uint64_t)ldexp(frexp(size, &exponent), MANTISSA);
    for (int k = SIGNIFICANT - before; k > 0; k--) scaled *= 10;
    int shift = MANTISSA - exponent;
    unsigned __int128 half = (unsigned __int128)1 << (shift - 1), rest = scaled & (2 * half - 1);
    uint64_t digits = (uint64_t)(scaled >> shift);
    digits += rest > half || (rest == half && digits % 2);
    if (digits < 10000000000000000u || digits >= 100000000000000000u) return 0;
    char text[48], *end = text + sizeof text, *first = put_digits(end, digits, SIGNIFICANT);
    for (int zeros = before; zeros < 1; zeros++) *--first = '0';
    char *point = first + (before > 0 ? before : 1);
    while (end > point && end[-1] == '0') end--;
    if (end == point) return 0;
    memmove(first - 1, first, (size_t)(point - first));
    point[-1] = '.';
    first--;
    if (number < 0) *--first = '-';
    writer_raw(writer, first, (size_t)(end - first));
    return 1;
#else
    (void)writer, (void)number;
    return 0;
#endif
}

/* Writes NUMBER with SIGNIFICANT digits; WHOLE: a whole number remains a real one for readers that
 * distinguish them. */
static void write_digits(struct writer *writer, double number, int significant, int whole)
{
    char text[40];
    int written = snprintf(text, sizeof text, "%.*g", significant, number), length = 0;
    for (int i = 0; i < written; i++) {
        int plain = (text[i] >= '0' && text[i] <= '9') || strchr("+-e", text[i]);
        if (text[i] == 'e') whole = 0;
        if (plain)
            text[length++] = text[i];
        else if (length &&
                 text[length - 1] != '.') /* the decimal point of the locale, one byte or more */
            text[length++] = '.', whole = 0;
    }
    if (whole) {
        text[length++] = '.';
        text[length++] = '0';
    }
    writer_raw(writer, text, (size_t)length);
}

void writer_number(struct writer *writer, double number)
{
    if (!isfinite(number))
        writer_null(writer);
    else if (!write_short_number(writer, number))
        write_digits(writer, number, 17, 1);
}

void writer_rounded(struct writer *writer, double number, int significant)
{
    if (!isfinite(number))
        writer_null(writer);
    else
        write_digits(writer, number, significant, 0);
}

void writer_weight(struct writer *writer, double weight)
{
    enum { DECIMALS = 12 };
    const uint64_t one = 1000000000000u;
    double size = fabs(weight);
    if (!(size < 1e6)) {
        writer_number(writer, weight);
        return;
    }
    uint64_t scaled = (uint64_t)(size * (double)one + 0.5);
    char text[2 * DIGITS + 2], *end = text + sizeof text;
    char *point = put_digits(end, scaled % one, DECIMALS) - 1;
    *point = '.';
    char *first = put_digits(point, scaled / one, 1);
    if (weight < 0 && scaled) *--first = '-';
    while (end[-1] == '0' && end - 2 > point) end--;
    writer_raw(writer, first, (size_t)(end - first));
}

film_status writer_finish(struct writer *writer, char **json, size_t *length, film_error *error)
{
    append(writer, "", 1);
    film_status status = writer->failed ? status_no_memory(error) : FILM_OK;
    *json = NULL;
    if (status == FILM_OK) {
        *json = writer->bytes;
        if (length) *length = writer->length - 1;
        writer->bytes = NULL; /* now owned by the caller */
    }
    writer_free(writer);
    return status;
}

void writer_free(struct writer *writer)
{
    mem_free(writer->bytes);
    *writer = (struct writer){.bytes = NULL};
}

size_t film_json_escape(film_text text, char *out)
{
    _Static_assert(FILM_JSON_ESCAPED == WRITER_ESCAPED, "callers make room for the longest escape");
    return writer_escape(text, out);
}
