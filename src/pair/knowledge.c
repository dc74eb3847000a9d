/* Compares what two sentences do not share by what is known about words and quantities. It
 * measures; traits.c names what it found, and training gives it weight. */
#include "pair/knowledge.h"
#include "pair/roles.h"
#include "pair/scope.h"
#include "text/quantity.h"

#include <math.h>
#include <string.h>

enum { MOST = COMPARISON_MOST, PHRASE = 2 };

/* The text of words FIRST .. LAST as they are written, in lower case. Stemmed words have lost their
 * endings, so the source is read. Returns its length; 0: too long or not ASCII. */
static size_t written(const struct reading *reading, int s, uint32_t first, uint32_t last,
                      char *out)
{
    const struct reading_side *side = &reading->side[s];
    const struct token *tokens = side->row.grams.tokens.items;
    size_t length = 0;
    for (uint32_t w = first; w <= last; w++) {
        if (w > first) out[length++] = ' ';
        for (uint32_t i = tokens[w].from; i < tokens[w].to; i++) {
            char c = side->text.bytes[i];
            if (length + PHRASE > RELATIONS_LONGEST) return 0;
            out[length++] = c >= 'A' && c <= 'Z' ? (char)(c | 32) : c;
        }
    }
    out[length] = '\0';
    return length;
}

/* Returns whether a word is written as its token: neither completed nor stemmed. */
static int is_written_so(const struct reading_side *side, uint32_t word)
{
    const struct tokens *tokens = &side->row.grams.tokens;
    const struct token *token = &tokens->items[word];
    return tokens->fold.ascii && token->start == token->from &&
           token->length == token->to - token->from;
}

/* Returns whether the lexicon knows what the relations say of the words of this side. */
static int has_lexicon(const struct encoder *encoder)
{
    const struct lexicon *lexicon = encoder->features->lexicon;
    return lexicon && lexicon->relations == encoder->relations;
}

static void add_word(struct knowledge_side *units, const struct comparison *c, int s, uint32_t at)
{
    const struct encoder *encoder = c->reading->encoder;
    const struct reading_word *word = &c->reading->side[s].words[at];
    struct knowledge_unit *unit = &units->list[units->count];
    unit->first = unit->last = at;
    if (has_lexicon(encoder) && is_written_so(&c->reading->side[s], at)) {
        if (word->text.length + 1 > RELATIONS_LONGEST) return; /* as `written` */
        unit->word = word->lexeme->related;
        unit->word.text = word->text;
    } else {
        size_t length = written(c->reading, s, at, at, unit->text);
        if (!length) return;
        unit->word = relations_word(encoder->relations, (film_text){unit->text, length});
    }
    units->count++;
}

/* Returns 0 where the relations have no phrase of the words at AT and AT + 1, nor of their base
 * forms. */
static int may_be_phrase(const struct comparison *c, int s, uint32_t at)
{
    const struct reading_side *side = &c->reading->side[s];
    const struct encoder *encoder = c->reading->encoder;
    const struct lexeme *first = side->words[at].lexeme, *second = side->words[at + 1].lexeme;
    if (!has_lexicon(encoder) || !is_written_so(side, at)) return 1;
    if (!first->begins_phrase) return 0;
    return !is_written_so(side, at + 1) ||
           lexicon_may_have_phrase(encoder->features->lexicon, first, second);
}

/* Adds the words at AT and AT + 1 if the relations have them as a phrase. */
static void add_phrase(struct knowledge_side *units, const struct comparison *c, int s, uint32_t at)
{
    const struct encoder *encoder = c->reading->encoder;
    struct knowledge_unit *unit = &units->list[units->count];
    if (!may_be_phrase(c, s, at)) return;
    size_t length = written(c->reading, s, at, at + 1, unit->text);
    if (!length) return;
    unit->word = relations_word(encoder->relations, (film_text){unit->text, length});
    unit->first = at;
    unit->last = at + 1;
    if (unit->word.count) units->count++;
}

