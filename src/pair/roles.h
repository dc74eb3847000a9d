/* Roles: who does what to whom, from where to where, by the order of words. */
#ifndef PAIR_ROLES_H
#define PAIR_ROLES_H

#include "pair/knowledge.h"

/* Returns the number of words around which two others exchanged their places: "dogs chase cats",
 * "cats chase dogs"; "from A to B", "from B to A". Not where the order does not matter: "A and B",
 * "A vs B", "the distance from A to B". UNITS are those of both sides. */
size_t roles_exchanged(const struct comparison *comparison, const struct knowledge_side *units);

/* Returns whether two things exchanged their places (comparison.exchanged is set) and the order of
 * all other words, without articles, is the same. */
int roles_only_exchanged(const struct comparison *comparison, const struct knowledge_side *units);

/* Returns whether a word, in lower case, is in a list that ends with NULL. */
int roles_is_word(film_text text, const char *const *list);

/* Returns whether a word has no content: an article, an auxiliary, a pronoun. */
int roles_is_small(const struct comparison *comparison, int side, uint32_t word);

#endif
