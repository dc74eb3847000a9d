/* One record of a table, split into fields. */
#ifndef TEXT_RECORD_H
#define TEXT_RECORD_H

#include "base/status.h"

#include <stdint.h>

/* Limit on the number of columns; it bounds the memory of a row made of tabs. */
enum { RECORD_MAX_FIELDS = 4096, RECORD_MAX_KEYS = 2048 }; /* keys of JSON lines */

enum record_format { RECORD_TSV, RECORD_CSV, RECORD_JSONL, RECORD_LINES, RECORD_FORMATS };

struct record {
    const char *name; /* name of the file, for messages */
    /* No record may be skipped: messages do not offer to skip bad rows. */
    int all_needed;
    char separator; /* of CSV */
    uint64_t line;
    film_text raw;
    film_text *fields; /* point into raw, scratch or json */
    size_t field_count, field_capacity;
    char *scratch; /* rewritten fields: doubled quotes, numbers of JSON */
    size_t scratch_capacity;
    void *json; /* json_t of JSON lines */
};

void record_free(struct record *record);

/* Formats "name:line: ", the message, and how to continue. */
film_status record_bad(const struct record *record, film_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fails on NUL bytes and on invalid UTF-8. */
film_status record_check_bytes(const struct record *record, enum record_format format,
                               film_error *error);

/* Splits raw into fields; not for JSON lines (jsonl.h). */
film_status record_split(struct record *record, enum record_format format, film_error *error);

/* Appends a field. */
film_status record_add(struct record *record, film_text field, film_error *error);

#endif
