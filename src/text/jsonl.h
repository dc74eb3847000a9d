/* JSON lines: one object per line, its keys are the columns. */
#ifndef TEXT_JSONL_H
#define TEXT_JSONL_H

#include "text/record.h"

/* Parses raw. jansson allocates for itself. */
film_status jsonl_parse(struct record *record, film_error *error);

/* Fields in the order of NAMES. Numbers, true and false as text; null and what is not there: empty;
 * arrays and objects as JSON. */
film_status jsonl_fields(struct record *record, char *const *names, size_t count,
                         film_error *error);

/* Refuses the record unless KEY holds a string, a number, true or false. */
film_status jsonl_require(const struct record *record, const char *key, film_error *error);

/* All keys of the parsed RECORDS in the order of their first appearance (256 at most), as copies.
 * The caller frees them, also after a failure. */
film_status jsonl_keys(const struct record *records, size_t record_count, char ***names,
                       size_t *count, film_error *error);

#endif
