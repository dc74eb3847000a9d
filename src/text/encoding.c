/* Converts Windows-1252 and Latin-1 to UTF-8. As in browsers, a byte that Windows-1252 does not
 * assign becomes the control character of Latin-1, so no byte is an error. */
#include "text/encoding.h"
#include "text/value.h"

#include <stdint.h>

film_status encoding_find(const char *name, enum encoding *encoding, film_error *error)
{
    static const struct {
        const char *name;
        enum encoding encoding;
    } known[] = {{"utf-8", ENCODING_UTF8},
                 {"utf8", ENCODING_UTF8},
                 {"windows-1252", ENCODING_WINDOWS_1252},
                 {"cp1252", ENCODING_WINDOWS_1252},
                 {"latin-1", ENCODING_LATIN_1},
                 {"latin1", ENCODING_LATIN_1},
                 {"iso-8859-1", ENCODING_LATIN_1}};
    char shown[VALUE_SHOWN];
    *encoding = ENCODING_UTF8;
    if (!name) return FILM_OK;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (value_is(value_of(name), known[i].name)) {
            *encoding = known[i].encoding;
            return FILM_OK;
        }
    return status_set(error, FILM_USAGE,
                      "unknown encoding \"%s\"; choose utf-8, windows-1252 or latin-1",
                      value_show(value_of(name), shown));
}

/* The characters of Windows-1252 from 0x80 to 0x9f; 0: as in Latin-1. */
static const uint16_t windows[32] = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

size_t encoding_to_utf8(enum encoding encoding, const unsigned char *bytes, size_t count, char *out)
{
    char *at = out;
    for (size_t i = 0; i < count; i++) {
        unsigned c = bytes[i];
        if (encoding == ENCODING_WINDOWS_1252 && c >= 0x80 && c < 0xa0 && windows[c - 0x80])
            c = windows[c - 0x80];
        if (c < 0x80) {
            *at++ = (char)c;
        } else if (c < 0x800) {
            *at++ = (char)(0xc0 | c >> 6);
            *at++ = (char)(0x80 | (c & 0x3f));
        } else {
            *at++ = (char)(0xe0 | c >> 12);
            *at++ = (char)(0x80 | (c >> 6 & 0x3f));
            *at++ = (char)(0x80 | (c & 0x3f));
        }
    }
    return (size_t)(at - out);
}
