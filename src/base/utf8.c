/* Validates UTF-8 by table 3-7 of the Unicode standard, eight bytes of ASCII at a time. It does not
 * decode code points: utf8proc does where the properties of a character matter. */
#include "base/utf8.h"
#include "film_types.h"

#include <stdint.h>
#include <string.h>

/* The range of the second byte depends on the first (Unicode, table 3-7). This excludes overlong
 * forms, surrogates and code points that are too large. */
size_t utf8_character(const char *bytes, size_t left)
{
    const unsigned char *text = (const unsigned char *)bytes;
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
        if (!utf8_continues(bytes[i])) return 0;
    return length;
}

int utf8_valid(const char *bytes, size_t length, size_t *bad)
{
    size_t at = 0;
    while (at < length) {
        /* Most text is ASCII: eight bytes at a time while no high bit is set. */
        uint64_t word;
        while (length - at >= sizeof word) {
            memcpy(&word, bytes + at, sizeof word);
            if (word & UINT64_C(0x8080808080808080)) break;
            at += sizeof word;
        }
        /* Then character by character, until the end or until ASCII returns at the start of a
         * word. */
        while (at < length) {
            size_t step = utf8_character(bytes + at, length - at);
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

int film_text_valid(film_text text, size_t *bad)
{
    return utf8_valid(text.bytes, text.length, bad);
}

size_t film_text_cut(film_text text, size_t most)
{
    return utf8_cut(text.bytes, text.length, most);
}
