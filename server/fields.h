/* Reads the JSON of a request by a table of fields. The table both parses and describes the
 * request, as the table of options does for a verb on the command line. */
#ifndef SERVER_FIELDS_H
#define SERVER_FIELDS_H

#include "message.h"

#include <jansson.h>
#include <stddef.h>

enum field_kind {
    FIELD_TEXT,   /* film_text: a string, or an object with the fields of a record */
    FIELD_FLAG,   /* int */
    FIELD_COUNT,  /* size_t, from `least` to `most`; the string `words`, if any: SIZE_MAX */
    FIELD_SHARE,  /* double between 0 and 1, both excluded */
    FIELD_LEAST,  /* double from 0 to 1 */
    FIELD_NUMBER, /* double */
    FIELD_WORD,   /* int: index of the word in "auto|full|threshold" */
    FIELD_LIST,   /* const json_t *: an array */
    FIELD_TEXTS,  /* const json_t *: a string or an array */
    FIELD_OBJECT  /* const json_t * */
};

/* Maximum depth of a request's JSON. */
enum { FIELDS_DEPTH = 100 };

struct field {
    const char *name; /* NULL ends the table */
    enum field_kind kind;
    /* Offset of the value in the caller's struct. The value is unchanged if the field is
     * missing. */
    size_t at;
    size_t least, most;
    const char *words;
};

/* Parses the body and reads its fields into VALUES. Unknown fields are errors. Returns 0 on error,
 * with the message in RESPONSE. The values live as long as *ROOT, which the caller always frees. */
int fields_read(const struct request *request, const struct field *fields, void *values,
                json_t **root, struct response *response);

/* Reads a body of plain strings, counts and flags in place, in a tenth of the time. Returns 0 for
 * any other body, valid or not; VALUES may have changed then, and fields_read decides. Texts are
 * not NUL-terminated and live as long as the body. The table has at most 64 fields. */
int fields_plain(const struct request *request, const struct field *fields, void *values);

/* Does the same as fields_read for an object inside the body; WHERE names it in messages. */
int fields_of(const json_t *object, const char *where, const struct field *fields, void *values,
              struct response *response);

/* Reads item NUMBER of a list, a string or a record. The error message names the list NAME. */
int fields_text(const json_t *list, const char *name, size_t number, film_text *text,
                struct response *response);

/* Reads a list of at most MOST strings; the caller frees *TEXTS. Returns 0 on error. */
int fields_texts(const json_t *list, const char *name, size_t most, film_text **texts,
                 size_t *count, struct response *response);

/* Returns 0, with status 413 in RESPONSE, if COUNT exceeds MOST. */
int fields_not_many(size_t count, size_t most, const char *name, struct response *response);

#endif
