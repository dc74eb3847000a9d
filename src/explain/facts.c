/* Observations about two sentences that need no model, such as different numbers or a negation on
 * one side. They do not influence any decision. */
#include "explain/facts.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static void add(struct facts *facts, const char *name,
                                                      const char *format, ...)
{
    va_list values;
    if (facts->count == FACTS_MOST) return;
    char *text = facts->text[facts->count];
    va_start(values, format);
    vsnprintf(text, FACT_LENGTH, format, values);
    va_end(values);
    facts->list[facts->count++] = (film_fact){name, text};
}

/* ---- A short list of words, as written: 3, 5 ---- */

enum { SHOWN = 3, LONGEST = 40, LIST = SHOWN * (LONGEST + 8) + 8 };

struct chosen {
    char text[LIST]; /* may be empty */
    size_t length, count;
    film_text last;
};

static void append_bytes(struct chosen *chosen, const char *bytes, size_t length)
{
    memcpy(chosen->text + chosen->length, bytes, length);
    chosen->length += length;
    chosen->text[chosen->length] = 0;
}

/* Lists at most SHOWN words of at most LONGEST bytes; dots stand for further words. */
static void choose_word(struct chosen *chosen, film_text word)
{
    if (chosen->count && word.bytes == chosen->last.bytes) return; /* "won't" is two tokens */
    chosen->last = word;
    chosen->count++;
    if (chosen->count > SHOWN + 1) return;
    if (chosen->count > 1) append_bytes(chosen, ", ", 2);
    size_t length = chosen->count > SHOWN ? 0 : utf8_cut(word.bytes, word.length, LONGEST);
    append_bytes(chosen, word.bytes, length);
    if (length < word.length) append_bytes(chosen, "...", 3);
}

static film_text as_written(const struct reading_side *side, size_t word)
{
    const struct token *token = &side->row.grams.tokens.items[word];
    return (film_text){side->text.bytes + token->from, token->to - token->from};
}

/* Lists the words of a sentence with one of FLAGS; ALONE: only unshared ones. */
static void choose_flagged(struct chosen *chosen, const struct reading *reading, int side,
                           unsigned flags, int alone)
{
    const struct reading_side *here = &reading->side[side];
    memset(chosen, 0, sizeof *chosen);
    for (size_t i = 0; i < here->count; i++) {
        const struct reading_word *word = &here->words[i];
        if ((word->flags & flags) && !(alone && reading_is_shared(reading, word->number)))
            choose_word(chosen, as_written(here, i));
    }
}

static void choose_unknown(struct chosen *chosen, const struct reading *reading, int side)
{
    const struct reading_side *here = &reading->side[side];
    memset(chosen, 0, sizeof *chosen);
    for (size_t i = 0; i < here->count; i++)
        if (here->words[i].id == READING_NONE && here->row.grams.tokens.items[i].kind != TOKEN_PAIR)
            choose_word(chosen, as_written(here, i));
}

/* ---- Facts ---- */

/* BOTH names what differs, ONE what only one sentence has. */
static void compare_chosen(struct facts *facts, const char *name, const struct chosen *a,
                           const struct chosen *b, const char *both, const char *one)
{
    if (a->count && b->count)
        add(facts, name, "%s: %s / %s", both, a->text, b->text);
    else if (a->count || b->count)
        add(facts, name, "only the %s sentence %s %s", a->count ? "first" : "second", one,
            a->count ? a->text : b->text);
}

static void compare_words(struct facts *facts, const struct reading *reading)
{
    struct chosen a, b;
    int first = reading->swapped ? 1 : 0;
    choose_flagged(&a, reading, first, WORD_NUMBER, 1);
    choose_flagged(&b, reading, !first, WORD_NUMBER, 1);
    compare_chosen(facts, "numbers", &a, &b, "numbers differ", "has the number");
    choose_flagged(&a, reading, first, WORD_NEGATION, 0);
    choose_flagged(&b, reading, !first, WORD_NEGATION, 0);
    if (!a.count != !b.count) compare_chosen(facts, "negation", &a, &b, "", "is negated:");
    choose_flagged(&a, reading, first, WORD_QUESTION, 1);
    choose_flagged(&b, reading, !first, WORD_QUESTION, 1);
    compare_chosen(facts, "question", &a, &b, "question words differ", "asks");
    choose_flagged(&a, reading, first, WORD_NAME, 1);
    choose_flagged(&b, reading, !first, WORD_NAME, 1);
    compare_chosen(facts, "names", &a, &b, "names differ", "names");
    choose_unknown(&a, reading, first);
    choose_unknown(&b, reading, !first);
    if (a.count || b.count)
        add(facts, "unknown", "words unknown to the model: %s%s%s", a.text,
            a.count && b.count ? " / " : "", b.text);
}

static void compare_all(struct facts *facts, const struct reading *reading)
{
    const struct reading_side *a = &reading->side[reading->swapped ? 1 : 0],
                              *b = &reading->side[reading->swapped ? 0 : 1];
    size_t shared = 0;
    if (!a->count || !b->count) {
        add(facts, "empty", "%s no words",
            a->count   ? "the second sentence has"
            : b->count ? "the first sentence has"
                       : "both sentences have");
        return;
    }
    for (uint32_t number = 0; number < reading->numbers; number++)
        shared += (size_t)reading_is_shared(reading, number);
    if (a->count == b->count && a->hash == b->hash)
        add(facts, "identical", "the same words in the same order");
    else if (shared == reading->numbers)
        add(facts, "same-words", "the same words in a different order or number");
    else if (shared == 0)
        add(facts, "no-word-shared", "no word in common");
}

void facts_find(struct facts *facts, const struct reading *reading, enum memory_answer known)
{
    facts->count = 0;
    compare_all(facts, reading);
    compare_words(facts, reading);
    if (known == MEMORY_SAME)
        add(facts, "memory", "both sentences are known from training as the same");
    if (known == MEMORY_DIFFERENT)
        add(facts, "memory", "both sentences are known from training as different");
    if (known == MEMORY_TAKEN)
        add(facts, "memory", "one of the records has another match in training");
}
