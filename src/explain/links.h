/* Which words make two sentences similar: y_a . y_b = sum over words w of a and v of b of  y_w .
 * y_v, where y_w is what the features of word w add to the vector (without a map, to the TF-IDF
 * row). */
#ifndef EXPLAIN_LINKS_H
#define EXPLAIN_LINKS_H

#include "explain/words.h"

enum { LINKS_WORDS = 64, LINKS_MOST = 10 }; /* words of a sentence that are looked at; links kept */

struct links {
    float *part[2]; /* words x dim: what each word of a, of b adds to its vector */
    size_t part_capacity[2];
    double *places; /* of features */
    size_t places_capacity;
    film_word_link list[LINKS_MOST];
    size_t count;
    double sum; /* the shares of all links, kept or not */
};

void links_free(struct links *links);

/* The strongest links of the pair that was read. A cosine is divided by the vectors' lengths, so
 * that all shares add up to it; others are parts of the product. */
film_status links_find(struct links *links, const struct words *words,
                       const struct reading *reading, film_error *error);

#endif
