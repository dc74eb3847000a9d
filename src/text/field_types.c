/* Parses values of typed fields and guesses the type of a column. Nothing here compares records.
 * All parsers take any bytes, allocate nothing and ignore the locale. */
#include "text/field_types.h"
#include "text/value.h"

#include <stdio.h>
#include <string.h>

static const char *const type_names[FIELD_TYPES] = {"text", "name",     "number", "money", "date",
                                                    "code", "category", "url",    "email", "place"};

const char *field_type_name(enum field_type type)
{
    return type_names[type];
}

enum field_type field_type_find(film_text name)
{
    int type = 0;
    while (type < FIELD_TYPES && !value_is(name, type_names[type])) type++;
    return (enum field_type)type;
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

size_t field_squeeze(film_text value, char *out, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < value.length && length < size; i++) {
        char c = value.bytes[i];
        if (value_digit(c) || value_letter(c) || (unsigned char)c >= 0x80) out[length++] = lower(c);
    }
    return length;
}

/* ---- Numbers and money ---- */

/* Removes a currency sign or code at the start or the end of *TEXT. Returns whether there was
 * one. */
static int take_currency(film_text *text)
{
    static const char *const signs[] = {"us $", "us$", "usd",          "eur",      "gbp",
                                        "inr",  "$",   "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5"};
    for (size_t s = 0; s < sizeof signs / sizeof *signs; s++) {
        size_t length = strlen(signs[s]);
        if (text->length < length) continue;
        if (value_is((film_text){text->bytes, length}, signs[s])) {
            *text = value_trim((film_text){text->bytes + length, text->length - length});
            return 1;
        }
        if (value_is((film_text){text->bytes + text->length - length, length}, signs[s])) {
            *text = value_trim((film_text){text->bytes, text->length - length});
            return 1;
        }
    }
    return 0;
}

/* "3:45" and "1:02:03" in seconds. */
static int clock_number(film_text text, double *number)
{
    double sum = 0, part = 0;
    size_t colons = 0, digits = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (value_digit(text.bytes[i]) && digits < 3) {
            part = 10 * part + (text.bytes[i] - '0');
            digits++;
        } else if (text.bytes[i] == ':' && digits && colons < 2) {
            sum = 60 * (sum + part);
            part = 0;
            digits = 0;
            colons++;
        } else {
            return 0;
        }
    }
    *number = sum + part;
    return colons > 0 && digits == 2;
}

/* The end of the digits, commas and points that start at AT. */
static size_t number_end(film_text text, size_t at)
{
    while (at < text.length && (value_digit(text.bytes[at]) ||
                                ((text.bytes[at] == ',' || text.bytes[at] == '.') &&
                                 at + 1 < text.length && value_digit(text.bytes[at + 1]))))
        at++;
    return at;
}

/* The last sign of two kinds is the decimal one; a single comma before three digits groups. */
static double grouped_number(film_text digits)
{
    char plain[64];
    size_t length = 0, points = 0, commas = 0, last = digits.length;
    for (size_t i = 0; i < digits.length; i++) {
        points += digits.bytes[i] == '.';
        commas += digits.bytes[i] == ',';
        if (!value_digit(digits.bytes[i])) last = i;
    }
    int decimal = points + commas == 1 || (points && commas);
    if (points + commas == 1 && commas && digits.length - last == 4) decimal = 0;
    for (size_t i = 0; i < digits.length && length < sizeof plain - 1; i++)
        if (value_digit(digits.bytes[i]))
            plain[length++] = digits.bytes[i];
        else if (i == last && decimal)
            plain[length++] = '.';
    double number = 0;
    return value_number((film_text){plain, length}, &number) ? number : 0;
}

