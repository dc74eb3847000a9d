/* Finds words that exchanged their roles: who does what to whom, from where to where. It looks at
 * the order of the words alone and knows no grammar. */
#include "pair/roles.h"

#include <string.h>

enum { MOST = COMPARISON_MOST };

static unsigned kinds_of(const struct comparison *c, int s, uint32_t word)
{
    return c->reading->side[s].words[word].lexeme->kinds;
}

int roles_is_small(const struct comparison *c, int s, uint32_t word)
{
    return (kinds_of(c, s, word) & (WORD_SMALL | WORD_PRONOUN)) != 0;
}

enum role_part { PART_NONE, PART_CONTENT, PART_PERSON, PART_DIRECTED };

/* The words of the first sentence that have a role, in order, and their places in the second. */
struct part_word {
    enum role_part part;
    uint32_t place[2];
};

static enum role_part role_part_of(unsigned kinds)
{
    if (kinds & WORD_DIRECTED) return PART_DIRECTED;
    if (word_person(kinds) || kinds & WORD_PRONOUN) return PART_PERSON;
    if (kinds & (WORD_SMALL | WORD_SYMMETRIC | WORD_ASKING)) return PART_NONE;
    return PART_CONTENT;
}

static uint32_t place_of_person(const struct comparison *c, unsigned person)
{
    for (uint32_t w = 0; w < c->side[1].words; w++)
        if (word_person(kinds_of(c, 1, w)) == person) return w;
    return READING_NONE;
}

static size_t list_parts(const struct comparison *c, const struct knowledge_side *units,
                         struct part_word *parts)
{
    size_t count = 0;
    for (uint32_t w = 0; w < c->side[0].words; w++) {
        unsigned kinds = kinds_of(c, 0, w), person = word_person(kinds);
        uint32_t place = c->reading->side[0].words[w].partner;
        enum role_part part = role_part_of(kinds);
        if (part == PART_NONE) continue;
        if (place == READING_NONE && person) place = place_of_person(c, person);
        if (place == READING_NONE && units[0].same[w]) place = units[0].other[w];
        if (place < c->side[1].words) parts[count++] = (struct part_word){part, {w, place}};
    }
    return count;
}

static int has_word(const struct comparison *c, int s, uint32_t from, uint32_t to, unsigned kind)
{
    if (from > to) {
        uint32_t first = from;
        from = to;
        to = first;
    }
    for (uint32_t w = from; w < to && w < c->side[s].words; w++)
        if (kinds_of(c, s, w) & kind) return 1;
    return 0;
}

/* Returns whether X before V before Y in one sentence and Y before V before X in the other is an
 * exchange: of two things around a word with a direction or a deed, or of two directions. */
static int is_exchange(const struct comparison *c, const struct part_word *x,
                       const struct part_word *v, const struct part_word *y)
{
    int things = x->part != PART_DIRECTED && y->part != PART_DIRECTED;
    int directions = x->part == PART_DIRECTED && y->part == PART_DIRECTED;
    int persons = x->part == PART_PERSON || y->part == PART_PERSON;
    if (v->part == PART_PERSON || (!things && !(directions && v->part == PART_CONTENT))) return 0;
    if (persons && v->part != PART_CONTENT) return 0;
    for (int s = 0; s < 2; s++)
        if (has_word(c, s, x->place[s], y->place[s], WORD_SYMMETRIC)) return 0;
    return 1;
}

/* dogs chase cats, cats chase dogs; from A to B, from B to A. The nearest words on both sides of
 * each word are looked at. */
static size_t count_reversals(const struct comparison *c, const struct part_word *parts,
                              size_t count)
{
    size_t found = 0;
    for (size_t v = 1; v + 1 < count; v++) {
        size_t x = v, y = v + 1;
        while (x && parts[x - 1].place[1] < parts[v].place[1]) x--;
        while (y < count && parts[y].place[1] > parts[v].place[1]) y++;
        found += x && y < count && is_exchange(c, &parts[x - 1], &parts[v], &parts[y]);
    }
    return found;
}

/* Who beat Norway? Who did Norway beat? A subject became an object where the auxiliary "do" is in
 * one of the two questions alone and two content words changed their order. */
