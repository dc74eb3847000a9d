/* A record as one text: each field is the byte FIELD_NAME_MARK, its name, FIELD_VALUE_MARK, its
 * value. A text that does not begin with FIELD_NAME_MARK is a sentence, a record of one field
 * without a name. So everything that stores or compares sentences takes records too. The tokenizer
 * skips the names; pair/schema.h compares field by field. */
#ifndef TEXT_RECORD_TEXT_H
#define TEXT_RECORD_TEXT_H

#include "base/status.h"

enum { FIELD_NAME_MARK = 0x1e, FIELD_VALUE_MARK = 0x1f };

static inline int record_text_is(film_text text)
{
    return text.length && text.bytes[0] == FIELD_NAME_MARK;
}

/* Reads the next field of a record; *AT starts at 0. Returns 0 after the last. */
int record_text_next(film_text text, size_t *at, film_text *name, film_text *value);

/* Returns the value of the field NAME (ASCII case is ignored); no bytes where there is none. */
film_text record_text_find(film_text text, film_text name);

/* A text that grows field by field. Zero-initialise it. */
struct record_text {
    char *bytes;
    size_t length, capacity;
};

/* Appends a field. A missing value (empty, "null", "nan", "n/a", ...) is not stored. Bytes of NAME
 * and VALUE that are marks become spaces. Returns 0 without memory. */
int record_text_add(struct record_text *record, film_text name, film_text value);

/* Returns whether VALUE says that there is none. */
int record_text_missing(film_text value);

/* Appends the fields of a JSON object. Numbers, true and false become text; null is a missing
 * value; arrays and objects stay JSON. */
film_status record_text_json(struct record_text *record, film_text json, film_error *error);

#endif
