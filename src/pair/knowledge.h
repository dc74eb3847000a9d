/* The part of a comparison that knows words and quantities: opposites, synonyms and coordinate
 * terms (text/relations.h), numbers by value (text/quantity.h), roles around directed words, and
 * whether one of these is the only difference. */
#ifndef PAIR_KNOWLEDGE_H
#define PAIR_KNOWLEDGE_H

#include "pair/comparison.h"

enum { KNOWLEDGE_UNITS = 2 * COMPARISON_MOST };

/* An unshared word, or two adjacent words of which at least one is unshared. */
struct knowledge_unit {
    struct relations_word word;
    uint32_t first, last; /* positions */
    char text[RELATIONS_LONGEST + 1];
};

/* Scratch space. */
struct knowledge {
    struct knowledge_side {
        struct knowledge_unit list[KNOWLEDGE_UNITS];
        size_t count;
        /* By position: what explains the word. */
        unsigned char opposite[COMPARISON_MOST], same[COMPARISON_MOST], quantity[COMPARISON_MOST];
        /* The place of the word that explains it in the other sentence, or READING_NONE. */
        uint32_t other[COMPARISON_MOST];
    } side[2];
    unsigned char found[KNOWLEDGE_UNITS][KNOWLEDGE_UNITS]; /* relations of the units */
};

/* Fills the fields of COMPARISON that its header names; the words are sorted already. */
void compare_knowledge(struct comparison *comparison, struct knowledge *knowledge);

#endif
