/* The words of a sentence as it is written, to change some of them. */
#ifndef LEARN_EDIT_WORDS_H
#define LEARN_EDIT_WORDS_H

#include "base/rng.h"
#include "film_types.h"

enum { EDIT_WORDS = 48 }; /* longer sentences are not edited */

struct edit_words {
    film_text word[EDIT_WORDS];    /* letters, digits and inner marks, without the spaces around */
    film_text gap[EDIT_WORDS + 1]; /* what precedes each word, and what follows the last */
    size_t count;
};

/* Splits TEXT into words and the gaps between them; 0: too many words. */
int edit_words_split(film_text text, struct edit_words *out);
/* Joins them into OUT (EDIT_ROOM bytes, learn/edits.h); returns the length, 0: too long. */
size_t edit_words_join(const struct edit_words *sentence, char *out);
/* Compares A without regard to case; B is in lower case. */
int edit_words_equal(film_text a, const char *b);
/* The place of WORD in LIST, or -1. */
int edit_words_find(film_text word, const char *const *list);
/* Whether it begins with a capital letter. */
int edit_words_is_name(film_text word);
/* A random place for which FITS holds, from FIRST on; the number of words if there is none. */
size_t edit_words_draw(const struct edit_words *sentence, struct rng *rng, size_t first,
                       int (*fits)(film_text));
void edit_words_remove(struct edit_words *sentence, size_t at);
int edit_words_insert(struct edit_words *sentence, size_t at, const char *word);
/* WORD in lower case, in ROOM, which is as long. */
film_text edit_words_lower(film_text word, char *room);
int edit_words_has_digit(film_text word);

#endif
