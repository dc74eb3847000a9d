/* The values of two records side by side, field by field, and the words of each. A sentence is one
 * value without a name. */
#ifndef EXPLAIN_VALUES_H
#define EXPLAIN_VALUES_H

#include "explain/words.h"
#include "pair/record_fields.h"

struct value_pair {
    film_text name;        /* no bytes: a sentence */
    film_text value[2];    /* of a and b, ranges of the texts; no bytes: missing */
    size_t from[2], to[2]; /* its words, as numbers in struct words */
    int atom;              /* a number, a date, a code: one unit, whatever words it has */
    double traits;         /* the weight of the field's group */
};

struct record_values {
    struct value_pair list[RECORD_FIELDS_MOST];
    size_t count;
    film_text text[2];
    int record[2]; /* whether the text is a record */
};

/* Finds the values of FIELDS, which are those of the model. Without fields, the values are those of
 * the records themselves, or two sentences. A sentence is the value of the first field. */
void values_find(struct record_values *values, const struct record_fields *fields,
                 const struct words *words, film_text a, film_text b);

/* Returns whether a side has the value. */
static inline int value_is_present(const struct value_pair *pair, int sentence)
{
    return pair->value[sentence].bytes != NULL;
}

/* The bytes of a value in its text. A missing value is at the end of the text. */
void value_span(const struct record_values *values, size_t number, int sentence, size_t *start,
                size_t *end);

#endif
