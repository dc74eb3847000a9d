/* JSON lines: one object per line; its keys are the columns. */
#ifndef TEXT_JSONL_H
#define TEXT_JSONL_H

#include "text/record.h"

/* Parses record->raw. jansson uses its own allocator. */
film_status jsonl_parse(struct record *record, film_error *error);

/* Sets the fields in the order of NAMES. Numbers, true and false become text. null and missing keys
 * become empty fields. Arrays and objects stay JSON. */
film_status jsonl_fields(struct record *record, char *const *names, size_t count,
                         film_error *error);

/* Fails unless KEY holds a string, a number, true or false. */
film_status jsonl_require(const struct record *record, const char *key, film_error *error);

/* All keys of the parsed RECORDS in the order of first appearance (at most RECORD_MAX_KEYS), as
 * copies. The caller frees them, also after a failure. */
film_status jsonl_keys(const struct record *records, size_t record_count, char ***names,
                       size_t *count, film_error *error);

#endif
