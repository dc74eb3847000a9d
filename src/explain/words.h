/* The words of two sentences as a reader sees them: ranges of the text that do not overlap.
 *
 * The tokens of the model can overlap: "won't" is two tokens in one place, and in a script without
 * spaces every character and every pair of adjacent characters is a token. Overlapping tokens
 * become one word; a pair of characters covers both. The weight of a token is split equally among
 * the words that it covers. */
#ifndef EXPLAIN_WORDS_H
#define EXPLAIN_WORDS_H

#include "film_explain.h"
#include "pair/reading.h"

struct words {
    film_word_share *list; /* of a, then of b, in the order of the caller */
    size_t capacity;
    size_t first[3]; /* start of a, start of b, end */
};

void words_free(struct words *words);

/* Finds the words of the pair that was read, all with weight 0. */
film_status words_find(struct words *words, const struct reading *reading, film_error *error);

/* Finds the words that bytes START .. END of a sentence (0: a, 1: b) overlap: *FROM up to, but not
 * including, *TO; at least one. The sentence must have words. */
void words_at(const struct words *words, int sentence, size_t start, size_t end, size_t *from,
              size_t *to);

#endif
