/* Contributions of word pairs to the similarity: y_a . y_b = the sum over words w of a and v of b
 * of y_w . y_v, where y_w is the contribution of the features of w to the vector (without a map, to
 * the TF-IDF row). */
#ifndef EXPLAIN_LINKS_H
#define EXPLAIN_LINKS_H

#include "explain/words.h"

/* LINKS_WORDS words of a sentence are examined; LINKS_MOST links are kept. */
enum { LINKS_WORDS = 64, LINKS_MOST = 10 };

struct links {
    float *part[2]; /* words x dim: contribution of each word of a, of b to its vector */
    size_t part_capacity[2];
    double *places; /* occurrences of features */
    size_t places_capacity;
    film_word_link list[LINKS_MOST];
    size_t count;
    double sum; /* shares of all links, kept or not */
};

void links_free(struct links *links);

/* Finds the strongest links of the pair that was read. For the cosine, shares are divided by the
 * lengths of the vectors, so that they add up to it. Otherwise they are shares of the inner
 * product. */
film_status links_find(struct links *links, const struct words *words, struct reading *reading,
                       film_error *error);

#endif
