/* A row of a table as a sentence of a pool. */
#ifndef DEDUP_ROW_FIELDS_H
#define DEDUP_ROW_FIELDS_H

#include "film_pool.h"
#include "base/status.h"

struct row_fields {
    film_sentence sentence; /* its texts point into the row or into the fields below */
    char *more;
    void *object; /* json_t */
};

/* Empty fields count as missing. Free FIELDS also after a failure. */
film_status row_fields_read(const film_table *table, const film_row *row, struct row_fields *fields,
                            film_error *error);
void row_fields_free(struct row_fields *fields);

/* Maximum depth of the JSON in `more`; SQLite cannot query much deeper objects. */
enum { FIELDS_DEPTH = 100 };

/* Returns whether the brackets of a JSON text are nested at most FIELDS_DEPTH deep. */
int fields_shallow(film_text json);

/* Checks that a sentence can be stored: valid UTF-8 without NUL, a text, a valid id, no deeply
 * nested fields. WHERE ("file:17: ") begins the message. */
film_status row_fields_check(const film_sentence *sentence, const char *where, film_error *error);

/* Checks that `more` is a JSON object (or missing). Rows of files need no check: their object was
 * made here. */
film_status row_fields_check_more(film_text more, const char *where, film_error *error);

/* Parses `more`. OUT is NULL if there is none, or if it is no JSON (film pool check reports it). */
struct json_t;
film_status row_fields_load(film_text more, struct json_t **out, film_error *error);

/* An id for a sentence without one: a function of its text. */
enum { ROW_FIELDS_ID_BYTES = 24 };
film_text row_fields_make_id(film_text text, char id[ROW_FIELDS_ID_BYTES]);

/* JSON (a json_t) as text; free it with free. NULL: out of memory. By default jansson writes 3.8 as
 * 3.7999999999999998. This function writes fewer digits where they read back as the same number. */
char *row_fields_dump(const void *json);

/* Returns {NULL, 0} for an empty text. */
film_text row_fields_or_none(film_text text);

#endif
