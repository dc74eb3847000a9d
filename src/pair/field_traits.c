/* The table of field types: what each measures of two values. Every measure is symmetric and
 * finite; similarities are 0 to 1. Weights are learned elsewhere. */
#include "pair/field_traits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Spelling ---- */

enum { SHORT = 64, TRIPLES = 1024 };

/* 1 - Levenshtein distance / longer length. */
static double edit_similarity(film_text a, film_text b)
{
    unsigned char row[SHORT + 1];
    if (!a.length && !b.length) return 1;
    for (size_t j = 0; j <= b.length; j++) row[j] = (unsigned char)j;
    for (size_t i = 1; i <= a.length; i++) {
        unsigned char diagonal = row[0];
        row[0] = (unsigned char)i;
        for (size_t j = 1; j <= b.length; j++) {
            int change = diagonal + (a.bytes[i - 1] != b.bytes[j - 1]);
            int least = row[j] + 1 < row[j - 1] + 1 ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = (unsigned char)(change < least ? change : least);
        }
    }
    size_t longer = a.length > b.length ? a.length : b.length;
    return 1 - (double)row[b.length] / (double)longer;
}

static unsigned triple_at(film_text text, size_t i)
{
    const unsigned char *c = (const unsigned char *)text.bytes + i;
    return ((c[0] * 961u + c[1] * 31u + c[2]) * 2654435761u >> 16) % TRIPLES;
}

/* Dice coefficient of the multisets of letter triples. */
static double triple_similarity(film_text a, film_text b)
{
    unsigned short count[TRIPLES] = {0};
    size_t shared = 0;
    if (a.length < 3 || b.length < 3) return 0;
    size_t most = UINT16_MAX;
    if (a.length > most) a.length = most;
    if (b.length > most) b.length = most;
    for (size_t i = 0; i + 2 < a.length; i++) count[triple_at(a, i)]++;
    for (size_t i = 0; i + 2 < b.length; i++) {
        unsigned short *left = &count[triple_at(b, i)];
        shared += *left > 0;
        *left = (unsigned short)(*left - (*left > 0));
    }
    return 2 * (double)shared / (double)(a.length + b.length - 4);
}

double field_spelling(film_text a, film_text b)
{
    return a.length <= SHORT && b.length <= SHORT ? edit_similarity(a, b) : triple_similarity(a, b);
}

enum { SQUEEZED = 512 };

/* The two values without spaces and signs, in lower case. */
struct squeezed {
    char bytes[2][SQUEEZED];
    film_text text[2];
};

static void squeeze(const struct field_pair *pair, struct squeezed *out)
{
    for (int s = 0; s < 2; s++)
        out->text[s] =
            (film_text){out->bytes[s], field_squeeze(pair->value[s], out->bytes[s], SQUEEZED)};
}

