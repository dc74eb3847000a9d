/* Single values of a table: numbers, 0/1 labels, names. Parsing ignores the locale. */
#ifndef TEXT_VALUE_H
#define TEXT_VALUE_H

#include "film_types.h"

#include <string.h>

static inline film_text value_of(const char *string)
{
    return (film_text){string, strlen(string)};
}

/* Removes spaces at both ends. */
film_text value_trim(film_text text);

/* Compares without regard to ASCII case and to spaces at both ends. */
int value_is(film_text text, const char *word);

/* Parses a finite decimal number ("3.8", "-1e-3"). Returns 1 on success, else 0. */
int value_number(film_text text, double *number);

/* Parses a binary label: 0, 1, 0.0, 1.0, yes, no, true, false, same, different, duplicate, match
 * and the words of entailment data (entailment is 1; neutral and contradiction are 0), also negated
 * ("not_duplicate", "no match"). Returns 1 on success, else 0. */
int value_label(film_text text, double *label);

/* TEXT for a message: at most 40 bytes, control characters replaced by '?'. */
enum { VALUE_SHOWN = 48 };
const char *value_show(film_text text, char shown[VALUE_SHOWN]);

/* ASCII only, whatever the locale. */
static inline int value_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline int value_letter(char c)
{
    return (unsigned char)((c | 32) - 'a') < 26;
}

#endif
