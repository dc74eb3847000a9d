/* JSON written straight into memory: what answers are made of that are asked for by the ten
 * thousand a second. Commas are its own affair. When memory runs out it goes on without writing and
 * says so at the end, so that the code that writes reads like what it writes. */
#ifndef BASE_WRITER_H
#define BASE_WRITER_H

#include "base/status.h"

struct writer { /* zero-initialised: empty */
    char *bytes;
    size_t length, capacity;
    int comma;  /* before the next value */
    int failed; /* no memory */
};

void writer_open(struct writer *writer, char bracket); /* '{' or '[' */
void writer_close(struct writer *writer, char bracket);
void writer_key(struct writer *writer, const char *key); /* no character of it needs escaping */

void writer_text(struct writer *writer, film_text text); /* valid UTF-8 */
void writer_count(struct writer *writer, size_t number);
void writer_truth(struct writer *writer, int truth);
void writer_null(struct writer *writer);

/* All 17 digits: reads back as the same double. Null when it is not finite. */
void writer_number(struct writer *writer, double number);

/* Twelve decimals: of a thousand weights the sum is still right to 1e-9, and it takes a twentieth
 * of the time. */
void writer_weight(struct writer *writer, double weight);

/* JSON from elsewhere, as one value. */
void writer_raw(struct writer *writer, const char *json, size_t length);

/* Hands out what was written, or frees it and returns FILM_NO_MEMORY. LENGTH may be NULL. */
film_status writer_finish(struct writer *writer, char **json, size_t *length, film_error *error);

#endif
