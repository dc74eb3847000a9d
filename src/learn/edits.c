/* Makes minimal edits on the words of a sentence as it is written. It knows a little English, and
 * the relations it is given; other languages get the edits that need neither. */
#include "learn/edits.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = 48 };

struct sentence {
    film_text word[WORDS];    /* letters, digits and inner marks, without the spaces around */
    film_text gap[WORDS + 1]; /* what precedes each word, and what follows the last */
    size_t count;
};

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 128;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Splits TEXT into words and the gaps between them; 0: too many words. */
static int split(film_text text, struct sentence *out)
{
    size_t at = 0, from = 0;
    out->count = 0;
    while (at < text.length) {
        while (at < text.length && !is_letter(text.bytes[at]) && !is_digit(text.bytes[at])) at++;
        if (at == text.length) break;
        if (out->count == WORDS) return 0;
        size_t start = at;
        while (at < text.length &&
               (is_letter(text.bytes[at]) || is_digit(text.bytes[at]) ||
                (strchr("'-.,", text.bytes[at]) && at + 1 < text.length &&
                 (is_letter(text.bytes[at + 1]) || is_digit(text.bytes[at + 1])))))
            at++;
        out->gap[out->count] = (film_text){text.bytes + from, start - from};
        out->word[out->count++] = (film_text){text.bytes + start, at - start};
        from = at;
    }
    out->gap[out->count] = (film_text){text.bytes + from, text.length - from};
    return 1;
}

static size_t join(const struct sentence *sentence, char *out)
{
    size_t length = 0;
    for (size_t i = 0; i <= sentence->count; i++) {
        const film_text parts[2] = {sentence->gap[i],
                                    i < sentence->count ? sentence->word[i] : (film_text){"", 0}};
        for (int p = 0; p < 2; p++) {
            if (length + parts[p].length >= EDIT_ROOM) return 0;
            memcpy(out + length, parts[p].bytes, parts[p].length);
            length += parts[p].length;
        }
    }
    return length;
}

static int same_word(film_text a, const char *b)
{
    size_t length = strlen(b);
    if (a.length != length) return 0;
    for (size_t i = 0; i < length; i++)
        if ((a.bytes[i] >= 'A' && a.bytes[i] <= 'Z' ? a.bytes[i] | 32 : a.bytes[i]) != b[i])
            return 0;
    return 1;
}

/* The place of WORD in LIST, or -1. */
static int place_of(film_text word, const char *const *list)
{
    for (int i = 0; list[i]; i++)
        if (same_word(word, list[i])) return i;
    return -1;
}

static int is_name(film_text word)
{
    return word.length > 1 && word.bytes[0] >= 'A' && word.bytes[0] <= 'Z';
}

/* A random place for which FITS holds, from FIRST on; the number of words if there is none. */
static size_t draw_place(const struct sentence *sentence, struct rng *rng, size_t first,
                         int (*fits)(film_text))
{
    size_t found = sentence->count, seen = 0;
    for (size_t i = first; i < sentence->count; i++)
        if (fits(sentence->word[i]) && rng_below(rng, ++seen) == 0) found = i;
    return found;
}

static void remove_word(struct sentence *sentence, size_t at)
{
    for (size_t i = at; i + 1 < sentence->count; i++) sentence->word[i] = sentence->word[i + 1];
    for (size_t i = at + (at == 0); i < sentence->count; i++)
        sentence->gap[i] = sentence->gap[i + 1];
    sentence->count--;
}

static int insert_word(struct sentence *sentence, size_t at, const char *word)
{
    if (sentence->count == WORDS || at > sentence->count) return 0;
    for (size_t i = sentence->count; i > at; i--) sentence->word[i] = sentence->word[i - 1];
    for (size_t i = sentence->count + 1; i > at; i--) sentence->gap[i] = sentence->gap[i - 1];
    sentence->word[at] = film_string(word);
    sentence->gap[at] = film_string(at ? " " : "");
    sentence->count++;
    return 1;
}

/* ---- Edits by relations ---- */

