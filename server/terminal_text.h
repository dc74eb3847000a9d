/* Text that others wrote, printed for people: a sentence, an id, a name in a model or a message
 * about them. A terminal acts on control characters: it would change its title or its colours, hide
 * lines, or type on behalf of the user. The program and the server print such text with these
 * functions only. JSON keeps every character. */
#ifndef SERVER_TERMINAL_TEXT_H
#define SERVER_TERMINAL_TEXT_H

#include "film_types.h"

#include <stddef.h>
#include <stdio.h>

/* Prints a text; a record as "title: EOS 5D, price: 1099". A space replaces each control character
 * (C0, DEL, C1), and each character that reorders those after it (embeddings, overrides and
 * isolates of bidirectional text); "?" replaces a byte that is not UTF-8. */
void print_text(FILE *to, film_text text);

/* The same for bytes FROM .. TO of the text. */
void print_range(FILE *to, film_text text, size_t from, size_t end);

/* Formats like fprintf and prints the result as print_text does. A line end at the end of the
 * format stays. */
void print_clean(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns whether print_clean has printed only the begin of a text because memory ran out. */
int print_was_cut(void);

/* Returns the length of the control character at byte AT of a text, or 0. */
static inline size_t control_at(film_text text, size_t at)
{
    unsigned char c = (unsigned char)text.bytes[at];
    if (c < 32 || c == 127) return 1;
    /* U+0080 to U+009F */
    return c == 0xc2 && at + 1 < text.length && ((unsigned char)text.bytes[at + 1] & 0xe0) == 0x80
               ? 2
               : 0;
}

/* The marks of a record's text (film_record_text), which are control characters too. */
enum { RECORD_NAME = 0x1e, RECORD_VALUE = 0x1f };
static inline int record_mark(film_text text, size_t at)
{
    char c = text.bytes[at];
    return text.bytes[0] == RECORD_NAME && (c == RECORD_NAME || c == RECORD_VALUE);
}

/* What is shown for the control character at byte AT: a space, or the sign for a record's mark. */
static inline const char *control_shown(film_text text, size_t at)
{
    if (!record_mark(text, at)) return " ";
    return text.bytes[at] == RECORD_VALUE ? ": " : at ? ", " : "";
}

#endif
