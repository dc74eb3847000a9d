/* Finds the records of a file in a growing buffer (RFC 4180 quoting for CSV). It does not split
 * them into fields; record.c does. */
#include "text/reader.h"
#include "base/mem.h"

#include <string.h>

enum { FIRST_CAPACITY = 1 << 18, LARGEST_CAPACITY = READER_MAX_RECORD + FIRST_CAPACITY };

film_status reader_open(struct reader *reader, struct source *source, film_error *error)
{
    *reader = (struct reader){.source = source, .line = 1};
    reader->buffer = mem_array(FIRST_CAPACITY, 1);
    if (!reader->buffer) return status_no_memory(error);
    reader->capacity = FIRST_CAPACITY;
    return FILM_OK;
}

void reader_close(struct reader *reader)
{
    source_close(reader->source);
    mem_free(reader->buffer);
    *reader = (struct reader){0};
}

void reader_drop(struct reader *reader, size_t count)
{
    size_t left = reader->end - reader->start - count;
    memmove(reader->buffer, reader->buffer + reader->start + count, left);
    reader->start = 0;
    reader->end = left;
}

/* Reads once more. It makes room by moving the incomplete record to the front, then by doubling, so
 * each byte is moved a bounded number of times. */
static film_status read_more(struct reader *reader, film_error *error)
{
    if (reader->end == reader->capacity && reader->start > 0) reader_drop(reader, 0);
    if (reader->end == reader->capacity) {
        size_t larger = reader->capacity * 2;
        if (larger > LARGEST_CAPACITY) larger = LARGEST_CAPACITY;
        char *buffer = mem_resize(reader->buffer, larger, 1);
        if (!buffer) return status_no_memory(error);
        reader->buffer = buffer;
        reader->capacity = larger;
    }
    size_t got = 0;
    film_status status = source_read(reader->source, reader->buffer + reader->end,
                                     reader->capacity - reader->end, &got, error);
    reader->end += got;
    if (status == FILM_OK && got == 0) reader->over = 1;
    return status;
}

film_status reader_fill(struct reader *reader, size_t count, film_error *error)
{
    film_status status = FILM_OK;
    while (status == FILM_OK && !reader->over && reader->end - reader->start < count)
        status = read_more(reader, error);
    return status;
}

film_status reader_empty(const struct reader *reader, film_error *error)
{
    return status_set(error, FILM_BAD_INPUT, "%s: empty file; pass a file with at least one row",
                      source_name(reader->source));
}

film_status reader_check_start(struct reader *reader, film_error *error)
{
    const char *name = source_name(reader->source);
    film_status status = reader_fill(reader, 1, error);
    if (status == FILM_OK && reader->end > 0 && (unsigned char)reader->buffer[0] >= 0xEF)
        status = reader_fill(reader, 3, error);
    if (status != FILM_OK) return status;
    if (reader->end >= 3 && memcmp(reader->buffer, "\xEF\xBB\xBF", 3) == 0)
        reader_drop(reader, 3);
    else if (reader->end >= 2 && (memcmp(reader->buffer, "\xFF\xFE", 2) == 0 ||
                                  memcmp(reader->buffer, "\xFE\xFF", 2) == 0))
        return status_set(error, FILM_BAD_INPUT,
                          "%s: UTF-16 text; convert it with iconv -f UTF-16 -t UTF-8", name);
    /* A file with only a byte order mark is empty too. */
    status = reader_fill(reader, 1, error);
    if (status == FILM_OK && reader->end == 0) return reader_empty(reader, error);
    return status;
}

/* ---- End of a record --------------------------------------------------------------------- */

/* Each scan returns the position after the line end of the record, or NULL when it is not in the
 * buffer; scan.at is then the end of the bytes scanned. */
static const char *scan_line(struct reader *reader)
{
    const char *end = reader->buffer + reader->end;
    const char *at = reader->buffer + reader->start + reader->scan.at;
    const char *line_end = memchr(at, '\n', (size_t)(end - at));
    reader->scan.at = reader->end - reader->start;
    return line_end ? line_end + 1 : NULL;
}

static uint64_t count_line_ends(const char *at, const char *end)
{
    uint64_t count = 0;
    while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        count++;
        at++;
    }
    return count;
}

