/* Finds quantities: a scanner over words and numbers, a table of units, and rules for dates. It
 * reads positions and values; comparing sentences is left to pair/. */
#include "text/quantity.h"
#include "text/value.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- Words ---- */

/* A word, or a number with digits, of the text. */
struct part {
    char word[20]; /* lower case; empty for a number with digits */
    double number;
    uint32_t from, to;
    int is_number, is_ordinal, has_point;
    int capital;
    int listed;         /* it may be a written number, a month or a weekday */
    char before, after; /* the neighbouring byte: a sign of money, %, or 0 */
};

static const struct {
    const char *word;
    double value;
} number_words[] = {
    {"zero", 0},      {"one", 1},       {"two", 2},         {"three", 3},     {"four", 4},
    {"five", 5},      {"six", 6},       {"seven", 7},       {"eight", 8},     {"nine", 9},
    {"ten", 10},      {"eleven", 11},   {"twelve", 12},     {"thirteen", 13}, {"fourteen", 14},
    {"fifteen", 15},  {"sixteen", 16},  {"seventeen", 17},  {"eighteen", 18}, {"nineteen", 19},
    {"twenty", 20},   {"thirty", 30},   {"forty", 40},      {"fifty", 50},    {"sixty", 60},
    {"seventy", 70},  {"eighty", 80},   {"ninety", 90},     {"hundred", 100}, {"thousand", 1e3},
    {"million", 1e6}, {"billion", 1e9}, {"trillion", 1e12}, {"dozen", 12}};

static const struct {
    const char *names; /* separated by spaces, all with the same first letter */
    enum quantity_kind kind;
    double factor;
} units[] = {
    {"mm millimeter millimeters millimetre millimetres", QUANTITY_LENGTH, 0.001},
    {"cm centimeter centimeters centimetre centimetres", QUANTITY_LENGTH, 0.01},
    {"m meter meters metre metres", QUANTITY_LENGTH, 1},
    {"km kilometer kilometers kilometre kilometres", QUANTITY_LENGTH, 1000},
    {"inch inches", QUANTITY_LENGTH, 0.0254},
    {"ft foot feet", QUANTITY_LENGTH, 0.3048},
    {"yard yards", QUANTITY_LENGTH, 0.9144},
    {"mile miles", QUANTITY_LENGTH, 1609.344},
    {"mg milligram milligrams", QUANTITY_MASS, 1e-6},
    {"g gram grams gramme grammes", QUANTITY_MASS, 1e-3},
    {"kg kgs kilo kilos kilogram kilograms", QUANTITY_MASS, 1},
    {"ton tons tonne tonnes", QUANTITY_MASS, 1000},
    {"lb lbs", QUANTITY_MASS, 0.45359237},
    {"pound pounds", QUANTITY_MASS, 0.45359237},
    {"oz ounce ounces", QUANTITY_MASS, 0.028349523125},
    {"ms millisecond milliseconds", QUANTITY_TIME, 0.001},
    {"sec secs second seconds", QUANTITY_TIME, 1},
    {"min mins minute minutes", QUANTITY_TIME, 60},
    {"h hr hrs hour hours", QUANTITY_TIME, 3600},
    {"day days", QUANTITY_TIME, 86400},
    {"week weeks", QUANTITY_TIME, 604800},
    {"month months", QUANTITY_TIME, 2629746},
    {"year years yr yrs", QUANTITY_TIME, 31556952},
    {"ml milliliter milliliters millilitre millilitres", QUANTITY_VOLUME, 0.001},
    {"liter liters litre litres", QUANTITY_VOLUME, 1},
    {"gallon gallons", QUANTITY_VOLUME, 3.785411784},
    {"byte bytes", QUANTITY_DATA, 1},
    {"kb kilobyte kilobytes", QUANTITY_DATA, 1e3},
    {"mb megabyte megabytes", QUANTITY_DATA, 1e6},
    {"gb gigabyte gigabytes", QUANTITY_DATA, 1e9},
    {"tb terabyte terabytes", QUANTITY_DATA, 1e12},
    {"kmh kph", QUANTITY_SPEED, 1 / 3.6},
    {"mph", QUANTITY_SPEED, 0.44704},
    {"celsius centigrade", QUANTITY_CELSIUS, 1},
    {"fahrenheit", QUANTITY_FAHRENHEIT, 1},
    {"percent", QUANTITY_PERCENT, 1},
    {"dollar dollars", QUANTITY_DOLLAR, 1},
    {"usd", QUANTITY_DOLLAR, 1},
    {"bucks", QUANTITY_DOLLAR, 1},
    {"euro euros eur", QUANTITY_EURO, 1},
    {"gbp", QUANTITY_POUND_STERLING, 1},
    {"yen", QUANTITY_YEN, 1},
    {"rupee rupees rs", QUANTITY_RUPEE, 1},
    {"inr", QUANTITY_RUPEE, 1},
};