static int equal(film_text a, film_text b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* ---- Words ---- */

static double part(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* The first measures of every type that has words. */
#define WORD_MEASURES                                                                       \
    {"equal", "equal", "1 if both values have the same letters and digits"},                \
        {"words", "words in common", "cosine of the words, weighted by rarity"},            \
        {"spelling", "similar spelling", "edit similarity of the letters and digits"},      \
    {                                                                                       \
        "elsewhere", "words found in the other record",                                     \
            "share of the words that the other record has in any field, smaller of the two" \
    }

static void compare_field_words(const struct field_pair *pair, double *out)
{
    const struct field_words *words = &pair->words;
    struct squeezed squeezed;
    squeeze(pair, &squeezed);
    out[0] = equal(squeezed.text[0], squeezed.text[1]);
    out[1] = part(words->shared_squares, sqrt(words->squares[0] * words->squares[1]));
    out[2] = field_spelling(squeezed.text[0], squeezed.text[1]);
    out[3] = fmin(words->elsewhere[0], words->elsewhere[1]);
}

static const struct field_measure text_measures[] = {
    WORD_MEASURES,
    {"cover_min", "part covered, smaller side",
     "share of a value's words, by rarity, that the other has, smaller of the two"},
    {"cover_max", "part covered, larger side",
     "share of a value's words, by rarity, that the other has, larger of the two"},
    {"alone_min", "rarest unshared word, smaller side",
     "rarity of the rarest word that only one value has, smaller of the two"},
    {"alone_max", "rarest unshared word, larger side",
     "rarity of the rarest word that only one value has, larger of the two"},
    {"head_min", "beginning covered, smaller side",
     "share of a value's words that the other has, early words count more, smaller of the two"},
    {"head_max", "beginning covered, larger side", "the same share, larger of the two"},
};

static int compare_text(const struct field_pair *pair, double *out)
{
    const struct field_words *words = &pair->words;
    compare_field_words(pair, out);
    double cover[2] = {part(words->shared, words->all[0]), part(words->shared, words->all[1])};
    out[4] = fmin(cover[0], cover[1]);
    out[5] = fmax(cover[0], cover[1]);
    out[6] = fmin(words->rarest_alone[0], words->rarest_alone[1]);
    out[7] = fmax(words->rarest_alone[0], words->rarest_alone[1]);
    out[8] = fmin(words->head[0], words->head[1]);
    out[9] = fmax(words->head[0], words->head[1]);
    return 1;
}

static const struct field_measure category_measures[] = {WORD_MEASURES};

static int compare_category(const struct field_pair *pair, double *out)
{
    compare_field_words(pair, out);
    return 1;
}

/* ---- Places ---- */

static const struct field_measure place_measures[] = {
    WORD_MEASURES,
    {"numbers", "numbers in common", "share of the words with digits that both values have"},
};

static int compare_place(const struct field_pair *pair, double *out)
{
    const struct reading *reading = pair->reading;
    size_t all = 0, shared = 0;
    compare_field_words(pair, out);
    for (int s = 0; s < 2; s++)
        for (size_t i = pair->from[s]; i < pair->to[s]; i++) {
            const struct reading_word *word = &reading->side[s].words[i];
            if (!(word->flags & WORD_NUMBER)) continue;
            all++;
            shared += (size_t)reading_is_shared(reading, word->number);
        }
    out[4] = all ? (double)shared / (double)all : 0.5;
    return 1;
}

/* ---- Names ---- */

/* The usual English short forms; the first of a row is the full name. */
static int same_nickname(film_text a, film_text b)
{
    static const char *const rows[] = {"william bill will billy liam",
                                       "robert bob rob bobby robbie",
                                       "richard rick dick rich",
                                       "james jim jimmy jamie",
                                       "john jack johnny jon",
                                       "michael mike mick mickey",
                                       "thomas tom tommy",
                                       "charles charlie chuck",
                                       "joseph joe joey",
                                       "edward ed eddie ted ned",
                                       "henry harry hank",
                                       "daniel dan danny",
                                       "matthew matt",
                                       "anthony tony",
                                       "andrew andy drew",
                                       "christopher chris kit",
                                       "steven steve stephen",
                                       "benjamin ben benny",
                                       "samuel sam sammy",
                                       "alexander alex sandy",
                                       "nicholas nick",
                                       "patrick pat paddy",
                                       "peter pete",
                                       "gregory greg",
                                       "kenneth ken kenny",
                                       "lawrence larry",
                                       "timothy tim timmy",
                                       "david dave davy",
                                       "ronald ron ronnie",
                                       "donald don donnie",
                                       "elizabeth liz beth betty lisa",
                                       "margaret maggie meg peggy",
                                       "katherine kate kathy katie",
                                       "patricia pat patty trish",
                                       "jennifer jen jenny",
                                       "susan sue susie",
                                       "deborah deb debbie",
                                       "barbara barb babs",
                                       "rebecca becky becca",
                                       "victoria vicky tori",
                                       "jacqueline jackie",
                                       "dorothy dot dottie",
                                       "catherine cathy kate cate",
                                       "christine chris tina",
                                       "theodore ted theo"};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        int found[2] = {0, 0};
        for (const char *at = rows[r]; *at;) {
            size_t length = strcspn(at, " ");
            found[0] |= equal(a, (film_text){at, length});
            found[1] |= equal(b, (film_text){at, length});
            at += length + (at[length] == ' ');
        }
        if (found[0] && found[1]) return 1;
    }
    return 0;
}

/* How alike two words of names are: equal, an initial, a short form, a misspelling. */
static double name_similarity(film_text a, film_text b)
{
    if (equal(a, b)) return 1;
    if (!a.length || !b.length) return 0;
    film_text less = a.length < b.length ? a : b, more = a.length < b.length ? b : a;
    if (less.length == 1) return *less.bytes == *more.bytes ? 0.8 : 0;
    if (same_nickname(a, b)) return 0.9;
    if (less.length >= 3 && memcmp(less.bytes, more.bytes, less.length) == 0) return 0.85;
    if (more.length > SHORT) return 0;
    double alike = edit_similarity(a, b);
    return alike >= 0.7 ? alike : 0;
}

enum { NAME_WORDS = 48 };

static const struct field_measure name_measures[] = {
    WORD_MEASURES,
    {"names_min", "names found, smaller side",
     "share of a value's names that the other has: in full, as an initial, a short form or "
     "misspelled; smaller of the two"},
    {"names_max", "names found, larger side", "the same share, larger of the two"},
    {"last", "last name", "similarity of the last words; or of the last and the first word"},
};

static int compare_names(const struct field_pair *pair, double *out)
{
    double found[2] = {0, 0};
    film_text word[2][NAME_WORDS];
    size_t count[2];
    compare_field_words(pair, out);
    for (int s = 0; s < 2; s++) {
        count[s] = pair->to[s] - pair->from[s];
        if (count[s] > NAME_WORDS) count[s] = NAME_WORDS;
        for (size_t i = 0; i < count[s]; i++)
            word[s][i] = reading_text(pair->reading, s, pair->from[s] + i);
    }
    if (!count[0] || !count[1]) return 0;
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; i < count[s]; i++) {
            double best = 0;
            for (size_t j = 0; j < count[!s]; j++)
                best = fmax(best, name_similarity(word[s][i], word[!s][j]));
            found[s] += best / (double)count[s];
        }
    }
    const film_text *a = word[0], *b = word[1];
    out[4] = fmin(found[0], found[1]);
    out[5] = fmax(found[0], found[1]);
    out[6] = fmax(
        name_similarity(a[count[0] - 1], b[count[1] - 1]),
        0.9 * fmax(name_similarity(a[count[0] - 1], b[0]), name_similarity(a[0], b[count[1] - 1])));
    return 1;
}