int field_number(film_text value, double *number, int *money)
{
    enum { UNIT = 12 };
    film_text text = value_trim(value);
    if (text.length > 64) return 0;
    int negative = 0, currency = take_currency(&text);
    if (money) *money = currency;
    if (clock_number(text, number)) return 1;
    if (text.length && (*text.bytes == '-' || *text.bytes == '+')) {
        negative = *text.bytes == '-';
        text = value_trim((film_text){text.bytes + 1, text.length - 1});
    }
    size_t start = text.length && text.bytes[0] == '.' ? 1 : 0, end = number_end(text, start);
    if (end == start || !value_digit(text.bytes[start])) return 0;
    *number = grouped_number((film_text){text.bytes, end});
    if (negative) *number = -*number;
    film_text unit = value_trim((film_text){text.bytes + end, text.length - end});
    if (!currency && take_currency(&unit) && money) *money = 1;
    if (unit.length > UNIT) return 0;
    for (size_t i = 0; i < unit.length; i++)
        if (!value_letter(unit.bytes[i]) && !strchr("%./\"'", unit.bytes[i])) return 0;
    return 1;
}

/* ---- Dates ---- */

static int month_of(film_text word)
{
    static const char *const months[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                         "jul", "aug", "sep", "oct", "nov", "dec"};
    if (word.length < 3) return 0;
    for (int m = 0; m < 12; m++)
        if (value_is((film_text){word.bytes, 3}, months[m])) return m + 1;
    return 0;
}

/* The numbers and the month's name of a date, in order. */
struct date_parts {
    int number[3], digits[3], count;
    int month, month_at; /* numbers before the name */
};

static int read_date_parts(film_text text, struct date_parts *parts)
{
    size_t at = 0;
    *parts = (struct date_parts){.count = 0};
    while (at < text.length) {
        size_t start = at;
        char c = text.bytes[at];
        if (value_digit(c)) {
            int number = 0;
            for (; at < text.length && value_digit(text.bytes[at]) && at - start < 5; at++)
                number = 10 * number + (text.bytes[at] - '0');
            if (parts->count == 3) return parts->digits[0] + parts->digits[2] > 4; /* the time */
            parts->digits[parts->count] = (int)(at - start);
            parts->number[parts->count++] = number;
        } else if (value_letter(c)) {
            while (at < text.length && value_letter(text.bytes[at])) at++;
            film_text word = {text.bytes + start, at - start};
            int month = month_of(word);
            if (month && !parts->month) {
                parts->month = month;
                parts->month_at = parts->count;
            } else if (word.length > 2) {
                return 0;
            }
        } else if (strchr(" ,./-:", c)) {
            at++;
        } else {
            return 0;
        }
    }
    return 1;
}

static int full_year(int number, int digits)
{
    return digits == 4 ? number : number + (number < 50 ? 2000 : 1900);
}

int field_date(film_text value, struct field_day *day)
{
    struct date_parts parts;
    film_text text = value_trim(value);
    *day = (struct field_day){0};
    if (text.length < 6 || text.length > 40 || !read_date_parts(text, &parts)) return 0;
    const int *n = parts.number, *d = parts.digits;
    if (parts.month) {
        int year = parts.count - 1;
        if (parts.count < 1 || parts.count > 3 || (parts.count == 1 && d[0] != 4)) return 0;
        if (parts.count == 3) year = d[0] == 4 ? 0 : 1;
        day->month = parts.month;
        day->year = full_year(n[year], d[year]);
        if (parts.count > 1) day->day = n[year ? 0 : 1];
    } else {
        if (parts.count != 3 || (d[0] != 4 && d[2] != 4 && d[2] != 2)) return 0;
        int first = d[0] == 4;
        day->year = first ? n[0] : full_year(n[2], d[2]);
        day->month = first ? n[1] : n[0];
        day->day = first ? n[2] : n[1];
        if (!first && day->month > 12) {
            day->month = n[1];
            day->day = n[0];
        }
        day->open = !first && n[0] <= 12 && n[1] <= 12 && n[0] != n[1];
    }
    return day->year >= 1000 && day->year < 3000 && day->month >= 1 && day->month <= 12 &&
           day->day >= 0 && day->day <= 31;
}

