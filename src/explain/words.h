/* The words of two sentences as a reader sees them: pieces of the text that do not overlap.
 *
 * The model's tokens are not that: "won't" is two of them in one place, and of a script without
 * spaces every character and every pair of neighbours is one. Tokens that lie over each other
 * become one word; a pair of characters stands on both. What is said of a token is split equally
 * over the words it stands on. */
#ifndef EXPLAIN_WORDS_H
#define EXPLAIN_WORDS_H

#include "film_explain.h"
#include "pair/reading.h"

struct words {
    film_word_share *list; /* of a, then of b, as the caller named them */
    size_t capacity;
    size_t first[3]; /* of a, of b, and the end */
};

void words_free(struct words *words);

/* The words of the pair that was read, all with weight 0. */
film_status words_find(struct words *words, const struct reading *reading, film_error *error);

/* The words that bytes START .. END of a sentence (0: a, 1: b) stand on: from *FROM to before *TO,
 * one at least. The sentence has words. */
void words_at(const struct words *words, int sentence, size_t start, size_t end, size_t *from,
              size_t *to);

#endif
