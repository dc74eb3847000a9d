/* The part of a comparison that knows words and quantities: opposites, synonyms and coordinate
 * terms (text/relations.h), numbers by value (text/quantity.h), roles around directed words, and
 * whether one of these is the only difference. */
#ifndef PAIR_KNOWLEDGE_H
#define PAIR_KNOWLEDGE_H

#include "pair/comparison.h"

/* Fills the fields of COMPARISON that its header names; the words are sorted already. */
void compare_knowledge(struct comparison *comparison);

#endif
