/* Finds model numbers ("DCS-855L") and measurements ("16 GB") in the values of a record and
 * compares those of two records. A code may be spread over fields or spaces of the other record. */
#include "pair/record_codes.h"
#include "text/value.h"

#include <math.h>
#include <string.h>

const struct field_measure record_code_measures[RECORD_CODE_MEASURES] = {
    {"codes_shared", "longest shared code",
     "letters and digits of the longest model number that both records have, divided by 16"},
    {"codes_inside", "longest code inside the other record",
     "the same for a model number that is part of the other record's letters and digits"},
    {"codes_similar", "most similar codes",
     "edit similarity of the two most similar model numbers"},
    {"codes_alone_min", "codes only one record has, smaller side",
     "number of model numbers that the other record does not contain, smaller of the two"},
    {"codes_alone_max", "codes only one record has, larger side",
     "number of model numbers that the other record does not contain, larger of the two"},
    {"codes_min", "codes, smaller side", "number of model numbers, smaller of the two"},
    {"units_shared", "equal measurements",
     "number of units with a number that both records have, as in 16 GB"},
    {"units_differ", "different measurements",
     "number of units that both records have, but never with the same number"},
    {"beside_shared", "equal numbers beside a word",
     "number of words that have the same number before or after them in both records"},
    {"beside_differ", "other numbers beside a word",
     "number of words that have numbers beside them in both records, but never the same"},
    {"beside_partly", "numbers beside a word, in part",
     "number of words that have numbers beside them in both records, of which one is not shared"},
};

/* The end of the run of letters, digits and single inner signs that starts at AT. */
static size_t code_run_end(film_text text, size_t at)
{
    while (at < text.length) {
        char c = text.bytes[at];
        int inner = strchr("-/._", c) && c && at + 1 < text.length &&
                    (value_digit(text.bytes[at + 1]) || value_letter(text.bytes[at + 1]));
        if (!value_digit(c) && !value_letter(c) && !inner) break;
        at++;
    }
    return at;
}

/* Reads "2.26ghz" or, with the next word, "24 inch". Returns 0 where RUN is no measurement. */
static int read_code_unit(struct record_codes *codes, film_text run, film_text rest)
{
    enum { LONGEST = 7 };
    size_t digits = 0, length = 0;
    while (digits < run.length && (value_digit(run.bytes[digits]) || run.bytes[digits] == '.'))
        digits++;
    film_text unit = {run.bytes + digits, run.length - digits};
    int apart = unit.length == 0;
    if (apart) {
        while (rest.length && (*rest.bytes == ' ' || *rest.bytes == '-'))
            rest = (film_text){rest.bytes + 1, rest.length - 1};
        while (length < rest.length && value_letter(rest.bytes[length])) length++;
        unit = (film_text){rest.bytes, length};
    }
    double number;
    if (!digits || digits > 9 || !unit.length || unit.length > LONGEST ||
        !value_number((film_text){run.bytes, digits}, &number))
        return 0;
    for (size_t i = 0; i < unit.length; i++)
        if (!value_letter(unit.bytes[i])) return 0;
    if (!apart && unit.length > 5) return 0;
    if (codes->unit_count < RECORD_CODES) {
        codes->unit[codes->unit_count].number = number;
        memset(codes->unit[codes->unit_count].unit, 0, LONGEST + 1);
        field_squeeze(unit, codes->unit[codes->unit_count++].unit, LONGEST);
    }
    return !apart;
}

static void add_beside(struct record_codes *codes, double number, char side, film_text word)
{
    if (!word.length || codes->beside_count == RECORD_BESIDE) return;
    char *out = codes->beside[codes->beside_count].word;
    memset(out, 0, sizeof codes->beside->word);
    *out = side;
    field_squeeze(word, out + 1, sizeof codes->beside->word - 2);
    codes->beside[codes->beside_count++].number = number;
}

/* Reads the number that starts at AT, "2.8" or "20,2", and the words beside it: "16 GB", "mark-3",
 * "fz200k". Returns its end. */
static size_t read_beside(struct record_codes *codes, film_text value, size_t at)
{
    enum { LONGEST = 12 };
    char digits[LONGEST];
    double number;
    size_t end = at, length = 0, before = at, after;
    for (; end < value.length; end++) {
        char c = value.bytes[end];
        int point =
            (c == '.' || c == ',') && end + 1 < value.length && value_digit(value.bytes[end + 1]);
        if (!value_digit(c) && !point) break;
        if (length < LONGEST) digits[length++] = point ? '.' : c;
    }
    if (!value_number((film_text){digits, length}, &number)) return end;
    if (before && (value.bytes[before - 1] == ' ' || value.bytes[before - 1] == '-')) before--;
    size_t last = before;
    while (before && last - before < LONGEST && value_letter(value.bytes[before - 1])) before--;
    add_beside(codes, number, '<', (film_text){value.bytes + before, last - before});
    for (after = end; after < value.length && after - end < 3; after++)
        if (value.bytes[after] != ' ' && value.bytes[after] != '-') break;
    last = after;
    while (last < value.length && last - after < LONGEST && value_letter(value.bytes[last])) last++;
    add_beside(codes, number, '>', (film_text){value.bytes + after, last - after});
    return end;
}

