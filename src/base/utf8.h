/* Characters in bytes of UTF-8: are they valid, where does one begin and end. Everything behind the
 * readers may rely on valid text. What a character is (a letter, a digit) is known to utf8proc. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>

/* 1 when BYTES are valid UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF). Else 0,
 * and *BAD (may be NULL) is the offset of the first byte of the sequence that is wrong. */
int utf8_valid(const char *bytes, size_t length, size_t *bad);

/* The length of the valid character at BYTES, of which LEFT bytes are there (1 or more); 0: none. */
size_t utf8_character(const char *bytes, size_t left);

/* Does the byte continue a character that an earlier one began? */
static inline int utf8_continues(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Where the character after the one at AT (below LENGTH) begins, or LENGTH. */
static inline size_t utf8_next(const char *bytes, size_t length, size_t at)
{
    do at++;
    while (at < length && utf8_continues(bytes[at]));
    return at;
}

/* How many of LENGTH bytes to keep so that it is at most MOST and no character is cut. */
static inline size_t utf8_cut(const char *bytes, size_t length, size_t most)
{
    if (length <= most) return length;
    while (most && utf8_continues(bytes[most])) most--;
    return most;
}

#endif