int64_t field_days(const struct field_day *day)
{
    /* Years from March on, so that the leap day is the last (Richards 2013). */
    int64_t month = day->month ? day->month : 1, year = day->year - (month < 3);
    int64_t shifted = month < 3 ? month + 9 : month - 3;
    return 365 * year + year / 4 - year / 100 + year / 400 + (153 * shifted + 2) / 5 +
           (day->day ? day->day : 1) - 1;
}

/* ---- Guessing ---- */

static int begins(film_text text, const char *word)
{
    size_t length = strlen(word);
    return text.length >= length && value_is((film_text){text.bytes, length}, word);
}

/* One or two words with a digit, as model numbers and phone numbers are. */
static int looks_like_code(film_text value)
{
    size_t spaces = 0, digits = 0;
    for (size_t i = 0; i < value.length; i++) {
        spaces += value.bytes[i] == ' ';
        digits += (size_t)value_digit(value.bytes[i]);
    }
    return digits >= 2 && value.length >= 4 && value.length <= 32 &&
           (spaces <= 1 || digits * 2 > value.length);
}

static int looks_like_email(film_text value)
{
    const char *at = value.length ? memchr(value.bytes, '@', value.length) : NULL;
    if (!at || at == value.bytes || memchr(value.bytes, ' ', value.length)) return 0;
    return memchr(at, '.', (size_t)(value.bytes + value.length - at)) != NULL;
}

void field_count(struct field_counts *counts, film_text value)
{
    double number;
    int money = 0, has_digit = 0;
    struct field_day day;
    value = value_trim(value);
    counts->values++;
    counts->words++;
    for (size_t i = 0; i < value.length; i++) {
        counts->words += value.bytes[i] == ' ' && i && value.bytes[i - 1] != ' ';
        has_digit |= value_digit(value.bytes[i]);
    }
    counts->digits += (size_t)has_digit;
    counts->numbers += (size_t)field_number(value, &number, &money);
    counts->money += (size_t)money;
    counts->dates += (size_t)field_date(value, &day);
    counts->codes += (size_t)looks_like_code(value);
    counts->urls += begins(value, "http://") || begins(value, "https://") || begins(value, "www.");
    counts->emails += (size_t)looks_like_email(value);
}

/* Returns whether a word of the column's name begins with one of the comma-separated WORDS. */
static int hints(film_text name, const char *words)
{
    while (*words) {
        size_t length = strcspn(words, ",");
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        for (size_t i = 0; i + length <= name.length; i++)
            if ((i == 0 || !value_letter(name.bytes[i - 1])) &&
                value_is((film_text){name.bytes + i, length}, word))
                return 1;
        words += length + (words[length] == ',');
    }
    return 0;
}

enum field_type field_type_guess(film_text name, const struct field_counts *counts)
{
    size_t values = counts->values;
    if (!values) return TYPE_TEXT;
    double share = 1 / (double)values, words = (double)counts->words * share;
    int repeated = values >= 20 && (double)counts->distinct * share < 0.2;
    if ((double)counts->urls * share > 0.8) return TYPE_URL;
    if ((double)counts->emails * share > 0.8) return TYPE_EMAIL;
    if ((double)counts->dates * share > 0.8) return TYPE_DATE;
    int codes = (double)counts->codes * share > 0.6;
    if (codes && hints(name, "phone,fax,isbn,ean,upc,gtin,sku,zip,model,code,part,serial"))
        return TYPE_CODE;
    if ((double)counts->numbers * share > 0.8) {
        int money = (double)counts->money * share > 0.3;
        return money || hints(name, "price,cost,amount,salary,msrp") ? TYPE_MONEY : TYPE_NUMBER;
    }
    if (codes && words < 2.5 && !repeated) return TYPE_CODE;
    if (hints(name, "author,artist,person,actor,director,surname,first_name,last_name,given,"
                    "forename,customer,contact"))
        return TYPE_NAME;
    if (hints(name, "address,addr,street,city,state,country,location,place,county,region"))
        return TYPE_PLACE;
    if (repeated && words < 4) return TYPE_CATEGORY;
    return TYPE_TEXT;
}