static const char *const months[] = {"january",   "february", "march",    "april",
                                     "may",       "june",     "july",     "august",
                                     "september", "october",  "november", "december"};
static const char *const weekdays[] = {"monday", "tuesday",  "wednesday", "thursday",
                                       "friday", "saturday", "sunday"};

/* The second to fourth letters, or to the third, of written numbers, months and weekdays by their
 * first letter, three bytes each. Most words are in no list. */
static const char *const listed_beginnings[26] = {['a' - 'a'] = "pr ug ",
                                                  ['b' - 'a'] = "il ",
                                                  ['d' - 'a'] = "ec oze",
                                                  ['e' - 'a'] = "ighlev",
                                                  ['f' - 'a'] = "ouriveiftortebrrid",
                                                  ['h' - 'a'] = "und",
                                                  ['j' - 'a'] = "an un ul ",
                                                  ['m' - 'a'] = "illon ar ay ",
                                                  ['n' - 'a'] = "ineov ",
                                                  ['o' - 'a'] = "ne ct ",
                                                  ['s' - 'a'] = "ix eveep at un ",
                                                  ['t' - 'a'] = "wo hreen welhirwenhourilueshur",
                                                  ['w' - 'a'] = "edn",
                                                  ['z' - 'a'] = "ero"};

/* WORD has LENGTH letters, small or capital. */
static int may_be_listed(const char *word, size_t length)
{
    if (length < 3) return 0;
    char second = (char)(word[1] | 32), third = (char)(word[2] | 32),
         fourth = (char)(length > 3 ? word[3] | 32 : '\0');
    const char *list = listed_beginnings[(word[0] | 32) - 'a'];
    for (; list && *list; list += 3)
        if (list[0] == second && list[1] == third && (list[2] == ' ' || list[2] == fourth))
            return 1;
    return 0;
}

/* Returns whether there is a digit, or a word that may be listed. */
static int may_have_quantity(film_text text)
{
    const char *bytes = text.bytes;
    for (size_t at = 0; at < text.length; at++) {
        if (value_digit(bytes[at])) return 1;
        if (!value_letter(bytes[at])) continue;
        size_t start = at;
        while (at + 1 < text.length && value_letter(bytes[at + 1])) at++;
        if (may_be_listed(bytes + start, at + 1 - start)) return 1;
    }
    return 0;
}

/* The place of WORD in LIST from 1, or 0. Plurals of names count: Mondays. */
static int place_in(const char *word, const char *const *list, int count)
{
    for (int i = 0; i < count; i++) {
        if (list[i][0] != word[0] || list[i][1] != word[1]) continue;
        size_t length = strlen(list[i]);
        if (strncmp(word, list[i], length) == 0 &&
            (!word[length] || strcmp(word + length, "s") == 0))
            return i + 1;
    }
    return 0;
}

/* ---- Scanning ---- */

/* Reads a number with digits: 1,000  3.14  3rd. A comma or point counts between digits; a comma
 * only before three of them. */
static uint32_t scan_number(film_text text, uint32_t at, struct part *part)
{
    double value = 0, place = 0;
    uint32_t end = (uint32_t)text.length;
    for (; at < end; at++) {
        char c = text.bytes[at];
        if (value_digit(c)) {
            value = value * 10 + (c - '0');
            place *= 10;
        } else if (c == ',' && at + 3 < end && value_digit(text.bytes[at + 1]) &&
                   value_digit(text.bytes[at + 2]) && value_digit(text.bytes[at + 3]) &&
                   (at + 4 == end || !value_digit(text.bytes[at + 4]))) {
            continue;
        } else if (c == '.' && place == 0 && at + 1 < end && value_digit(text.bytes[at + 1])) {
            place = 1;
            part->has_point = 1;
        } else {
            break;
        }
    }
    part->number = place > 0 ? value / place : value;
    part->is_number = 1;
    static const char *const ordinals[] = {"st", "nd", "rd", "th"};
    for (int i = 0; i < 4 && at + 2 <= end; i++)
        if (memcmp(text.bytes + at, ordinals[i], 2) == 0 &&
            (at + 2 == end || !value_letter(text.bytes[at + 2]))) {
            part->is_ordinal = 1;
            return at + 2;
        }
    return at;
}

