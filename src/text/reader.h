/* Reads a file record by record from a buffer that grows only to the size of the largest record.
 *
 * A record is a line; in CSV, a quoted field may contain line ends. We do not use libcsv: it calls
 * back for every field and does not report line numbers. memchr over a large buffer is several
 * times faster, and rows point into the buffer without a copy. */
#ifndef TEXT_READER_H
#define TEXT_READER_H

#include "text/source.h"

enum { READER_MAX_RECORD = 16 << 20 };

/* State of the search for the end of a record; the search resumes here when more bytes arrive. */
struct reader_scan {
    size_t at; /* relative to the start of the record */
    enum { FIELD_START, UNQUOTED, QUOTED, QUOTE_SEEN } state;
    uint64_t line_ends;  /* inside the record so far */
    uint64_t quote_line; /* where the open quote begins */
};

struct reader {
    struct source *source;
    char csv; /* the separator of CSV, where quotes are significant; 0: another format */
    char *buffer;
    size_t capacity, start, end; /* bytes not yet returned: [start, end) */
    int over;                    /* the source is at its end */
    int discarding;              /* inside a record that is too long */
    uint64_t line;               /* line number of the byte at start, from 1 */
    struct reader_scan scan;
};

struct reader_record {
    film_text raw; /* without line end; valid until the next call */
    uint64_t line;
    int too_long; /* longer than READER_MAX_RECORD bytes: skipped, raw is empty */
};

/* Takes ownership of SOURCE, also on failure. */
film_status reader_open(struct reader *reader, struct source *source, film_error *error);
void reader_close(struct reader *reader);

/* Reads until the buffer holds COUNT bytes or the source ends. */
film_status reader_fill(struct reader *reader, size_t count, film_error *error);

/* Call it at the start of a file: skips a UTF-8 byte order mark, refuses UTF-16 and empty files. */
film_status reader_check_start(struct reader *reader, film_error *error);

/* Returns the error of a source without a row. */
film_status reader_empty(const struct reader *reader, film_error *error);

/* Drops the first COUNT bytes of the buffer and moves the remaining bytes to its start. */
void reader_drop(struct reader *reader, size_t count);

/* Returns the next record, or FILM_END after the last. A quote that is never closed is a permanent
 * error, because the start of the next record is then unknown. */
film_status reader_next(struct reader *reader, struct reader_record *record, film_error *error);

/* As reader_next, but without reading: returns 0 when the buffer has no complete record. */
int reader_next_ready(struct reader *reader, struct reader_record *record);

#endif