/* Replaces a random word that has RELATION to others by one of these. */
static int replace_related(struct sentence *sentence, struct rng *rng,
                           const struct relations *relations, enum relation relation)
{
    enum { CHOICES = 6 };
    film_text choice = {NULL, 0};
    size_t at = 0, seen = 0;
    for (size_t i = 0; i < sentence->count; i++) {
        char lower[RELATIONS_LONGEST];
        film_text word = sentence->word[i], related[CHOICES];
        if (word.length > sizeof lower || (i && is_name(word))) continue;
        for (size_t j = 0; j < word.length; j++)
            lower[j] = word.bytes[j] >= 'A' && word.bytes[j] <= 'Z' ? (char)(word.bytes[j] | 32)
                                                                    : word.bytes[j];
        size_t count =
            relations_list(relations, (film_text){lower, word.length}, relation, related, CHOICES);
        if (!count || rng_below(rng, ++seen) != 0) continue;
        choice = related[rng_below(rng, count)];
        at = i;
    }
    if (!seen) return 0;
    sentence->word[at] = choice;
    return 1;
}

/* ---- Edits by lists ---- */

static const char *const auxiliaries[] = {"is",   "are",  "was",  "were", "can",   "could",
                                          "will", "do",   "does", "did",  "would", "should",
                                          "has",  "have", "may",  NULL};
static const char *const pronouns[] = {"i", "you", "we", "they", "he", "she", "it", "one", NULL};

/* Adds "not" after the first auxiliary, or after the subject of a question; removes it where there
 * is one. */
static int negate(struct sentence *sentence)
{
    static const char *const not_words[] = {"not", NULL};
    for (size_t i = 0; i < sentence->count; i++)
        if (place_of(sentence->word[i], not_words) == 0) {
            remove_word(sentence, i);
            return 1;
        }
    for (size_t i = 0; i + 1 < sentence->count; i++) {
        if (place_of(sentence->word[i], auxiliaries) < 0) continue;
        int pronoun = place_of(sentence->word[i + 1], pronouns) >= 0;
        return insert_word(sentence, i + 1 + (size_t)(pronoun || i == 0), "not");
    }
    return 0;
}

static int has_digit(film_text word)
{
    for (size_t i = 0; i < word.length; i++)
        if (is_digit(word.bytes[i])) return 1;
    return 0;
}

/* Changes a digit, or exchanges two different ones. ROOM keeps the new word. */
static int change_number(struct sentence *sentence, struct rng *rng, char *room)
{
    size_t at = draw_place(sentence, rng, 0, has_digit);
    if (at == sentence->count || sentence->word[at].length >= EDIT_ROOM) return 0;
    film_text word = sentence->word[at];
    size_t digits[EDIT_ROOM], count = 0;
    memcpy(room, word.bytes, word.length);
    for (size_t i = 0; i < word.length; i++)
        if (is_digit(room[i])) digits[count++] = i;
    size_t one = digits[rng_below(rng, count)], two = digits[rng_below(rng, count)];
    if (room[one] != room[two] && room[one] != '0' && room[two] != '0') {
        char first = room[one];
        room[one] = room[two];
        room[two] = first;
    } else {
        int digit = room[one] - '0';
        room[one] = (char)('0' + (digit + 1 + (int)rng_below(rng, 8)) % 10);
        if (room[one] == '0') room[one] = digit == 5 ? '6' : '5';
    }
    sentence->word[at] = (film_text){room, word.length};
    return 1;
}

static const char *const articles[] = {"a", "an", "the", "my", "your", NULL};

/* The content word next to AT in a direction, or the number of words. */
static size_t neighbour(const struct sentence *sentence, size_t at, int step)
{
    for (size_t i = at + (size_t)step; i < sentence->count; i += (size_t)step)
        if (place_of(sentence->word[i], articles) < 0) return i;
    return sentence->count;
}

/* from A to B -> from B to A; A than B, A by B -> B than A. */
static int exchange_roles(struct sentence *sentence)
{
    static const char *const pivots[] = {"to", "than", "by", "versus", "vs", "into", "and", NULL};
    static const char *const starts[] = {"from", "between", NULL};
    for (size_t i = 1; i + 1 < sentence->count; i++) {
        int pivot = place_of(sentence->word[i], pivots);
        if (pivot < 0) continue;
        size_t left = neighbour(sentence, i, -1), right = neighbour(sentence, i, 1);
        if (left >= i || right == sentence->count) continue;
        int framed = left && place_of(sentence->word[left - 1], starts) >= 0;
        if (pivot == 6 || (pivot == 0 && !framed)) continue;
        film_text word = sentence->word[left];
        sentence->word[left] = sentence->word[right];
        sentence->word[right] = word;
        return 1;
    }
    return 0;
}