/* Collects the unshared words of a side, and phrases of two words with one of them. */
static void collect_units(struct knowledge_side *units, const struct comparison *c, int s)
{
    const struct comparison_side *side = &c->side[s];
    const struct reading_word *words = c->reading->side[s].words;
    units->count = 0;
    memset(units->opposite, 0, sizeof units->opposite);
    memset(units->same, 0, sizeof units->same);
    memset(units->quantity, 0, sizeof units->quantity);
    memset(units->other, 255, sizeof units->other);
    for (uint32_t w = 0; w < side->words && units->count + PHRASE < KNOWLEDGE_UNITS; w++) {
        /* An occurrence without a partner: the word may be elsewhere in both sentences. */
        int alone = words[w].partner == READING_NONE;
        if (alone) add_word(units, c, s, w);
        if (w + 1 < side->words && (alone || words[w + 1].partner == READING_NONE))
            add_phrase(units, c, s, w);
    }
}

static void mark_unit(unsigned char *places, const struct knowledge_unit *unit)
{
    for (uint32_t w = unit->first; w <= unit->last && w < MOST; w++) places[w] = 1;
}

static int is_marked(const unsigned char *places, const struct knowledge_unit *unit)
{
    for (uint32_t w = unit->first; w <= unit->last && w < MOST; w++)
        if (places[w]) return 1;
    return 0;
}

/* Pairs units greedily by one relation; each word takes part once. */
static size_t pair_units(struct knowledge *knowledge, enum relation relation, int opposite)
{
    struct knowledge_side *units = knowledge->side;
    size_t count = 0;
    for (size_t i = 0; i < units[0].count; i++)
        for (size_t j = 0; j < units[1].count; j++) {
            const struct knowledge_unit *a = &units[0].list[i], *b = &units[1].list[j];
            if (knowledge->found[i][j] != relation || is_marked(units[0].opposite, a) ||
                is_marked(units[1].opposite, b) || is_marked(units[0].same, a) ||
                is_marked(units[1].same, b))
                continue;
            mark_unit(opposite ? units[0].opposite : units[0].same, a);
            mark_unit(opposite ? units[1].opposite : units[1].same, b);
            units[0].other[a->first] = b->first;
            units[1].other[b->first] = a->first;
            count++;
            break;
        }
    return count;
}

static void relate_words(struct comparison *c, struct knowledge *knowledge)
{
    struct knowledge_side *units = knowledge->side;
    unsigned char(*found)[KNOWLEDGE_UNITS] = knowledge->found;
    const struct relations *relations = c->reading->encoder->relations;
    static const enum relation same[] = {RELATION_SYNONYM, RELATION_FORM, RELATION_ONE_WAY,
                                         RELATION_SIMILAR};
    unsigned any = 0; /* a bit per relation */
    for (size_t i = 0; i < units[0].count; i++)
        for (size_t j = 0; j < units[1].count; j++) {
            const struct relations_word *a = &units[0].list[i].word, *b = &units[1].list[j].word;
            enum relation relation =
                relations_may(a, b) ? relations_between(relations, a, b) : RELATION_NONE;
            found[i][j] = (unsigned char)relation;
            any |= 1u << relation;
            c->coordinates += relation == RELATION_COORDINATE;
        }
    if (any & 1u << RELATION_OPPOSITE) c->opposites = pair_units(knowledge, RELATION_OPPOSITE, 1);
    for (size_t r = 0; r < sizeof same / sizeof *same; r++)
        if (any & 1u << same[r]) c->synonyms += pair_units(knowledge, same[r], 0);
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < c->side[s].alone; i++) {
            uint32_t w = c->side[s].place[i];
            double rarity = (double)c->reading->side[s].words[w].rarity;
            if (units[s].same[w]) continue;
            c->side[s].unknown += rarity;
            c->side[s].unknown_most = fmax(c->side[s].unknown_most, rarity);
        }
}

/* ---- Quantities ---- */

/* Marks the words inside the bytes of a quantity; returns whether one of them is unshared. */
static int mark_quantity(const struct comparison *c, int s, const struct quantity *quantity,
                         unsigned char *places)
{
    const struct reading_side *side = &c->reading->side[s];
    const struct token *tokens = side->row.grams.tokens.items;
    int alone = 0;
    for (size_t w = 0; w < c->side[s].words; w++)
        if (tokens[w].from >= quantity->from && tokens[w].to <= quantity->to) {
            places[w] = 1;
            alone |= !reading_is_shared(c->reading, side->words[w].number);
        }
    return alone;
}

