/* Explanation of the similarity of a BERT encoder: exact where it is linear, by occlusion where it
 * is not.
 *
 * The similarity is linear in either sentence's encoder vector (except for the lengths), so it is a
 * sum over the dimensions of the encoder. Inside the encoder, nothing is a sum over words: there,
 * each word is left out in turn and the sentence encoded again (occlusion). */
#ifndef EXPLAIN_ENCODED_H
#define EXPLAIN_ENCODED_H

#include "explain/words.h"

enum { ENCODED_MOST = 10, ENCODED_WORDS = 64 /* words of a sentence that are left out in turn */ };

struct encoded {
    film_encoder_share list[ENCODED_MOST];
    size_t count;
    double sum; /* over all dimensions */
};

/* For the pair that was read, with an encoder with a network. Sets left_out of the words. */
film_status encoded_find(struct encoded *encoded, struct words *words,
                         const struct reading *reading, film_error *error);

#endif
