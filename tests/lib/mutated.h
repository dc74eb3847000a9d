/* Pairs whose only difference is a number, a negation, an opposite or an exchange, by templates
 * around a sentence. The templates are written here; the edits of training have their own. */
#ifndef MUTATED_H
#define MUTATED_H

#include "base/rng.h"

#include <stdio.h>
#include <string.h>

enum { MUTATED_KINDS = 4, MUTATED_ROOM = 1024 };

static const char *const mutated_kinds[MUTATED_KINDS] = {"number", "negation", "opposite",
                                                         "exchange"};

/* What a model must know: "before ! after". */
enum { MUTATED_OPPOSITES = 6 };
static const char *const mutated_opposites[MUTATED_OPPOSITES][2] = {
    {"before", "after"},       {"with", "without"}, {"open", "close"},
    {"frobnicate", "zorkify"}, {"safe", "unsafe"},  {"switch on", "switch off"}};

static inline void mutated_write_words(FILE *file)
{
    for (size_t i = 0; i < MUTATED_OPPOSITES; i++)
        fprintf(file, "%s ! %s\n", mutated_opposites[i][0], mutated_opposites[i][1]);
}

/* Returns whether SENTENCE is about something mutual, where an exchange may keep the meaning. */
static inline int mutated_is_mutual(const char *sentence)
{
    static const char *const words[] = {"etween", "ifference", "ompar", "istance", "far ", "Far ",
                                        "imilar", "elation",   "qual",  "vs",      "ersus"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(sentence, words[i])) return 1;
    return 0;
}

/* Writes a pair whose only difference is of the kind KIND; A and B have MUTATED_ROOM bytes. */
static inline void mutated_pair(struct rng *rng, int kind, const char *sentence, char *a, char *b)
{
    enum { NAMES = 6 };
    static const char *const names[NAMES] = {"Oslo",  "Lisbon",     "Zagreb",
                                             "Quito", "Xyzzyville", "Anna"};
    unsigned one = (unsigned)rng_below(rng, 1000000) + 2, two = one;
    while (two == one) two = (unsigned)rng_below(rng, 1000000) + 2;
    size_t o = rng_below(rng, MUTATED_OPPOSITES), from = rng_below(rng, NAMES),
           to = (from + 1 + rng_below(rng, NAMES - 1)) % NAMES;
    switch (kind) {
    case 0:
        snprintf(a, MUTATED_ROOM, "%s This is about order %u.", sentence, one);
        snprintf(b, MUTATED_ROOM, "%s This is about order %u.", sentence, two);
        break;
    case 1:
        snprintf(a, MUTATED_ROOM, "Tell me when this is true: %s", sentence);
        snprintf(b, MUTATED_ROOM, "Tell me when this is not true: %s", sentence);
        break;
    case 2:
        snprintf(a, MUTATED_ROOM, "%s I want to %s it.", sentence, mutated_opposites[o][0]);
        snprintf(b, MUTATED_ROOM, "%s I want to %s it.", sentence, mutated_opposites[o][1]);
        break;
    default:
        snprintf(a, MUTATED_ROOM, "I travel from %s to %s: %s", names[from], names[to], sentence);
        snprintf(b, MUTATED_ROOM, "I travel from %s to %s: %s", names[to], names[from], sentence);
    }
}

#endif
