/* JSON written straight into memory, for responses that are produced ten thousand times a second.
 * The writer inserts the commas. When memory runs out, it ignores further calls and reports the
 * failure at the end, so callers need no error checks in between. */
#ifndef BASE_WRITER_H
#define BASE_WRITER_H

#include "base/status.h"

/* Zero-initialise it. */
struct writer {
    char *bytes;
    size_t length, capacity;
    int comma;  /* write a comma before the next value */
    int failed; /* out of memory */
};

/* BRACKET is '{' or '['. */
void writer_open(struct writer *writer, char bracket);
void writer_close(struct writer *writer, char bracket);
/* No character of KEY needs escaping. */
void writer_key(struct writer *writer, const char *key);
/* A key that may need escapes. */
void writer_name(struct writer *writer, film_text name);

/* TEXT is valid UTF-8. */
void writer_text(struct writer *writer, film_text text);

/* Writes TEXT with the escapes of a JSON string, without quotes, to OUT, which has room for
 * WRITER_ESCAPED bytes per byte of TEXT. Returns the number of bytes written. */
enum { WRITER_ESCAPED = 6 };
size_t writer_escape(film_text text, char *out);

void writer_count(struct writer *writer, size_t number);
void writer_truth(struct writer *writer, int truth);
void writer_null(struct writer *writer);

/* Writes 17 digits, which read back as the same double. Writes null when NUMBER is not finite. */
void writer_number(struct writer *writer, double number);

/* Writes the SIGNIFICANT first digits, for readers that draw. */
void writer_rounded(struct writer *writer, double number, int significant);

/* Writes twelve decimals, which takes a twentieth of the time of writer_number. A sum of a thousand
 * weights is still right to 1e-9. */
void writer_weight(struct writer *writer, double weight);

/* Inserts existing JSON as one value. */
void writer_raw(struct writer *writer, const char *json, size_t length);

/* Passes the text to the caller as *JSON, or frees it and returns FILM_NO_MEMORY with *JSON NULL.
 * In both cases the writer is empty afterwards: it owns nothing and can be freed or used again.
 * LENGTH may be NULL. */
film_status writer_finish(struct writer *writer, char **json, size_t *length, film_error *error);

/* For a `done:` label: frees the memory of a writer that was not finished. */
void writer_free(struct writer *writer);

#endif