static uint32_t scan_word(film_text text, uint32_t at, struct part *part)
{
    size_t length = 0;
    part->capital = text.bytes[at] >= 'A' && text.bytes[at] <= 'Z';
    for (; at < text.length && value_letter(text.bytes[at]); at++)
        if (length + 1 < sizeof part->word) part->word[length++] = (char)(text.bytes[at] | 32);
    part->listed = may_be_listed(part->word, length);
    for (size_t i = 0; part->listed && i < sizeof number_words / sizeof *number_words; i++)
        if (part->word[0] == number_words[i].word[0] &&
            strcmp(part->word, number_words[i].word) == 0) {
            part->is_number = 1;
            part->number = number_words[i].value;
        }
    return at;
}

/* A sign of money in UTF-8 that ends before AT, as one letter; 0: none. */
static char money_before(film_text text, uint32_t at)
{
    while (at && text.bytes[at - 1] == ' ') at--;
    if (at && text.bytes[at - 1] == '$') return '$';
    if (at >= 3 && memcmp(text.bytes + at - 3, "\xe2\x82\xac", 3) == 0) return 'e';
    if (at >= 2 && memcmp(text.bytes + at - 2, "\xc2\xa3", 2) == 0) return 'l';
    return 0;
}

static int next_part(film_text text, uint32_t *at, struct part *part)
{
    *part = (struct part){.number = 0};
    while (*at < text.length && !value_digit(text.bytes[*at]) && !value_letter(text.bytes[*at]))
        ++*at;
    if (*at >= text.length) return 0;
    part->from = *at;
    part->before = money_before(text, *at);
    *at = value_digit(text.bytes[*at]) ? scan_number(text, *at, part) : scan_word(text, *at, part);
    part->to = *at;
    part->after = *at < text.length ? text.bytes[*at] : '\0';
    if (part->after == ' ' && *at + 1 < text.length && text.bytes[*at + 1] == '%')
        part->after = '%';
    return 1;
}

/* ---- Quantities ---- */

enum { PARTS = 256 };

struct parts {
    struct part list[PARTS];
    size_t count;
};

/* Written numbers are read as in speech: two hundred (and) five thousand. Returns the next part. */
static size_t read_quantity_number(const struct parts *parts, size_t at, struct quantity *out)
{
    const struct part *first = &parts->list[at];
    double total = 0, group = first->number;
    out->from = first->from;
    out->to = first->to;
    size_t next = at + 1;
    for (; next < parts->count && !first->has_point; next++) {
        const struct part *part = &parts->list[next];
        if (strcmp(part->word, "and") == 0 && group >= 100 && next + 1 < parts->count &&
            parts->list[next + 1].is_number && parts->list[next + 1].word[0])
            continue;
        if (!part->is_number || !part->word[0]) break;
        if (part->number >= 1000) {
            total += group * part->number;
            group = 0;
        } else if (part->number == 100 || part->number == 12.0) {
            group *= part->number;
        } else if (group >= 20 && part->number < (fmod(group, 100) >= 20 ? 10 : 100)) {
            group += part->number;
        } else if (group == 0) {
            group = part->number;
        } else {
            break;
        }
        out->to = part->to;
    }
    out->kind = QUANTITY_NUMBER;
    out->number = out->value = total + group;
    return next;
}

/* Returns the name after the first of a list of names, or its end. */
static const char *next_name(const char *names)
{
    while (*names && *names != ' ') names++;
    return names + (*names == ' ');
}

/* The unit after a number: a sign, or the next word. Returns the next part. */
static size_t read_unit(const struct parts *parts, size_t first, size_t next, struct quantity *out)
{
    const struct part *part = &parts->list[first];
    if (part->before)
        out->kind = part->before == '$'   ? QUANTITY_DOLLAR
                    : part->before == 'e' ? QUANTITY_EURO
                                          : QUANTITY_POUND_STERLING;
    if (parts->list[next - 1].after == '%') out->kind = QUANTITY_PERCENT;
    if (next >= parts->count || out->kind != QUANTITY_NUMBER) return next;
    size_t at = next;
    if (strncmp(parts->list[at].word, "degree", 6) == 0 && at + 1 < parts->count) at++;
    const char *word = parts->list[at].word;
    size_t length = strlen(word);
    for (size_t i = 0; length && i < sizeof units / sizeof *units; i++)
        for (const char *name = units[i].names; *name == *word; name = next_name(name))
            if (strncmp(name, word, length) == 0 && (name[length] == ' ' || !name[length])) {
                out->kind = units[i].kind;
                out->value = out->number * units[i].factor;
                out->to = parts->list[at].to;
                return at + 1;
            }
    return next;
}

