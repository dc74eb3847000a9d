/* A piece of memory that grows, and JSON written into it. A write that finds no memory is
 * remembered (`failed`) and those behind it do nothing, so that only the end has to be looked
 * at. */
#ifndef SERVER_BYTES_H
#define SERVER_BYTES_H

#include "film.h"

struct bytes {
    char *data;
    size_t length, capacity;
    int failed;
};

void bytes_free(struct bytes *bytes);

/* Room for MORE bytes behind the last; 0: no memory. */
int bytes_reserve(struct bytes *bytes, size_t more);

void bytes_append(struct bytes *bytes, const void *data, size_t length);
void bytes_text(struct bytes *bytes, const char *text); /* as it is */
void bytes_format(struct bytes *bytes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* JSON values. Strings must be UTF-8. */
void bytes_string(struct bytes *bytes, film_text text);
void bytes_real(struct bytes *bytes, double number); /* all its digits */
void bytes_flag(struct bytes *bytes, int flag);

/* {"error": {"status": STATUS, "message": MESSAGE}} and a line end. */
void bytes_error(struct bytes *bytes, unsigned status, const char *message);

#endif
