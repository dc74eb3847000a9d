/* A growing buffer, and functions that append JSON to it. If memory runs out or the limit is
 * reached, `failed` is set and later writes do nothing; check it once at the end. */
#ifndef SERVER_BYTES_H
#define SERVER_BYTES_H

#include "film.h"

struct bytes {
    char *data;
    size_t length, capacity;
    size_t limit; /* of the length; 0: none */
    int failed;
    int full; /* the limit was reached; stays set when the buffer is freed */
};

void bytes_free(struct bytes *bytes);

/* Reserves room for MORE bytes at the end; returns 0 if memory runs out. */
int bytes_reserve(struct bytes *bytes, size_t more);

void bytes_append(struct bytes *bytes, const void *data, size_t length);
void bytes_text(struct bytes *bytes, const char *text); /* unescaped */
void bytes_format(struct bytes *bytes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* JSON values. Strings must be UTF-8. */
void bytes_string(struct bytes *bytes, film_text text);
void bytes_record(struct bytes *bytes, film_text text); /* a sentence; a record as an object */
void bytes_real(struct bytes *bytes, double number);    /* with full precision */
void bytes_flag(struct bytes *bytes, int flag);

/* {"error": {"status": STATUS, "message": MESSAGE}} and a line end. */
void bytes_error(struct bytes *bytes, unsigned status, const char *message);

#endif
