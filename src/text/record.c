/* Splits a record into fields: TSV at tabs, CSV by RFC 4180. Checks its bytes and formats errors
 * with file and line. JSON lines are parsed in jsonl.c. */
#include "text/record.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void record_free(struct record *record)
{
    mem_free(record->fields);
    mem_free(record->scratch);
    json_decref(record->json);
    *record = (struct record){0};
}

film_status record_bad(const struct record *record, film_error *error, const char *format, ...)
{
    char message[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return status_set(error, FILM_BAD_INPUT, "%s:%llu: %s%s", record->name,
                      (unsigned long long)record->line, message,
                      record->all_needed ? "" : "; fix the row or skip bad rows");
}

film_status record_add(struct record *record, film_text field, film_error *error)
{
    if (record->field_count == RECORD_MAX_FIELDS)
        return record_bad(record, error, "more than %d columns", RECORD_MAX_FIELDS);
    void *fields = record->fields;
    if (!mem_grow(&fields, &record->field_capacity, record->field_count + 1, sizeof field))
        return status_no_memory(error);
    record->fields = fields;
    record->fields[record->field_count++] = field;
    return FILM_OK;
}

/* ---- bytes --------------------------------------------------------------------------------- */

/* Returns the column, from 1, of byte OFFSET. Quotes toggle; a doubled quote toggles twice. */
static size_t column_at(const struct record *record, enum record_format format, size_t offset)
{
    size_t column = 1;
    int inside = 0;
    char separator = format == RECORD_CSV ? record->separator : '\t';
    for (size_t i = 0; i < offset && i < record->raw.length; i++) {
        char c = record->raw.bytes[i];
        if (c == '"' && format == RECORD_CSV) inside = !inside;
        if (c == separator && !inside) column++;
    }
    return format == RECORD_TSV || format == RECORD_CSV ? column : 1;
}

/* The encodings that people have besides UTF-8 are Windows-1252 and Latin-1. They differ in 32
 * bytes; five of these are not assigned in Windows-1252. */
static const char *likely_encoding(film_text raw)
{
    for (size_t i = 0; i < raw.length; i++)
        if (strchr("\x81\x8d\x8f\x90\x9d", raw.bytes[i]) && raw.bytes[i]) return "latin-1";
    return "windows-1252";
}

static film_status not_utf8(const struct record *record, size_t column, size_t byte,
                            film_error *error)
{
    return status_set(error, FILM_BAD_INPUT,
                      "%s:%llu: invalid UTF-8 in column %zu (byte %zu of the row); %sif the file "
                      "is not UTF-8, choose the encoding %s",
                      record->name, (unsigned long long)record->line, column, byte,
                      record->all_needed ? "" : "fix the row or skip bad rows, or, ",
                      likely_encoding(record->raw));
}

film_status record_check_bytes(const struct record *record, enum record_format format,
                               film_error *error)
{
    film_text raw = record->raw;
    size_t bad = 0;
    const char *zero = raw.length ? memchr(raw.bytes, 0, raw.length) : NULL;
    if (zero) {
        bad = (size_t)(zero - raw.bytes);
        return record_bad(record, error,
                          "NUL byte in column %zu (byte %zu of the row), perhaps UTF-16",
                          column_at(record, format, bad), bad + 1);
    }
    if (!utf8_valid(raw.bytes, raw.length, &bad))
        return not_utf8(record, column_at(record, format, bad), bad + 1, error);
    return FILM_OK;
}

/* ---- fields -------------------------------------------------------------------------------- */

static film_status split_tsv(struct record *record, film_error *error)
{
    const char *at = record->raw.bytes, *end = at + record->raw.length;
    for (;;) {
        const char *tab = at < end ? memchr(at, '\t', (size_t)(end - at)) : NULL;
        const char *stop = tab ? tab : end;
        film_status status = record_add(record, (film_text){at, (size_t)(stop - at)}, error);
        if (status != FILM_OK || !tab) return status;
        at = tab + 1;
    }
}

/* Copies [from, stop) to *scratch and replaces doubled quotes by single ones. */
static film_text undouble(const char *from, const char *stop, char **scratch)
{
    char *out = *scratch;
    while (from < stop) {
        const char *quote = memchr(from, '"', (size_t)(stop - from));
        size_t count = (size_t)((quote ? quote + 1 : stop) - from);
        memcpy(out, from, count);
        out += count;
        from += quote ? count + 1 : count; /* skip the second of the two */
    }
    film_text text = {*scratch, (size_t)(out - *scratch)};
    *scratch = out;
    return text;
}

/* Returns the quoted field that begins after a quote at AT; *NEXT is after its closing quote. */
static film_text quoted_field(const char *at, const char *end, char **scratch, const char **next)
{
    const char *quote = at;
    int doubled = 0;
    for (;;) {
        quote = memchr(quote, '"', (size_t)(end - quote));
        if (!quote || quote + 1 == end || quote[1] != '"') break;
        doubled = 1;
        quote += 2;
    }
    if (!quote) quote = end; /* impossible: the reader has found the closing quote */
    *next = quote < end ? quote + 1 : end;
    if (doubled) return undouble(at, quote, scratch);
    return (film_text){at, (size_t)(quote - at)};
}

/* RFC 4180. The raw record is not modified (film split copies it to its output), so a field with
 * doubled quotes is written to scratch space. */
static film_status split_csv(struct record *record, film_error *error)
{
    const char *at = record->raw.bytes, *end = at + record->raw.length;
    void *memory = record->scratch;
    if (memchr(at, '"', record->raw.length) &&
        !mem_grow(&memory, &record->scratch_capacity, record->raw.length, 1))
        return status_no_memory(error);
    char *scratch = record->scratch = memory;
    for (;;) {
        film_text field;
        const char *next;
        if (at < end && *at == '"') {
            field = quoted_field(at + 1, end, &scratch, &next);
            if (next < end && *next != record->separator)
                return record_bad(record, error,
                                  "text after the closing quote of column %zu; write a quote "
                                  "inside a quoted field twice (\"\")",
                                  record->field_count + 1);
        } else {
            next = at < end ? memchr(at, record->separator, (size_t)(end - at)) : NULL;
            if (!next) next = end;
            field = (film_text){at, (size_t)(next - at)};
        }
        film_status status = record_add(record, field, error);
        if (status != FILM_OK || next == end) return status;
        at = next + 1;
    }
}

film_status record_split(struct record *record, enum record_format format, film_error *error)
{
    record->field_count = 0;
    if (format == RECORD_TSV) return split_tsv(record, error);
    if (format == RECORD_CSV) return split_csv(record, error);
    return record_add(record, record->raw, error);
}