/* 6:20, 6:20 pm, 6 pm. Returns the next part, or FIRST if it is no time of day. */
static size_t read_clock(const struct parts *parts, size_t first, struct quantity *out)
{
    const struct part *hour = &parts->list[first];
    size_t next = first + 1;
    double minutes = hour->number * 60;
    int colon = hour->after == ':' && next < parts->count && parts->list[next].is_number &&
                parts->list[next].from == hour->to + 1 && parts->list[next].number < 60;
    if (hour->word[0] || hour->number > 24) return first;
    if (colon) minutes += parts->list[next++].number;
    const char *half = next < parts->count ? parts->list[next].word : "";
    int am = strcmp(half, "am") == 0, pm = strcmp(half, "pm") == 0;
    if (!colon && !am && !pm) return first;
    if (am || pm) minutes = fmod(minutes, 720) + 720 * pm;
    next += am || pm;
    *out = (struct quantity){QUANTITY_CLOCK, minutes, hour->number, hour->from,
                             parts->list[next - 1].to};
    return next;
}

static int day_of(const struct part *part)
{
    return part->is_number && !part->word[0] && !part->has_point && part->number >= 1 &&
                   part->number <= 31
               ? (int)part->number
               : 0;
}

/* May 3, May 3rd, 3 May, 3rd of May, May, Monday. Returns the next part, or FIRST if it is no date.
 * "may" and "march" alone are months only when they are capitalised inside the text. */
static size_t read_date(const struct parts *parts, size_t first, struct quantity *out)
{
    const struct part *part = &parts->list[first];
    int weekday = part->listed ? place_in(part->word, weekdays, 7) : 0;
    int month = part->listed ? place_in(part->word, months, 12) : 0;
    size_t at = first + 1;
    if (weekday) {
        *out = (struct quantity){QUANTITY_WEEKDAY, weekday, weekday, part->from, part->to};
        return at;
    }
    if (month) {
        int day = at < parts->count ? day_of(&parts->list[at]) : 0;
        if (!day && (month == 5 || month == 3) && !(part->capital && first)) return first;
        *out =
            (struct quantity){day ? QUANTITY_DAY : QUANTITY_MONTH, day ? 100 * month + day : month,
                              day ? day : month, part->from, parts->list[day ? at : first].to};
        return at + (day > 0);
    }
    int day = day_of(part);
    if (day && at < parts->count && strcmp(parts->list[at].word, "of") == 0) at++;
    month = day && at < parts->count ? place_in(parts->list[at].word, months, 12) : 0;
    if (!month) return first;
    *out = (struct quantity){QUANTITY_DAY, 100 * month + day, day, part->from, parts->list[at].to};
    return at + 1;
}

size_t quantities_find(film_text text, struct quantity *out)
{
    struct parts parts;
    size_t count = 0;
    uint32_t at = 0;
    if (text.length > UINT32_MAX / 2) text.length = UINT32_MAX / 2;
    if (!may_have_quantity(text)) return 0;
    for (parts.count = 0; parts.count < PARTS; parts.count++)
        if (!next_part(text, &at, &parts.list[parts.count])) break;
    for (size_t i = 0; i < parts.count && count < QUANTITY_MOST;) {
        size_t next = read_date(&parts, i, &out[count]);
        if (next == i && parts.list[i].is_number) next = read_clock(&parts, i, &out[count]);
        if (next == i && parts.list[i].is_number) {
            next = read_quantity_number(&parts, i, &out[count]);
            next = read_unit(&parts, i, next, &out[count]);
            /* "one" alone is a pronoun more often than a number. */
            if (out[count].kind == QUANTITY_NUMBER && strcmp(parts.list[i].word, "one") == 0 &&
                out[count].value == 1) {
                i = next;
                continue;
            }
        }
        if (next == i) {
            i++;
        } else {
            i = next;
            count++;
        }
    }
    return count;
}

int quantity_equal(const struct quantity *a, const struct quantity *b)
{
    return a->kind == b->kind && fabs(a->value - b->value) <= 1e-9 * fabs(a->value);
}
