/* Measures what restricts one sentence and not the other: phrases after a preposition, words before
 * a shared word, quantifiers. It knows lists of small words (text/word_kinds.c) and no grammar. */
#include "pair/scope.h"
#include "pair/roles.h"

/* Returns whether nothing in the other sentence explains the word, and it has content. */
static int is_unexplained(const struct comparison *c, const struct knowledge_side *units, int s,
                          uint32_t w)
{
    const struct reading_word *word = &c->reading->side[s].words[w];
    return word->partner == READING_NONE && !reading_is_shared(c->reading, word->number) &&
           !units[s].same[w] && !(word->flags & (WORD_NEGATION | WORD_QUESTION)) &&
           !roles_is_small(c, s, w) && !word->lexeme->limits;
}

/* Returns whether word W, in the other sentence, has a word of its own before it. */
static int has_own_before(const struct comparison *c, const struct knowledge_side *units, int s,
                          uint32_t w)
{
    while (w && roles_is_small(c, s, w - 1)) w--;
    return w && is_unexplained(c, units, s, w - 1);
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
        if (words[w].lexeme->kinds & WORD_RESTRICTING) {
            inside = w > 0;
            continue;
        }
        if (words[w].lexeme->kinds & WORD_ENDING) inside = 0;
        if (!is_unexplained(c, units, s, w)) continue;
        side->owners += w + 1 < side->words && (words[w + 1].lexeme->kinds & WORD_OWNER) != 0;
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
            lists[s] |= word->lexeme->limits;
            count += word->lexeme->limits != 0;
        }
    }
    c->limits_changed = (size_t)__builtin_popcount(lists[0] & lists[1]);
    c->limits_added = count;
}
