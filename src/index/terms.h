/* The terms of a sentence for index/lexical.h: its words, hashed, with what the model thinks they
 * are worth.
 *
 * A word's weight is its idf, and where the model's map weighs words (rank) times the root of the
 * length of its row: what the word can contribute to a vector, learned from labels. R@10 of the
 * words alone among 184,553 questions: .700 with the root, .696 by idf, .687 with the whole length;
 * pairs of neighbouring words beside them gained .002 for twice the postings. Rows of an SVD are
 * long for frequent words: with them it was .239. Words the model does not know count as much as
 * its rare ones: a name that no training file had is just what people search for. */
#ifndef INDEX_TERMS_H
#define INDEX_TERMS_H

#include "embed/encoder.h"
#include "index/lexical.h"

/* Scratch space and result, one per thread. */
struct terms {
    const struct encoder *encoder;
    float unknown; /* weight of a word that the model does not have */
    struct grams grams;
    uint64_t *key;
    float *weight;
    double known; /* share of the weight (squared) that words of the model have; 1: all */
    size_t count, key_capacity, weight_capacity;
};

film_status terms_init(struct terms *terms, const struct encoder *encoder, film_error *error);
void terms_free(struct terms *terms);

/* The terms of TEXT, of length 1 together (0 without a word). Valid until the next call. */
film_status terms_make(struct terms *terms, film_text text, struct lexical_terms *out,
                       film_error *error);

#endif
