/* Checks that bytes are UTF-8: no overlong forms, no surrogates. */
#include "text/utf8.h"

#include <stdint.h>
#include <string.h>

/* The length of the valid sequence at TEXT, of which LEFT bytes are there; 0 when it is not valid.
 * The second byte's range depends on the first (Unicode, table 3-7): that is where overlong forms,
 * surrogates and numbers too large are told apart. */
static size_t sequence(const unsigned char *text, size_t left)
{
    unsigned lead = text[0], low = 0x80, high = 0xBF;
    size_t length;
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) {
        length = 2;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        length = 3;
        if (lead == 0xE0) low = 0xA0;  /* below: overlong */
        if (lead == 0xED) high = 0x9F; /* above: surrogates */
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        length = 4;
        if (lead == 0xF0) low = 0x90;  /* below: overlong */
        if (lead == 0xF4) high = 0x8F; /* above: beyond U+10FFFF */
    } else {
        return 0;
    }
    if (left < length || text[1] < low || text[1] > high) return 0;
    for (size_t i = 2; i < length; i++)
        if ((text[i] & 0xC0) != 0x80) return 0;
    return length;
}

int utf8_valid(const char *bytes, size_t length, size_t *bad)
{
    const unsigned char *text = (const unsigned char *)bytes;
    size_t at = 0;
    while (at < length) {
        /* Most text is ASCII: eight bytes at a time while no high bit is set. */
        uint64_t word;
        while (length - at >= sizeof word) {
            memcpy(&word, text + at, sizeof word);
            if (word & UINT64_C(0x8080808080808080)) break;
            at += sizeof word;
        }
        /* Then byte by byte until ASCII comes back at the start of a word, or the end. */
        while (at < length) {
            size_t step = sequence(text + at, length - at);
            if (step == 0) {
                if (bad) *bad = at;
                return 0;
            }
            at += step;
            if (step == 1 && length - at >= sizeof word) break;
        }
    }
    return 1;
}
