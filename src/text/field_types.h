/* Types of the fields of a record: their names, how a value is parsed, and which type the values of
 * a column suggest. Comparing values is in pair/field_traits.c. */
#ifndef TEXT_FIELD_TYPES_H
#define TEXT_FIELD_TYPES_H

#include "film_types.h"

#include <stdint.h>

enum field_type {
    TYPE_TEXT,
    TYPE_NAME, /* of a person, or several */
    TYPE_NUMBER,
    TYPE_MONEY,
    TYPE_DATE,
    TYPE_CODE, /* model number, phone, ISBN */
    TYPE_CATEGORY,
    TYPE_URL,
    TYPE_EMAIL,
    TYPE_PLACE,
    FIELD_TYPES
};

/* "text", "name", ...; FIELD_TYPES for an unknown name. */
const char *field_type_name(enum field_type type);
enum field_type field_type_find(film_text name);

/* Parses one number: "1,299.00", "$ 15", "8.10 %", "12.5 oz", "3:45" (minutes and seconds, in
 * seconds). Returns 0 for anything else, also for two numbers. *MONEY, which may be NULL, is set to
 * whether a currency is named. */
int field_number(film_text value, double *number, int *money);

/* A calendar date; parts that are not given are 0. */
struct field_day {
    int year, month, day;
    int open; /* day and month may be exchanged: 03/04/2020 */
};

/* Parses "2020-04-03", "3.4.2020", "04/03/20", "3 April 2020", "Apr 3, 2020", "21-Mar-14", "April
 * 2020"; a time after it is ignored. Of 03/04/2020, the first number is taken as the month. */
int field_date(film_text value, struct field_day *day);

/* Days since 1 March of year 0, for differences; missing parts count as the first. */
int64_t field_days(const struct field_day *day);

/* Writes the lower-case ASCII letters, digits and bytes of other characters of VALUE, without
 * spaces and signs; at most SIZE bytes. Returns their number. */
size_t field_squeeze(film_text value, char *out, size_t size);

/* What the values of a column look like. Zero-initialise it. */
struct field_counts {
    size_t values, distinct; /* DISTINCT is counted by the caller */
    size_t numbers, money, dates, codes, urls, emails, digits, words;
};

void field_count(struct field_counts *counts, film_text value);

/* The type of a column, from its values and from hints in its name. */
enum field_type field_type_guess(film_text name, const struct field_counts *counts);

#endif