static void compare_quantities(struct comparison *c, struct knowledge_side *units)
{
    struct quantity list[2][QUANTITY_MOST];
    size_t count[2];
    int used[2][QUANTITY_MOST] = {{0}};
    for (int s = 0; s < 2; s++) {
        count[s] = quantities_find(c->reading->side[s].text, list[s]);
        c->cut |= count[s] == QUANTITY_MOST;
    }
    if (!count[0] && !count[1]) return;
    for (size_t i = 0; i < count[0]; i++)
        for (size_t j = 0; j < count[1] && !used[0][i]; j++)
            if (!used[1][j] && quantity_equal(&list[0][i], &list[1][j])) {
                used[0][i] = used[1][j] = 1;
                c->shared_quantities++;
                int alone = mark_quantity(c, 0, &list[0][i], units[0].same);
                alone |= mark_quantity(c, 1, &list[1][j], units[1].same);
                c->rewritten_quantities += alone != 0;
            }
    for (size_t i = 0; i < count[0]; i++)
        for (size_t j = 0; j < count[1]; j++)
            c->unit_changes += !used[0][i] && !used[1][j] && list[0][i].number == list[1][j].number;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < count[s]; i++)
            if (!used[s][i]) {
                c->side[s].quantities++;
                mark_quantity(c, s, &list[s][i], units[s].quantity);
            }
}

/* ---- The only difference ---- */

/* Isn't it late? Don't you agree? The question is the same without its negation. */
static int is_rhetorical(const struct comparison *c, int s)
{
    const struct reading_word *words = c->reading->side[s].words;
    if (c->side[s].words < 3 || !(words[1].flags & WORD_NEGATION)) return 0;
    film_text first = reading_text(c->reading, s, 0);
    int imperative = first.length == 2 && memcmp(first.bytes, "do", 2) == 0;
    return roles_is_small(c, s, 0) && (!imperative || roles_is_small(c, s, 2));
}

/* Sets comparison.only: what remains when words that carry no content are left out. */
static void find_only_difference(struct comparison *c, const struct knowledge_side *units)
{
    unsigned kinds = 0;
    for (int s = 0; s < 2; s++)
        for (uint32_t w = 0; w < c->side[s].words; w++) {
            const struct reading_word *word = &c->reading->side[s].words[w];
            if (word->partner != READING_NONE) continue;
            if (units[s].opposite[w])
                kinds |= ONLY_OPPOSITE;
            else if (word->flags & WORD_NEGATION)
                kinds |= ONLY_NEGATION;
            else if (units[s].quantity[w])
                kinds |= ONLY_NUMBER;
            else if (!units[s].same[w] && !roles_is_small(c, s, w) &&
                     !reading_is_shared(c->reading, word->number))
                return;
        }
    /* A number that is added says more; it contradicts nothing: an iPhone, an iPhone 6. */
    if (!c->side[0].quantities || !c->side[1].quantities) kinds &= ~(unsigned)ONLY_NUMBER;
    if (!c->polarity) kinds &= ~(unsigned)(ONLY_NEGATION | ONLY_OPPOSITE);
    if (is_rhetorical(c, 0) != is_rhetorical(c, 1)) kinds &= ~(unsigned)ONLY_NEGATION;
    if (!kinds && roles_only_exchanged(c, units)) kinds = ONLY_EXCHANGE;
    c->only = kinds;
}

/* Negations that are not the opposite of a word already: with, without. */
static size_t count_negations(const struct comparison *c, const struct knowledge_side *units, int s)
{
    size_t count = 0;
    for (size_t w = 0; w < c->side[s].words; w++)
        count += (c->reading->side[s].words[w].flags & WORD_NEGATION) && !units[s].opposite[w];
    return count;
}

void compare_knowledge(struct comparison *c, struct knowledge *knowledge)
{
    struct knowledge_side *units = knowledge->side;
    for (int s = 0; s < 2; s++) collect_units(&units[s], c, s);
    if (units[0].count && units[1].count)
        relate_words(c, knowledge);
    else
        for (int s = 0; s < 2; s++) {
            c->side[s].unknown = c->side[s].rarity;
            c->side[s].unknown_most = c->side[s].rarest;
        }
    compare_quantities(c, units);
    c->polarity =
        (int)((count_negations(c, units, 0) + count_negations(c, units, 1) + c->opposites) & 1);
    c->exchanged = roles_exchanged(c, units);
    compare_scope(c, units);
    find_only_difference(c, units);
}
