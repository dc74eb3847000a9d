/* Validity and boundaries of UTF-8 characters. All code after the readers may rely on valid text.
 * utf8proc knows the properties of a character (letter, digit). */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>

/* Returns 1 when BYTES are valid UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
 * Otherwise returns 0 and sets *BAD (may be NULL) to the offset of the first invalid sequence. */
int utf8_valid(const char *bytes, size_t length, size_t *bad);

/* Returns the length of the valid character at BYTES, or 0. LEFT is the number of bytes available
 * (at least 1). */
size_t utf8_character(const char *bytes, size_t left);

/* Returns whether BYTE is a continuation byte. */
static inline int utf8_continues(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Returns the offset of the character after the one at AT (below LENGTH), or LENGTH. */
static inline size_t utf8_next(const char *bytes, size_t length, size_t at)
{
    do at++;
    while (at < length && utf8_continues(bytes[at]));
    return at;
}

/* Returns the largest length that is at most MOST and cuts no character. */
static inline size_t utf8_cut(const char *bytes, size_t length, size_t most)
{
    if (length <= most) return length;
    while (most && utf8_continues(bytes[most])) most--;
    return most;
}

#endif