/* Inside quotes from AT on: returns the position after the closing quote, or END. */
static const char *scan_quoted(struct reader_scan *scan, const char *at, const char *end)
{
    const char *quote = memchr(at, '"', (size_t)(end - at));
    const char *stop = quote ? quote : end;
    scan->line_ends += count_line_ends(at, stop);
    if (!quote) return end;
    scan->state = QUOTE_SEEN; /* closing, or the first of a doubled quote */
    return quote + 1;
}

/* Outside of quotes from AT to LIMIT (a line end or the end of the buffer): returns the position
 * after the next separator that precedes a quote, or LIMIT. A quote elsewhere is an ordinary
 * character. */
static const char *scan_unquoted(struct reader_scan *scan, char separator, const char *at,
                                 const char *limit)
{
    const char *from = at;
    for (const char *quote; (quote = memchr(from, '"', (size_t)(limit - from))); from = quote + 1)
        if (quote > at && quote[-1] == separator) {
            scan->state = FIELD_START;
            return quote;
        }
    scan->state = limit > at && limit[-1] == separator ? FIELD_START : UNQUOTED;
    return limit;
}

static const char *scan_csv(struct reader *reader)
{
    struct reader_scan *scan = &reader->scan;
    const char *end = reader->buffer + reader->end;
    const char *at = reader->buffer + reader->start + scan->at;
    const char *line_end = NULL; /* the next one at or after AT; end when there is none */
    while (at < end) {
        switch (scan->state) {
        case QUOTED:
            at = scan_quoted(scan, at, end);
            break;
        case QUOTE_SEEN:
            scan->state = *at == '"' ? QUOTED : UNQUOTED;
            if (*at == '"') at++;
            break;
        case FIELD_START:
            if (*at == '"') {
                scan->state = QUOTED;
                scan->quote_line = reader->line + scan->line_ends;
                at++;
                break;
            }
            scan->state = UNQUOTED; /* fall through */
        case UNQUOTED:
            /* Cached between fields; otherwise a long line of quotes would be searched
             * repeatedly. */
            if (!line_end || line_end < at) line_end = memchr(at, '\n', (size_t)(end - at));
            if (!line_end) line_end = end;
            at = scan_unquoted(scan, reader->csv, at, line_end);
            if (at == line_end && at < end) return at + 1;
            break;
        }
    }
    scan->at = reader->end - reader->start;
    return NULL;
}

/* Drops the bytes of a record that is too long; the search for its end continues. */
static void discard(struct reader *reader)
{
    reader->discarding = 1;
    reader->start = reader->end = 0;
    reader->scan.at = 0;
}

/* Returns the record that ends at STOP. */
static void take_record(struct reader *reader, const char *stop, struct reader_record *record)
{
    const char *from = reader->buffer + reader->start;
    size_t length = (size_t)(stop - from);
    int has_line_end = length && stop[-1] == '\n';
    if (has_line_end) length--;
    if (length && from[length - 1] == '\r') length--;
    record->raw = (film_text){from, length};
    record->line = reader->line;
    record->too_long = reader->discarding || length > READER_MAX_RECORD;
    if (record->too_long) record->raw = (film_text){"", 0};
    reader->line += reader->scan.line_ends + 1;
    reader->start = (size_t)(stop - reader->buffer);
    reader->scan = (struct reader_scan){0};
    reader->discarding = 0;
}

int reader_next_ready(struct reader *reader, struct reader_record *record)
{
    const char *stop = reader->csv ? scan_csv(reader) : scan_line(reader);
    if (!stop && reader->over && reader->scan.state != QUOTED &&
        (reader->start < reader->end || reader->discarding))
        stop = reader->buffer + reader->end; /* the last line has no line end */
    if (stop) take_record(reader, stop, record);
    return stop != NULL;
}

film_status reader_next(struct reader *reader, struct reader_record *record, film_error *error)
{
    while (!reader_next_ready(reader, record)) {
        if (reader->over && reader->scan.state == QUOTED)
            return status_set(error, FILM_BAD_INPUT,
                              "%s:%llu: the quote opened here is never closed; write a quote "
                              "inside a quoted field twice (\"\")",
                              source_name(reader->source),
                              (unsigned long long)reader->scan.quote_line);
        if (reader->over) return FILM_END;
        /* Two bytes more than the limit: the line end may still follow. */
        if (reader->end - reader->start > READER_MAX_RECORD + 2) discard(reader);
        film_status status = read_more(reader, error);
        if (status != FILM_OK) return status;
    }
    return FILM_OK;
}
