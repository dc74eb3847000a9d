/* Single values of a table: numbers, 0/1 labels, names. The locale plays no part. */
#ifndef TEXT_VALUE_H
#define TEXT_VALUE_H

#include "film_types.h"

#include <string.h>

static inline film_text value_of(const char *string)
{
    return (film_text){string, strlen(string)};
}

/* Without spaces at both ends. */
film_text value_trim(film_text text);

/* Equal but for upper and lower case of ASCII letters and spaces at both ends. */
int value_is(film_text text, const char *word);

/* A finite decimal number ("3.8", "-1e-3"): 1 and the number, else 0. */
int value_number(film_text text, double *number);

/* What says yes or no: 0, 1, 0.0, 1.0, true, false, and the words of entailment data (entailment is
 * 1; neutral, contradiction, not_entailment are 0). 1 and 0.0 or 1.0, else 0. */
int value_label(film_text text, double *label);

/* The text for a message: at most 40 bytes of it, control characters shown as '?'. */
enum { VALUE_SHOWN = 48 };
const char *value_show(film_text text, char shown[VALUE_SHOWN]);

#endif