/* Exchanges two names, or replaces one by a name of another sentence. */
static int replace_name(struct sentence *sentence, const struct sentence *other, struct rng *rng)
{
    size_t at = draw_place(sentence, rng, 1, is_name), from = draw_place(other, rng, 1, is_name);
    if (at == sentence->count || from == other->count) return 0;
    film_text a = sentence->word[at], b = other->word[from];
    if (a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0) return 0;
    sentence->word[at] = b;
    return 1;
}

/* Adds the end of another sentence from its last preposition on. */
static size_t add_qualifier(const struct sentence *sentence, const struct sentence *other,
                            char *out)
{
    static const char *const prepositions[] = {"in", "for", "on", "with", "at", "without", NULL};
    size_t start = other->count;
    for (size_t i = other->count; i-- > 2 && other->count - i <= 5;)
        if (place_of(other->word[i], prepositions) >= 0 && i + 1 < other->count) {
            start = i;
            break;
        }
    if (start == other->count) return 0;
    struct sentence whole = *sentence;
    film_text end = whole.gap[whole.count];
    for (size_t i = start; i < other->count; i++) {
        if (whole.count == WORDS) return 0;
        whole.gap[whole.count] = film_string(" ");
        whole.word[whole.count++] = other->word[i];
    }
    whole.gap[whole.count] = end;
    return join(&whole, out);
}

static int change_question(struct sentence *sentence, struct rng *rng)
{
    static const char *const words[] = {"how", "why", "when", "where", "who", NULL};
    static const char *const lower[] = {"how", "why", "when", "where"};
    static const char *const upper[] = {"How", "Why", "When", "Where"};
    if (!sentence->count) return 0;
    int from = place_of(sentence->word[0], words);
    if (from < 0) return 0;
    int to = (from + 1 + (int)rng_below(rng, 3)) % 4;
    if (to == from) return 0;
    sentence->word[0] = film_string(is_name(sentence->word[0]) ? upper[to] : lower[to]);
    return 1;
}

/* ---- Edits that keep the meaning ---- */

/* Of ASCII letters: a typo that cut a letter of several bytes would not be UTF-8. */
static int is_long(film_text word)
{
    for (size_t i = 0; i < word.length; i++)
        if ((unsigned char)word.bytes[i] >= 128) return 0;
    return word.length >= 5 && !has_digit(word);
}

static int make_typo(struct sentence *sentence, struct rng *rng, char *room)
{
    size_t at = draw_place(sentence, rng, 0, is_long);
    if (at == sentence->count || sentence->word[at].length + 1 >= EDIT_ROOM) return 0;
    film_text word = sentence->word[at];
    size_t i = 1 + (size_t)rng_below(rng, word.length - 2), length = word.length;
    memcpy(room, word.bytes, length);
    switch (rng_below(rng, 3)) {
    case 0: /* exchange two letters */
        room[i] = word.bytes[i + 1];
        room[i + 1] = word.bytes[i];
        break;
    case 1: /* leave one out */
        memmove(room + i, word.bytes + i + 1, length - i - 1);
        length--;
        break;
    default: /* write one twice */
        memmove(room + i + 1, word.bytes + i, length - i);
        length++;
    }
    sentence->word[at] = (film_text){room, length};
    return 1;
}

static size_t make_polite(film_text text, struct rng *rng, char *out)
{
    static const char *const before[] = {"Please tell me: ",
                                         "Can you tell me ",
                                         "Hi, ",
                                         "Could someone explain ",
                                         "I would like to know ",
                                         "",
                                         ""};
    static const char *const after[] = {"", "", "", "", "", " please", " Thanks!"};
    size_t i = (size_t)rng_below(rng, sizeof before / sizeof *before);
    int length =
        snprintf(out, EDIT_ROOM, "%s%.*s%s", before[i], (int)text.length, text.bytes, after[i]);
    return length > 0 && length < EDIT_ROOM ? (size_t)length : 0;
}