/* ---- Numbers, money, dates ---- */

static const struct field_measure number_measures[] = {
    {"equal", "equal", "1 if both are the same number"},
    {"ratio", "ratio", "the smaller number divided by the larger"},
    {"near", "small difference", "1 / (1 + difference of the numbers)"},
};

static int compare_number(const struct field_pair *pair, double *out)
{
    double a, b;
    if (!field_number(pair->value[0], &a, NULL) || !field_number(pair->value[1], &b, NULL))
        return 0;
    double larger = fmax(fabs(a), fabs(b)), difference = fabs(a - b);
    out[0] = difference <= 1e-9 * larger;
    out[1] = larger > 0 ? fmax(0, 1 - difference / larger) : 1;
    out[2] = 1 / (1 + difference);
    return 1;
}

static const struct field_measure money_measures[] = {
    {"equal", "equal", "1 if both are the same amount"},
    {"ratio", "ratio", "the smaller amount divided by the larger"},
    {"rounded", "equal when rounded", "1 if both are the same without cents, or nearly"},
};

static int compare_money(const struct field_pair *pair, double *out)
{
    if (!compare_number(pair, out)) return 0;
    out[2] = out[2] >= 0.5; /* a difference of at most 1 */
    return 1;
}

static const struct field_measure date_measures[] = {
    {"equal", "equal", "1 if both are the same day; a part that only one has is not compared"},
    {"near", "small difference", "1 / (1 + difference in months)"},
    {"year", "same year", "1 if the years are equal"},
    {"swapped", "day and month exchanged", "1 if they are equal with day and month exchanged"},
};

static int compare_date(const struct field_pair *pair, double *out)
{
    struct field_day a, b;
    if (!field_date(pair->value[0], &a) || !field_date(pair->value[1], &b)) return 0;
    int month = !a.month || !b.month || a.month == b.month;
    int day = !a.day || !b.day || a.day == b.day;
    int swapped = a.month == b.day && a.day == b.month && a.month != a.day;
    out[0] = a.year == b.year && month && day;
    out[1] = 1 / (1 + fabs((double)(field_days(&a) - field_days(&b))) / 30.4);
    out[2] = a.year == b.year;
    out[3] = a.year == b.year && swapped;
    return 1;
}

