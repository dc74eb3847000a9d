/* Edits that change the scope of a sentence. */
#ifndef LEARN_EDIT_SCOPE_H
#define LEARN_EDIT_SCOPE_H

#include "base/rng.h"
#include "learn/edit_words.h"
#include "learn/edits.h"

/* Adds the end of OTHER from its last preposition on: "in Italy". Writes the sentence to OUT
 * (EDIT_ROOM bytes) and returns its length, 0: does not apply. */
size_t edit_scope_qualify(const struct edit_words *sentence, const struct edit_words *other,
                          char *out);

/* Adds a word of OTHER, or an owner, after an article: "the electric car", "my son's car". Returns
 * 0 when it does not apply. */
int edit_scope_modify(struct edit_words *sentence, const struct edit_words *other, struct rng *rng);

/* Replaces a quantifier by another, or adds "only". Returns 0 when it does not apply. */
int edit_scope_limit(struct edit_words *sentence, struct rng *rng);

#endif
