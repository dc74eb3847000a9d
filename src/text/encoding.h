/* Encodings of text files besides UTF-8, in which one byte is one character. */
#ifndef TEXT_ENCODING_H
#define TEXT_ENCODING_H

#include "base/status.h"

enum encoding { ENCODING_UTF8, ENCODING_WINDOWS_1252, ENCODING_LATIN_1 };

/* NAME NULL is UTF-8. */
film_status encoding_find(const char *name, enum encoding *encoding, film_error *error);

/* Converts COUNT bytes to UTF-8. OUT has room for 3 * COUNT bytes. Returns the number written. */
size_t encoding_to_utf8(enum encoding encoding, const unsigned char *bytes, size_t count,
                        char *out);

#endif
