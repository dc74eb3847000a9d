/* The JSON of a request: a table of fields is its parser, as a verb's options are on the command
 * line. */
#ifndef SERVER_FIELDS_H
#define SERVER_FIELDS_H

#include "message.h"

#include <jansson.h>

enum field_kind {
    FIELD_TEXT,  /* film_text */
    FIELD_FLAG,  /* int */
    FIELD_COUNT, /* size_t, from 1 (from 0 with least 0) up to `most` */
    FIELD_SHARE, /* double between 0 and 1, both excluded */
    FIELD_LEAST, /* double from 0 to 1 */
    FIELD_WORD,  /* int: which of the words "auto|full|threshold" */
    FIELD_LIST,  /* const json_t *: an array */
    FIELD_OBJECT /* const json_t * */
};

struct field {
    const char *name; /* NULL ends the table */
    enum field_kind kind;
    void *target; /* left as it is where the field is not given */
    size_t least, most;
    const char *words;
};

/* The body as an object, its fields read and others refused. 0: refused, RESPONSE says why. What
 * was read lives as long as *ROOT, which the caller frees in any case. */
int fields_read(const struct request *request, const struct field *fields, json_t **root,
                struct response *response);

/* The same for an object inside of the body; WHERE names it in messages. */
int fields_of(const json_t *object, const char *where, const struct field *fields,
              struct response *response);

/* A string, with a message naming item NUMBER of the list called NAME otherwise. */
int fields_text(const json_t *value, const char *name, size_t number, film_text *text,
                struct response *response);

/* The items of a list of strings in memory to free; 0: refused. More than MOST is 413. */
int fields_texts(const json_t *list, const char *name, size_t most, film_text **texts,
                 size_t *count, struct response *response);

/* "2 pairs ... at most N": 413 when COUNT is more than MOST. */
int fields_not_many(size_t count, size_t most, const char *name, struct response *response);

#endif
