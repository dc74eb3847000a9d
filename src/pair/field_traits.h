/* What each type of field measures of two values. */
#ifndef PAIR_FIELD_TRAITS_H
#define PAIR_FIELD_TRAITS_H

#include "pair/reading.h"
#include "text/field_types.h"

/* The value of a trait where a side has no value, or one that its type cannot parse. */
#define FIELD_MISSING (-0.5)
enum { FIELD_MEASURES = 10 }; /* the most of a type */

struct field_measure {
    const char *id, *name, *about;
};

/* How the words of two values overlap; weighted by rarity. */
struct field_words {
    double all[2], squares[2], shared, shared_squares;
    double rarest_alone[2]; /* 0: no word is alone */
    double head[2];         /* share of a side's words that the other has, early words count more */
    double elsewhere[2];    /* share of the side's words that the whole other record has */
};

/* Two values of one field. */
struct field_pair {
    film_text value[2];    /* no bytes where it is missing */
    size_t from[2], to[2]; /* its words in the reading */
    const struct reading *reading;
    struct field_words words;
};

struct field_comparer {
    const struct field_measure *measures;
    size_t count;
    /* Sets OUT (count values, which are FIELD_MISSING before); both values are present. Returns 0
     * when a value cannot be parsed. */
    int (*compare)(const struct field_pair *pair, double *out);
};

const struct field_comparer *field_comparer(enum field_type type);

/* Edit similarity of two short byte strings, 1 - distance / length of the longer; above 64 bytes
 * the Dice coefficient of their letter triples. */
double field_spelling(film_text a, film_text b);

#endif