static int is_object_question(const struct comparison *c, const struct part_word *parts,
                              size_t count)
{
    size_t end[2] = {c->side[0].words, c->side[1].words}, inversions = 0;
    if (!end[0] || !end[1] || !(kinds_of(c, 0, 0) & kinds_of(c, 1, 0) & WORD_WHOSE) ||
        has_word(c, 0, 0, (uint32_t)end[0], WORD_DOING) ==
            has_word(c, 1, 0, (uint32_t)end[1], WORD_DOING))
        return 0;
    for (size_t i = 0; i + 1 < count; i++)
        for (size_t j = i + 1; j < count; j++)
            inversions += parts[i].part == PART_CONTENT && parts[j].part == PART_CONTENT &&
                          parts[j].place[1] < parts[i].place[1];
    return inversions == 1;
}

/* Returns whether a side alone is passive: was beaten by. */
static int is_passive(const struct comparison *c, int s)
{
    unsigned has = 0;
    for (size_t i = 0; i < c->side[s].alone; i++) has |= kinds_of(c, s, c->side[s].place[i]);
    return has & WORD_BY && has & WORD_BEING;
}

/* ---- The only difference ---- */

/* Fills NUMBERS with the words of side S, without articles and possessives; equal words of the two
 * sides have equal numbers, I and me too. PLACES get their positions. */
static size_t number_role_words(const struct comparison *c, int s,
                                const struct knowledge_side *units, uint32_t *numbers,
                                uint32_t *places)
{
    size_t count = 0;
    for (uint32_t w = 0; w < c->side[s].words; w++) {
        unsigned kinds = kinds_of(c, s, w), person = word_person(kinds);
        if (kinds & WORD_ARTICLE) continue;
        places[count] = w;
        numbers[count] = c->reading->side[s].words[w].number;
        if (!s && units[0].same[w] && units[0].other[w] < c->side[1].words)
            numbers[count] = c->reading->side[1].words[units[0].other[w]].number;
        if (person) numbers[count] = READING_NONE - person;
        count++;
    }
    return count;
}

/* Returns whether COUNT words of the first sentence from PLACES on may change places: one content
 * word or person, or several words of a name. */
static int is_thing(const struct comparison *c, const uint32_t *places, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        enum role_part part = role_part_of(kinds_of(c, 0, places[i]));
        if (part != PART_CONTENT && part != PART_PERSON) return 0;
        if (count > 1 && !(c->reading->side[0].words[places[i]].flags & WORD_NAME)) return 0;
    }
    return 1;
}

static int equal_range(const uint32_t *a, const uint32_t *b, size_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

/* X M Y in one sentence and Y M X in the other, with equal words around. */
static int is_swap(const struct comparison *c, const struct knowledge_side *units)
{
    enum { LONGEST = 3 };
    uint32_t numbers[2][MOST], places[2][MOST];
    size_t count = 0, start = 0;
    for (int s = 0; s < 2; s++) {
        size_t own = number_role_words(c, s, units, numbers[s], places[s]);
        if (s && own != count) return 0;
        count = own;
    }
    while (start < count && numbers[0][start] == numbers[1][start]) start++;
    while (count > start && numbers[0][count - 1] == numbers[1][count - 1]) count--;
    count -= start;
    const uint32_t *a = numbers[0] + start, *b = numbers[1] + start;
    for (size_t x = 1; x <= LONGEST; x++)
        for (size_t y = 1; y <= LONGEST && x + y < count; y++)
            if (equal_range(a, b + count - x, x) && equal_range(a + count - y, b, y) &&
                equal_range(a + x, b + y, count - x - y) && is_thing(c, places[0] + start, x) &&
                is_thing(c, places[0] + start + count - y, y) &&
                !has_word(c, 0, places[0][start], places[0][start + count - 1], WORD_SYMMETRIC))
                return 1;
    return 0;
}

int roles_only_exchanged(const struct comparison *c, const struct knowledge_side *units)
{
    struct part_word parts[MOST];
    if (!c->exchanged) return 0;
    return is_swap(c, units) || is_object_question(c, parts, list_parts(c, units, parts));
}

size_t roles_exchanged(const struct comparison *c, const struct knowledge_side *units)
{
    struct part_word parts[MOST];
    for (int s = 0; s < 2; s++)
        if (has_word(c, s, 0, (uint32_t)c->side[s].words, WORD_MUTUAL)) return 0;
    if (is_passive(c, 0) != is_passive(c, 1)) return 0;
    size_t count = list_parts(c, units, parts);
    size_t found = count_reversals(c, parts, count);
    return found ? found : (size_t)is_object_question(c, parts, count);
}
