/* Makes minimal edits on the words of a sentence as it is written. It knows a little English, and
 * the relations it is given; other languages get the edits that need neither. */
#include "learn/edits.h"
#include "learn/edit_scope.h"
#include "learn/edit_words.h"

#include <stdio.h>
#include <string.h>

/* ---- Edits by relations ---- */

/* Replaces a random word that has RELATION to others by one of these. */
static int replace_related(struct edit_words *sentence, struct rng *rng,
                           const struct relations *relations, enum relation relation)
{
    enum { CHOICES = 6 };
    film_text choice = {NULL, 0};
    size_t at = 0, seen = 0;
    for (size_t i = 0; i < sentence->count; i++) {
        char lower[RELATIONS_LONGEST];
        film_text word = sentence->word[i], related[CHOICES];
        if (word.length > sizeof lower || (i && edit_words_is_name(word))) continue;
        size_t count =
            relations_list(relations, edit_words_lower(word, lower), relation, related, CHOICES);
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
static int negate(struct edit_words *sentence)
{
    static const char *const not_words[] = {"not", NULL};
    for (size_t i = 0; i < sentence->count; i++)
        if (edit_words_find(sentence->word[i], not_words) == 0) {
            edit_words_remove(sentence, i);
            return 1;
        }
    for (size_t i = 0; i + 1 < sentence->count; i++) {
        if (edit_words_find(sentence->word[i], auxiliaries) < 0) continue;
        int pronoun = edit_words_find(sentence->word[i + 1], pronouns) >= 0;
        return edit_words_insert(sentence, i + 1 + (size_t)(pronoun || i == 0), "not");
    }
    return 0;
}

/* is safe -> is not dangerous; is not safe -> is dangerous. */
static int negate_twice(struct edit_words *sentence, const struct relations *relations)
{
    static const char *const be[] = {"is", "are", "was", "were", "be", "not", NULL};
    char lower[RELATIONS_LONGEST];
    for (size_t i = 1; i < sentence->count; i++) {
        film_text word = sentence->word[i], opposite;
        int before = edit_words_find(sentence->word[i - 1], be);
        if (before < 0 || word.length > sizeof lower ||
            !relations_list(relations, edit_words_lower(word, lower), RELATION_OPPOSITE, &opposite,
                            1))
            continue;
        sentence->word[i] = opposite;
        if (before < 5) return edit_words_insert(sentence, i, "not");
        edit_words_remove(sentence, i - 1);
        return 1;
    }
    return 0;
}

/* Replaces a unit, a weekday or a month by another of its list. */
static int change_unit(struct edit_words *sentence, struct rng *rng)
{
    enum { LONGEST = 13 };
    static const char *const lists[][LONGEST] = {
        {"minutes", "hours", "days", "weeks", "months", "years"},
        {"mg", "g", "kg"},
        {"kb", "mb", "gb", "tb"},
        {"cm", "m", "km", "miles"},
        {"dollars", "euros", "pounds", "rupees"},
        {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"},
        {"January", "February", "April", "June", "July", "August", "September", "October",
         "November", "December"}};
    for (size_t i = 0; i < sentence->count; i++)
        for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
            size_t count = 0, found = LONGEST;
            for (; lists[l][count]; count++)
                if (sentence->word[i].length == strlen(lists[l][count]) &&
                    memcmp(sentence->word[i].bytes, lists[l][count], sentence->word[i].length) == 0)
                    found = count;
            if (found == LONGEST) continue;
            found = (found + 1 + (size_t)rng_below(rng, count - 1)) % count;
            sentence->word[i] = film_string(lists[l][found]);
            return 1;
        }
    return 0;
}

/* Changes a digit, or exchanges two different ones. ROOM keeps the new word. */
static int change_number(struct edit_words *sentence, struct rng *rng, char *room)
{
    if (rng_below(rng, 2) && change_unit(sentence, rng)) return 1;
    size_t at = edit_words_draw(sentence, rng, 0, edit_words_has_digit);
    if (at == sentence->count || sentence->word[at].length >= EDIT_ROOM) return 0;
    film_text word = sentence->word[at];
    size_t digits[EDIT_ROOM], count = 0;
    memcpy(room, word.bytes, word.length);
    for (size_t i = 0; i < word.length; i++)
        if (room[i] >= '0' && room[i] <= '9') digits[count++] = i;
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
static size_t neighbour(const struct edit_words *sentence, size_t at, int step)
{
    for (size_t i = at + (size_t)step; i < sentence->count; i += (size_t)step)
        if (edit_words_find(sentence->word[i], articles) < 0) return i;
    return sentence->count;
}

/* A word that changes places alone: the next one in this direction is no part of its name. */
static int stands_alone(const struct edit_words *sentence, size_t at, int step)
{
    size_t next = at + (size_t)step;
    return next >= sentence->count || !edit_words_is_name(sentence->word[next]) || next == 0;
}

static void exchange_words(struct edit_words *sentence, size_t one, size_t two)
{
    film_text word = sentence->word[one];
    sentence->word[one] = sentence->word[two];
    sentence->word[two] = word;
}

static int has_any(const struct edit_words *sentence, size_t from, size_t to,
                   const char *const *list)
{
    for (size_t i = from; i < to; i++)
        if (edit_words_find(sentence->word[i], list) >= 0) return 1;
    return 0;
}

static const char *const even[] = {"and", "or", "vs", "versus", "between", "with", NULL};

/* Two names with something directed between them: does Google own YouTube. */
static int exchange_names(struct edit_words *sentence)
{
    size_t last = 0;
    for (size_t i = 1; i < sentence->count; i++) {
        if (!edit_words_is_name(sentence->word[i])) continue;
        if (last && i > last + 1 && !has_any(sentence, last + 1, i, even) &&
            stands_alone(sentence, last, -1) && stands_alone(sentence, i, 1)) {
            exchange_words(sentence, last, i);
            return 1;
        }
        last = i;
    }
    return 0;
}

/* from A to B -> from B to A; A than B, A by B -> B than A; names around a verb. */
static int exchange_roles(struct edit_words *sentence)
{
    static const char *const pivots[] = {"to", "than", "by", "into", NULL};
    static const char *const starts[] = {"from", NULL};
    static const char *const mutual[] = {"difference", "differences", "between", "distance", "far",
                                         "compare",    "vs",          "versus",  "relation", NULL};
    if (has_any(sentence, 0, sentence->count, mutual)) return 0;
    for (size_t i = 1; i + 1 < sentence->count; i++) {
        int pivot = edit_words_find(sentence->word[i], pivots);
        if (pivot < 0) continue;
        size_t left = neighbour(sentence, i, -1), right = neighbour(sentence, i, 1);
        if (left >= i || right == sentence->count) continue;
        int framed = left && edit_words_find(sentence->word[left - 1], starts) >= 0;
        if ((pivot == 0 && !framed) || !stands_alone(sentence, left, -1) ||
            !stands_alone(sentence, right, 1))
            continue;
        exchange_words(sentence, left, right);
        return 1;
    }
    return exchange_names(sentence);
}

/* A and B -> B and A, of two names. */
static int exchange_equals(struct edit_words *sentence)
{
    static const char *const joints[] = {"and", "or", "vs", "versus", NULL};
    for (size_t i = 2; i + 1 < sentence->count; i++)
        if (edit_words_find(sentence->word[i], joints) >= 0 &&
            edit_words_is_name(sentence->word[i - 1]) &&
            edit_words_is_name(sentence->word[i + 1]) && stands_alone(sentence, i - 1, -1) &&
            stands_alone(sentence, i + 1, 1)) {
            exchange_words(sentence, i - 1, i + 1);
            return 1;
        }
    return 0;
}

/* Replaces a name by one of another sentence. */
static int replace_name(struct edit_words *sentence, const struct edit_words *other,
                        struct rng *rng)
{
    size_t at = edit_words_draw(sentence, rng, 1, edit_words_is_name),
           from = edit_words_draw(other, rng, 1, edit_words_is_name);
    if (at == sentence->count || from == other->count) return 0;
    film_text a = sentence->word[at], b = other->word[from];
    if (a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0) return 0;
    sentence->word[at] = b;
    return 1;
}

static int change_question(struct edit_words *sentence, struct rng *rng)
{
    static const char *const words[] = {"how", "why", "when", "where", "who", NULL};
    static const char *const lower[] = {"how", "why", "when", "where"};
    static const char *const upper[] = {"How", "Why", "When", "Where"};
    if (!sentence->count) return 0;
    int from = edit_words_find(sentence->word[0], words);
    if (from < 0) return 0;
    int to = (from + 1 + (int)rng_below(rng, 3)) % 4;
    if (to == from) return 0;
    sentence->word[0] = film_string(edit_words_is_name(sentence->word[0]) ? upper[to] : lower[to]);
    return 1;
}

/* ---- Edits that keep the meaning ---- */

/* Long enough to be recognised with an error, and of single-byte letters. */
static int is_long(film_text word)
{
    for (size_t i = 0; i < word.length; i++)
        if ((unsigned char)word.bytes[i] >= 128 || (word.bytes[i] >= '0' && word.bytes[i] <= '9'))
            return 0;
    return word.length >= 5;
}

static int make_typo(struct edit_words *sentence, struct rng *rng, char *room)
{
    size_t at = edit_words_draw(sentence, rng, 0, is_long);
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

static int contract(struct edit_words *sentence)
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
            if (edit_words_equal(sentence->word[i], pairs[p].word) &&
                edit_words_equal(sentence->word[i + 1], pairs[p].next)) {
                sentence->word[i] = film_string(
                    edit_words_is_name(sentence->word[i]) ? pairs[p].upper : pairs[p].both);
                edit_words_remove(sentence, i + 1);
                return 1;
            }
    return 0;
}

static size_t make_plain_words(struct edit_words *sentence, char *out)
{
    size_t length = 0;
    for (size_t i = 0; i < sentence->count; i++) {
        film_text word = sentence->word[i];
        if (i && edit_words_find(word, articles) >= 0 && word.length != 2 && word.bytes[0] != 'm' &&
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

static int write_out(struct edit_words *sentence)
{
    static const char *const digits[] = {"2", "3",  "4",  "5",  "6",   "7",    "8",
                                         "9", "10", "12", "20", "100", "1000", NULL};
    static const char *const words[] = {"two",    "three",       "four",         "five", "six",
                                        "seven",  "eight",       "nine",         "ten",  "twelve",
                                        "twenty", "one hundred", "one thousand", NULL};
    for (size_t i = 0; i < sentence->count; i++) {
        int digit = edit_words_find(sentence->word[i], digits),
            word = edit_words_find(sentence->word[i], words);
        if (digit >= 0) sentence->word[i] = film_string(words[digit]);
        if (digit < 0 && word >= 0) sentence->word[i] = film_string(digits[word]);
        if (digit >= 0 || word >= 0) return 1;
    }
    return 0;
}

size_t edit_make(enum edit_kind kind, struct rng *rng, const struct relations *relations,
                 film_text text, film_text other, char *out)
{
    struct edit_words sentence, borrowed;
    char room[EDIT_ROOM];
    int done = 0;
    if (text.length >= EDIT_ROOM || !edit_words_split(text, &sentence) ||
        !edit_words_split(other, &borrowed))
        return 0;
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
        return edit_scope_qualify(&sentence, &borrowed, out);
    case EDIT_MODIFIER:
        done = edit_scope_modify(&sentence, &borrowed, rng);
        break;
    case EDIT_LIMIT:
        done = edit_scope_limit(&sentence, rng);
        break;
    case EDIT_QUESTION:
        done = change_question(&sentence, rng);
        break;
    case EDIT_SYNONYM:
        done = replace_related(&sentence, rng, relations,
                               rng_below(rng, 4) ? RELATION_SYNONYM : RELATION_FORM);
        break;
    case EDIT_DOUBLE:
        done = negate_twice(&sentence, relations);
        break;
    case EDIT_ORDER:
        done = exchange_equals(&sentence);
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
        return make_plain_words(&sentence, out);
    case EDIT_WRITTEN:
        done = write_out(&sentence);
        break;
    case EDIT_KINDS:
        break;
    }
    return done ? edit_words_join(&sentence, out) : 0;
}
