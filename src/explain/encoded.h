/* What a BERT encoder makes of a pair: exact where the way to it is linear, by trying where it is
 * not.
 *
 * The similarity is linear in either sentence's encoder vector (but for the lengths), so it is a
 * sum over the encoder's dimensions. Inside of the encoder nothing is a sum over words: there each
 * word is left out and the sentence encoded again. */
#ifndef EXPLAIN_ENCODED_H
#define EXPLAIN_ENCODED_H

#include "explain/words.h"

enum { ENCODED_MOST = 10, ENCODED_WORDS = 64 /* of a sentence that are left out in turn */ };

struct encoded {
    film_encoder_share list[ENCODED_MOST];
    size_t count;
    double sum; /* of all dimensions */
};

/* Of the pair that was read, by an encoder with a network. Sets left_out of the words. */
film_status encoded_find(struct encoded *encoded, struct words *words,
                         const struct reading *reading, film_error *error);

#endif