static void compare_beside(const struct record_codes *a, const struct record_codes *b, double *out)
{
    out[0] = out[1] = out[2] = 0;
    for (size_t i = 0; i < a->beside_count; i++) {
        const char *word = a->beside[i].word;
        int known = 0, both = 0, shared = 0, alone = 0;
        for (size_t j = 0; j < i; j++) known |= !strcmp(word, a->beside[j].word);
        if (known) continue; /* each word once */
        const struct record_codes *side[2] = {a, b};
        for (int s = 0; s < 2; s++)
            for (size_t j = 0; j < side[s]->beside_count; j++) {
                if (strcmp(word, side[s]->beside[j].word) != 0) continue;
                int found = 0;
                for (size_t k = 0; k < side[!s]->beside_count; k++)
                    if (strcmp(word, side[!s]->beside[k].word) == 0) {
                        both = 1;
                        found |= side[s]->beside[j].number == side[!s]->beside[k].number;
                    }
                shared |= found;
                alone |= !found;
            }
        out[0] += shared;
        out[1] += both && !shared;
        out[2] += both && alone;
    }
}

static void read_code(struct record_codes *codes, film_text run)
{
    char bytes[RECORD_CODE_BYTES];
    size_t length = field_squeeze(run, bytes, sizeof bytes), digits = 0;
    for (size_t i = 0; i < length; i++) digits += (size_t)value_digit(bytes[i]);
    int all_digits = digits == length;
    if (length < 4 || !digits || (all_digits && length < 5) || codes->count == RECORD_CODES) return;
    for (size_t i = 0; i < codes->count; i++)
        if (codes->code[i].length == length && memcmp(codes->code[i].bytes, bytes, length) == 0)
            return;
    memcpy(codes->code[codes->count].bytes, bytes, length);
    codes->code[codes->count++].length = length;
}

void record_codes_read(struct record_codes *codes, film_text value)
{
    for (size_t at = 0; at < value.length;) {
        if (!value_digit(value.bytes[at]) && !value_letter(value.bytes[at])) {
            at++;
            continue;
        }
        size_t end = code_run_end(value, at);
        film_text run = {value.bytes + at, end - at},
                  rest = {value.bytes + end, value.length - end};
        if (!read_code_unit(codes, run, rest)) read_code(codes, run);
        at = end;
    }
    for (size_t at = 0; at < value.length && codes->beside_count < RECORD_BESIDE;)
        at = value_digit(value.bytes[at]) ? read_beside(codes, value, at) : at + 1;
    codes->squeezed_length += field_squeeze(value, codes->squeezed + codes->squeezed_length,
                                            RECORD_SQUEEZED - codes->squeezed_length);
}

static film_text code_at(const struct record_codes *codes, size_t i)
{
    return (film_text){codes->code[i].bytes, codes->code[i].length};
}

/* Returns whether the letters and digits of the record contain CODE. */
static int codes_contain(const struct record_codes *codes, film_text code)
{
    const char *at = codes->squeezed, *end = at + codes->squeezed_length;
    while ((size_t)(end - at) >= code.length &&
           (at = memchr(at, *code.bytes, (size_t)(end - at) - code.length + 1))) {
        if (memcmp(at, code.bytes, code.length) == 0) return 1;
        at++;
    }
    return 0;
}

static double scaled(double length)
{
    return fmin(1, length / 16);
}

static void compare_units(const struct record_codes *a, const struct record_codes *b, double *out)
{
    out[0] = out[1] = 0;
    for (size_t i = 0; i < a->unit_count; i++) {
        int known = 0, both = 0, same = 0;
        for (size_t j = 0; j < i; j++) known |= !strcmp(a->unit[i].unit, a->unit[j].unit);
        if (known) continue; /* each unit once */
        for (size_t j = i; j < a->unit_count; j++) {
            if (strcmp(a->unit[i].unit, a->unit[j].unit) != 0) continue;
            for (size_t k = 0; k < b->unit_count; k++) {
                if (strcmp(a->unit[i].unit, b->unit[k].unit) != 0) continue;
                both = 1;
                same |= a->unit[j].number == b->unit[k].number;
            }
        }
        out[0] += same;
        out[1] += both && !same;
    }
}

void record_codes_compare(const struct record_codes *a, const struct record_codes *b, double *out)
{
    const struct record_codes *side[2] = {a, b};
    double shared = 0, inside = 0, similar = FIELD_MISSING, alone[2] = {0, 0};
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < side[s]->count; i++) {
            film_text code = code_at(side[s], i);
            int found = codes_contain(side[!s], code);
            alone[s] += !found;
            if (found) inside = fmax(inside, (double)code.length);
        }
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            double alike = field_spelling(code_at(a, i), code_at(b, j));
            if (alike == 1) shared = fmax(shared, (double)a->code[i].length);
            similar = fmax(similar, alike);
        }
    out[0] = scaled(shared);
    out[1] = scaled(inside);
    out[2] = similar;
    out[3] = fmin(alone[0], alone[1]);
    out[4] = fmax(alone[0], alone[1]);
    out[5] = fmin((double)a->count, (double)b->count);
    compare_units(a, b, out + 6);
    compare_beside(a, b, out + 8);
}
