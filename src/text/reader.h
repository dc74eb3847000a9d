/* A file's records, one after the other, found in a buffer that grows to the largest record only.
 *
 * A record is a line; in CSV a quoted field may hold line ends. Written here rather than taken from
 * libcsv: that calls back for every byte and field and does not know line numbers; memchr over a
 * large buffer is several times faster and lets rows point into the buffer without a copy. */
#ifndef TEXT_READER_H
#define TEXT_READER_H

#include "text/source.h"

enum { READER_MAX_RECORD = 16 << 20 };

/* Where the search for the record's end stands; it goes on here after more bytes came. */
struct reader_scan {
    size_t at; /* relative to the record's start */
    enum { FIELD_START, UNQUOTED, QUOTED, QUOTE_SEEN } state;
    uint64_t line_ends;  /* inside the record so far */
    uint64_t quote_line; /* where the quote that is open was opened */
};

struct reader {
    struct source *source;
    int csv; /* quotes count */
    char *buffer;
    size_t capacity, start, end; /* the bytes not handed out yet are [start, end) */
    int over;                    /* the source has no more */
    int discarding;              /* inside a record that is too long */
    uint64_t line;               /* of the byte at start, from 1 */
    uint64_t
        lines_before; /* added to the line of a quote that is never closed: those before a seek */
    struct reader_scan scan;
};

struct reader_record {
    film_text raw; /* without line end; valid until the next call */
    uint64_t line;
    int too_long; /* more than READER_MAX_RECORD bytes: passed over, raw is empty */
};

/* Takes the source over, also when it fails. */
film_status reader_open(struct reader *reader, struct source *source, film_error *error);
void reader_close(struct reader *reader);

/* Reads until COUNT bytes or all there are lie in the buffer. */
film_status reader_fill(struct reader *reader, size_t count, film_error *error);

/* Where in the source the next record begins (of what comes out of it, when it is compressed). */
uint64_t reader_offset(const struct reader *reader);

/* Goes on at OFFSET as if a record began there; only where the source can (source_size). */
film_status reader_seek(struct reader *reader, uint64_t offset, film_error *error);

/* At the start of a file: passes over UTF-8's byte order mark, refuses UTF-16's and an empty
 * file. */
film_status reader_check_start(struct reader *reader, film_error *error);

/* Drops COUNT bytes (of those in the buffer) at the front; the rest moves to the buffer's start. */
void reader_drop(struct reader *reader, size_t count);

/* The next record; FILM_END after the last. A quote that is never closed is an error that stays:
 * there is no telling where the next record would begin. */
film_status reader_next(struct reader *reader, struct reader_record *record, film_error *error);

/* The same from what is in the buffer, without reading: 0 when no complete record is left there. */
int reader_next_ready(struct reader *reader, struct reader_record *record);

#endif
