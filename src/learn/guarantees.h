/* Which guarantees the labels allow (pair/decision.h), and in which direction the traits behind
 * them may move a decision. */
#ifndef LEARN_GUARANTEES_H
#define LEARN_GUARANTEES_H

#include "learn/tree_rows.h"

/* Returns a set of ONLY_NUMBER, ONLY_NEGATION and ONLY_OPPOSITE. A kind of difference is not
 * guaranteed when the labelled pairs that differ in nothing else show that it keeps the meaning:
 * significantly more than half of them are the same. */
unsigned guarantees_allowed(const struct tree_rows *rows);

/* DIRECTION (one for each of the TRAITS, for boosting.h): -1 for the traits that may only speak
 * against "same", 0 for all others. */
void guarantees_directions(unsigned guarantees, int *direction, size_t traits);

#endif
