/* Replaces what a terminal would act on in texts that others wrote. The rest of UTF-8 is printed as
 * it is. */
#include "terminal_text.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Returns the length of the UTF-8 sequence at byte AT, or 0 if there is none. An overlong one is
 * none: some terminals decode it to a control character. */
static size_t sequence_at(film_text text, size_t at)
{
    const unsigned char *bytes = (const unsigned char *)text.bytes + at;
    unsigned char c = bytes[0];
    size_t length = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    if (length > text.length - at) return 0;
    for (size_t i = 1; i < length; i++)
        if ((bytes[i] & 0xc0) != 0x80) return 0;
    if ((c == 0xe0 && bytes[1] < 0xa0) || (c == 0xf0 && bytes[1] < 0x90)) return 0;
    return length;
}

/* Whether the sequence of three bytes is U+202A to U+202E or U+2066 to U+2069. */
static int reorders(const char *sequence)
{
    unsigned char last = (unsigned char)sequence[2];
    return memcmp(sequence, "\xe2\x80", 2) == 0   ? last >= 0xaa && last <= 0xae
           : memcmp(sequence, "\xe2\x81", 2) == 0 ? last >= 0xa6 && last <= 0xa9
                                                  : 0;
}

void print_range(FILE *to, film_text text, size_t from, size_t end)
{
    size_t plain = from; /* not yet printed from here on */
    for (size_t at = from, length; at < end; at += length) {
        size_t control = control_at(text, at);
        length = control ? control : sequence_at(text, at);
        const char *shown = control                                    ? control_shown(text, at)
                            : length == 0                              ? "?"
                            : length == 3 && reorders(text.bytes + at) ? " "
                                                                       : NULL;
        if (length == 0) length = 1;
        if (!shown) continue;
        fwrite(text.bytes + plain, 1, at - plain, to);
        fputs(shown, to);
        plain = at + length;
    }
    if (plain < end) fwrite(text.bytes + plain, 1, end - plain, to);
}

void print_text(FILE *to, film_text text)
{
    print_range(to, text, 0, text.length);
}

static atomic_int cut; /* a text was too long for memory */

int print_was_cut(void)
{
    return atomic_load(&cut);
}

void print_clean(FILE *to, const char *format, ...)
{
    va_list arguments, again;
    char usual[1024], *longer = NULL; /* nearly all texts: nothing can fail */
    size_t end = strlen(format);
    int ends_line = end > 0 && format[end - 1] == '\n';
    va_start(arguments, format);
    va_copy(again, arguments);
    int wanted = vsnprintf(usual, sizeof usual, format, arguments);
    size_t length = wanted < 0 ? 0 : (size_t)wanted;
    if (length >= sizeof usual && (longer = malloc(length + 1)))
        vsnprintf(longer, length + 1, format, again);
    if (wanted < 0) usual[0] = 0;
    if (wanted < 0 || (length >= sizeof usual && !longer)) {
        atomic_store(&cut, 1);
        length = strlen(usual) + (size_t)ends_line;
    }
    va_end(again);
    va_end(arguments);
    print_range(to, (film_text){longer ? longer : usual, length - (size_t)ends_line}, 0,
                length - (size_t)ends_line);
    if (ends_line) putc('\n', to);
    free(longer);
}