static int contract(struct sentence *sentence)
{
    static const struct {
        const char *word, *next, *both, *upper;
    } pairs[] = {{"what", "is", "what's", "What's"},    {"who", "is", "who's", "Who's"},
                 {"it", "is", "it's", "It's"},          {"do", "not", "don't", "Don't"},
                 {"does", "not", "doesn't", "Doesn't"}, {"is", "not", "isn't", "Isn't"},
                 {"can", "not", "can't", "Can't"},      {"i", "am", "I'm", "I'm"},
                 {"where", "is", "where's", "Where's"}, {"how", "is", "how's", "How's"}};
    for (size_t i = 0; i + 1 < sentence->count; i++)
        for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
            if (same_word(sentence->word[i], pairs[p].word) &&
                same_word(sentence->word[i + 1], pairs[p].next)) {
                sentence->word[i] =
                    film_string(is_name(sentence->word[i]) ? pairs[p].upper : pairs[p].both);
                remove_word(sentence, i + 1);
                return 1;
            }
    return 0;
}

static size_t make_plain(struct sentence *sentence, char *out)
{
    size_t length = 0;
    for (size_t i = 0; i < sentence->count; i++) {
        film_text word = sentence->word[i];
        if (i && place_of(word, articles) >= 0 && word.length != 2 && word.bytes[0] != 'm' &&
            word.bytes[0] != 'y')
            continue;
        if (length + word.length + 2 >= EDIT_ROOM) return 0;
        if (length) out[length++] = ' ';
        for (size_t j = 0; j < word.length; j++)
            out[length++] = word.bytes[j] >= 'A' && word.bytes[j] <= 'Z'
                                ? (char)(word.bytes[j] | 32)
                                : word.bytes[j];
    }
    return length;
}

static int write_out(struct sentence *sentence)
{
    static const char *const digits[] = {"2", "3",  "4",  "5",  "6",   "7",    "8",
                                         "9", "10", "12", "20", "100", "1000", NULL};
    static const char *const words[] = {"two",    "three",       "four",         "five", "six",
                                        "seven",  "eight",       "nine",         "ten",  "twelve",
                                        "twenty", "one hundred", "one thousand", NULL};
    for (size_t i = 0; i < sentence->count; i++) {
        int digit = place_of(sentence->word[i], digits), word = place_of(sentence->word[i], words);
        if (digit >= 0) sentence->word[i] = film_string(words[digit]);
        if (digit < 0 && word >= 0) sentence->word[i] = film_string(digits[word]);
        if (digit >= 0 || word >= 0) return 1;
    }
    return 0;
}

size_t edit_make(enum edit_kind kind, struct rng *rng, const struct relations *relations,
                 film_text text, film_text other, char *out)
{
    struct sentence sentence, borrowed;
    char room[EDIT_ROOM];
    int done = 0;
    if (text.length >= EDIT_ROOM || !split(text, &sentence) || !split(other, &borrowed)) return 0;
    switch (kind) {
    case EDIT_OPPOSITE:
        done = replace_related(&sentence, rng, relations, RELATION_OPPOSITE);
        break;
    case EDIT_NEGATION:
        done = negate(&sentence);
        break;
    case EDIT_NUMBER:
        done = change_number(&sentence, rng, room);
        break;
    case EDIT_EXCHANGE:
        done = exchange_roles(&sentence);
        break;
    case EDIT_NAME:
        done = replace_name(&sentence, &borrowed, rng);
        break;
    case EDIT_QUALIFIER:
        return add_qualifier(&sentence, &borrowed, out);
    case EDIT_QUESTION:
        done = change_question(&sentence, rng);
        break;
    case EDIT_SYNONYM:
        done = replace_related(&sentence, rng, relations, RELATION_SYNONYM);
        break;
    case EDIT_TYPO:
        done = make_typo(&sentence, rng, room);
        break;
    case EDIT_POLITE:
        return make_polite(text, rng, out);
    case EDIT_CONTRACTION:
        done = contract(&sentence);
        break;
    case EDIT_PLAIN:
        return make_plain(&sentence, out);
    case EDIT_WRITTEN:
        done = write_out(&sentence);
        break;
    case EDIT_KINDS:
        break;
    }
    return done ? join(&sentence, out) : 0;
}