/* ---- Codes, addresses of the web ---- */

static double common_prefix(film_text a, film_text b)
{
    size_t less = a.length < b.length ? a.length : b.length, same = 0;
    while (same < less && a.bytes[same] == b.bytes[same]) same++;
    return less ? (double)same / (double)less : 0;
}

static const struct field_measure code_measures[] = {
    {"equal", "equal", "1 if both codes have the same letters and digits"},
    {"spelling", "similar spelling", "edit similarity of the letters and digits"},
    {"prefix", "common beginning", "length of the common beginning, relative to the shorter code"},
    {"digits", "same digits", "1 if both codes have the same digits in the same order"},
    {"elsewhere", "found in the other record",
     "share of the words that the other record has in any field, larger of the two"},
};

static film_text digits_of(film_text text, char *out)
{
    size_t length = 0;
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] >= '0' && text.bytes[i] <= '9') out[length++] = text.bytes[i];
    return (film_text){out, length};
}

static int compare_code(const struct field_pair *pair, double *out)
{
    struct squeezed squeezed;
    char digits[2][SQUEEZED];
    squeeze(pair, &squeezed);
    film_text a = squeezed.text[0], b = squeezed.text[1];
    out[0] = equal(a, b);
    out[1] = field_spelling(a, b);
    out[2] = common_prefix(a, b);
    out[3] = equal(digits_of(a, digits[0]), digits_of(b, digits[1]));
    out[4] = fmax(pair->words.elsewhere[0], pair->words.elsewhere[1]);
    return 1;
}

static const struct field_measure address_measures[] = {
    {"equal", "equal", "1 if both have the same letters and digits"},
    {"spelling", "similar spelling", "edit similarity of the letters and digits"},
    {"site", "same site", "1 if the host of the URL, or the part after @, is equal"},
};

/* The host of a URL, or what follows @. */
static film_text site_of(film_text value)
{
    const char *start = value.bytes, *end = value.bytes + value.length;
    const char *at = value.length ? memchr(start, '@', value.length) : NULL;
    const char *scheme = NULL;
    for (const char *c = start; c + 2 < end && !scheme; c++)
        if (memcmp(c, "://", 3) == 0) scheme = c;
    if (at)
        start = at + 1;
    else if (scheme)
        start = scheme + 3;
    if (end - start > 4 && memcmp(start, "www.", 4) == 0) start += 4;
    const char *slash = end > start ? memchr(start, '/', (size_t)(end - start)) : NULL;
    return (film_text){start, (size_t)((slash ? slash : end) - start)};
}

static int compare_address(const struct field_pair *pair, double *out)
{
    struct squeezed squeezed;
    squeeze(pair, &squeezed);
    out[0] = equal(squeezed.text[0], squeezed.text[1]);
    out[1] = field_spelling(squeezed.text[0], squeezed.text[1]);
    out[2] = equal(site_of(pair->value[0]), site_of(pair->value[1]));
    return 1;
}

/* ---- The table ---- */

#define KIND(measures, compare)                                  \
    {                                                            \
        measures, sizeof(measures) / sizeof *(measures), compare \
    }

const struct field_comparer *field_comparer(enum field_type type)
{
    static const struct field_comparer kinds[FIELD_TYPES] = {
        [TYPE_TEXT] = KIND(text_measures, compare_text),
        [TYPE_NAME] = KIND(name_measures, compare_names),
        [TYPE_NUMBER] = KIND(number_measures, compare_number),
        [TYPE_MONEY] = KIND(money_measures, compare_money),
        [TYPE_DATE] = KIND(date_measures, compare_date),
        [TYPE_CODE] = KIND(code_measures, compare_code),
        [TYPE_CATEGORY] = KIND(category_measures, compare_category),
        [TYPE_URL] = KIND(address_measures, compare_address),
        [TYPE_EMAIL] = KIND(address_measures, compare_address),
        [TYPE_PLACE] = KIND(place_measures, compare_place),
    };
    return &kinds[type];
}
