/* Quantities in a sentence, by value: "1,000", "1000" and "one thousand" are equal, so are "60
 * minutes" and "1 hour", "3rd of May" and "May 3". 5 mg is not 5 g. English words and the usual
 * signs; digits work in every language. */
#ifndef TEXT_QUANTITY_H
#define TEXT_QUANTITY_H

#include "film_types.h"

enum { QUANTITY_MOST = 16 };

enum quantity_kind {
    QUANTITY_NUMBER,
    QUANTITY_LENGTH, /* metres */
    QUANTITY_MASS,   /* kilograms */
    QUANTITY_TIME,   /* seconds */
    QUANTITY_VOLUME, /* litres */
    QUANTITY_DATA,   /* bytes */
    QUANTITY_SPEED,  /* metres per second */
    QUANTITY_CELSIUS,
    QUANTITY_FAHRENHEIT,
    QUANTITY_PERCENT,
    QUANTITY_DOLLAR,
    QUANTITY_EURO,
    QUANTITY_POUND_STERLING,
    QUANTITY_YEN,
    QUANTITY_RUPEE,
    QUANTITY_CLOCK,   /* minutes after midnight */
    QUANTITY_DAY,     /* 100 * month + day */
    QUANTITY_MONTH,   /* 1 to 12 */
    QUANTITY_WEEKDAY, /* 1, Monday, to 7 */
    QUANTITY_KINDS
};

struct quantity {
    enum quantity_kind kind;
    double value;      /* in the unit of the kind */
    double number;     /* as written, without its unit */
    uint32_t from, to; /* bytes in the text */
};

/* Fills OUT with the quantities of TEXT in their order, at most QUANTITY_MOST; returns their
 * number. */
size_t quantities_find(film_text text, struct quantity *out);

/* Returns whether two quantities are equal by value. */
int quantity_equal(const struct quantity *a, const struct quantity *b);

#endif
