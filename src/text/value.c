/* Parses numbers, binary labels and names from table fields, independent of the locale. */
#include "text/value.h"
#include "base/utf8.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

film_text value_trim(film_text text)
{
    while (text.length && (*text.bytes == ' ' || *text.bytes == '\t')) {
        text.bytes++;
        text.length--;
    }
    while (text.length &&
           (text.bytes[text.length - 1] == ' ' || text.bytes[text.length - 1] == '\t'))
        text.length--;
    return text;
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

int value_is(film_text text, const char *word)
{
    text = value_trim(text);
    for (size_t i = 0; i < text.length; i++)
        if (word[i] == '\0' || lower(text.bytes[i]) != lower(word[i])) return 0;
    return word[text.length] == '\0';
}

static size_t digits(const char *text, size_t at, size_t length)
{
    while (at < length && text[at] >= '0' && text[at] <= '9') at++;
    return at;
}

/* For numbers that the fast path cannot convert exactly: strtod in the C locale. glibc returns its
 * built-in locale object here without allocating. */
static int slow_number(film_text text, double *number)
{
    char copy[512];
    if (text.length >= sizeof copy) return 0;
    memcpy(copy, text.bytes, text.length);
    copy[text.length] = '\0';
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale) return 0;
    *number = strtod_l(copy, NULL, c_locale);
    freelocale(c_locale);
    return isfinite(*number);
}

int value_number(film_text text, double *number)
{
    static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    text = value_trim(text);
    const char *bytes = text.bytes;
    size_t start = text.length && (*bytes == '-' || *bytes == '+') ? 1 : 0;
    size_t whole = digits(bytes, start, text.length), end = whole, fraction = 0;
    if (end < text.length && bytes[end] == '.') {
        end = digits(bytes, whole + 1, text.length);
        fraction = end - whole - 1;
    }
    if (whole - start + fraction == 0) return 0;
    if (end < text.length && (bytes[end] | 32) == 'e') {
        size_t exponent = end + 1;
        if (exponent < text.length && (bytes[exponent] == '-' || bytes[exponent] == '+'))
            exponent++;
        end = digits(bytes, exponent, text.length);
        return end > exponent && end == text.length && slow_number(text, number);
    }
    if (end != text.length) return 0;
    /* Up to 15 digits, both the integer and the power of ten are exact, so one division rounds like
     * strtod. */
    if (whole - start + fraction > 15) return slow_number(text, number);
    uint64_t mantissa = 0;
    for (size_t i = start; i < end; i++)
        if (bytes[i] != '.') mantissa = mantissa * 10 + (uint64_t)(bytes[i] - '0');
    *number = (double)mantissa / powers[fraction];
    if (*bytes == '-') *number = -*number;
    return 1;
}

/* Removes "not", "non" or "no" and a space, hyphen or underscore. Returns whether it was there. */
static int take_negation(film_text *text)
{
    static const char *const words[] = {"not", "non", "no"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (text->length <= length + 1 || !strchr(" -_", text->bytes[length]) ||
            !value_is((film_text){text->bytes, length}, words[i]))
            continue;
        text->bytes += length + 1;
        text->length -= length + 1;
        return 1;
    }
    return 0;
}

/* Words for 1; with a negation they mean 0. */
static int is_yes(film_text text)
{
    static const char *const words[] = {"same", "duplicate", "match", "entailment"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (value_is(text, words[i])) return 1;
    return 0;
}

int value_label(film_text text, double *label)
{
    static const struct {
        const char *word;
        double label;
    } words[] = {{"yes", 1},     {"no", 0},           {"y", 1},         {"n", 0},
                 {"true", 1},    {"false", 0},        {"different", 0}, {"distinct", 0},
                 {"neutral", 0}, {"contradiction", 0}};
    if (text.length == 1 && (*text.bytes == '0' || *text.bytes == '1')) {
        *label = *text.bytes - '0';
        return 1;
    }
    if (value_number(text, label)) {
        if (*label == 0) *label = 0; /* "-0" */
        return *label == 0 || *label == 1;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (value_is(text, words[i].word)) {
            *label = words[i].label;
            return 1;
        }
    text = value_trim(text);
    *label = !take_negation(&text);
    return is_yes(text);
}

const char *value_show(film_text text, char shown[VALUE_SHOWN])
{
    size_t length = utf8_cut(text.bytes, text.length, 40);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text.bytes[i];
        shown[i] = c < 32 || c == 127 ? '?' : (char)c;
    }
    /* jansson quotes the position of an error by bytes, which may be half a character. */
    for (size_t bad; !utf8_valid(shown, length, &bad);) shown[bad] = '?';
    memcpy(shown + length, text.length > length ? "..." : "", text.length > length ? 4 : 1);
    return shown;
}
