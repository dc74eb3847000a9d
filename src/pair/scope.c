/* Measures what restricts one sentence and not the other: phrases after a preposition, words before
 * a shared word, quantifiers. It knows lists of small words and no grammar. */
#include "pair/scope.h"
#include "pair/roles.h"

/* Words that begin a restriction. "To" and "of" mostly begin what a verb or a noun needs. */
static const char *const restricting[] = {
    "in",    "on",      "at",     "for",     "with",    "without", "from",  "by",      "during",
    "under", "over",    "among",  "against", "after",   "before",  "until", "since",   "within",
    "near",  "outside", "inside", "through", "despite", "unless",  "while", "because", NULL};
/* Words after which a phrase is over. */
static const char *const ending[] = {"and", "or", "but", "to", "if", "that", "which", "who", NULL};

static const char *const possessive[] = {"s", NULL}; /* child's is two words */

/* Words of one list exclude each other. */
enum { LIMIT_LISTS = 9 };
static const char *const limits[LIMIT_LISTS][8] = {
    {"all", "some", "every", "each", "most", "few", "many"},
    {"everyone", "someone", "nobody", "everybody", "somebody"},
    {"everything", "something", "nothing"},
    {"always", "sometimes", "usually", "often", "rarely", "seldom"},
    {"only", "also", "even", "just", "exclusively"},
    {"both", "either", "neither"},
    {"least", "most", "exactly", "maximum", "minimum"},
    {"first", "last", "next", "previous"},
    {"before", "after", "during", "until", "since"}};

/* The lists that have the word, as bits. */
static unsigned limit_lists(film_text text)
{
    unsigned lists = 0;
    for (unsigned i = 0; i < LIMIT_LISTS; i++)
        if (roles_is_word(text, limits[i])) lists |= 1u << i;
    return lists;
}

/* Returns whether nothing in the other sentence explains the word, and it has content. */
static int is_own(const struct comparison *c, const struct knowledge_side *units, int s, uint32_t w)
{
    const struct reading_word *word = &c->reading->side[s].words[w];
    return word->partner == READING_NONE && !reading_is_shared(c->reading, word->number) &&
           !units[s].same[w] && !(word->flags & (WORD_NEGATION | WORD_QUESTION)) &&
           !roles_is_small(c, s, w) && !limit_lists(reading_text(c->reading, s, w));
}

/* Returns whether word W, in the other sentence, has a word of its own before it. */
static int has_own_before(const struct comparison *c, const struct knowledge_side *units, int s,
                          uint32_t w)
{
    while (w && roles_is_small(c, s, w - 1)) w--;
    return w && is_own(c, units, s, w - 1);
}

/* The word that W, which is not shared, stands before: the next one that is not small. */
static uint32_t word_after(const struct comparison *c, int s, uint32_t w)
{
    uint32_t next = w + 1;
    while (next < c->side[s].words && roles_is_small(c, s, next)) next++;
    return next;
}

static void measure_side(struct comparison *c, const struct knowledge_side *units, int s)
{
    struct comparison_side *side = &c->side[s];
    const struct reading_word *words = c->reading->side[s].words;
    int inside = 0; /* a phrase after a preposition */
    for (uint32_t w = 0; w < side->words; w++) {
        film_text text = reading_text(c->reading, s, w);
        if (roles_is_word(text, restricting)) {
            inside = w > 0;
            continue;
        }
        if (roles_is_word(text, ending)) inside = 0;
        if (!is_own(c, units, s, w)) continue;
        side->owners +=
            w + 1 < side->words && roles_is_word(reading_text(c->reading, s, w + 1), possessive);
        uint32_t next = word_after(c, s, w);
        uint32_t there = next < side->words ? words[next].partner : READING_NONE;
        if (inside)
            side->qualified += (double)words[w].rarity;
        else if (there < c->side[!s].words && !has_own_before(c, units, !s, there))
            side->modified += (double)words[w].rarity;
    }
}

void compare_scope(struct comparison *c, const struct knowledge_side *units)
{
    unsigned lists[2] = {0, 0};
    size_t count = 0;
    for (int s = 0; s < 2; s++) {
        measure_side(c, units, s);
        for (uint32_t w = 0; w < c->side[s].words; w++) {
            const struct reading_word *word = &c->reading->side[s].words[w];
            if (word->partner != READING_NONE) continue;
            unsigned own = limit_lists(reading_text(c->reading, s, w));
            lists[s] |= own;
            count += own != 0;
        }
    }
    c->limits_changed = (size_t)__builtin_popcount(lists[0] & lists[1]);
    c->limits_added = count;
}
