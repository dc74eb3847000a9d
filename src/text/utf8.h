/* Is it UTF-8? Everything behind the readers may rely on it. */
#ifndef TEXT_UTF8_H
#define TEXT_UTF8_H

#include <stddef.h>

/* 1 when BYTES are valid UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF). Else 0,
 * and *BAD (may be NULL) is the offset of the first byte of the sequence that is wrong. */
int utf8_valid(const char *bytes, size_t length, size_t *bad);

#endif
