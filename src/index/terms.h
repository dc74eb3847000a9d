/* The terms of a sentence for index/lexical.h: its hashed words, weighted by the model.
 *
 * The weight of a word is its idf. If the model's map weighs words (method rank), it is multiplied
 * by the square root of the length of the word's row: how much the word can contribute to a vector,
 * as learned from labels. R@10 of the words alone among 184,553 questions: .700 with the root, .696
 * by idf, .687 with the full length; adjacent word pairs added .002 for twice the postings. The
 * rows of an SVD are long for frequent words: with them it was .239. Unknown words weigh as much as
 * rare ones, because people search for names that no training file has.
 *
 * A record also has keys: its codes without spaces and signs, its dates and addresses. Two records
 * that write a phone number or a date in different ways share no word of it, but they share the
 * key. */
#ifndef INDEX_TERMS_H
#define INDEX_TERMS_H

#include "embed/encoder.h"
#include "index/lexical.h"
#include "text/field_types.h"

/* Scratch space and result, one per thread. */
struct terms {
    const struct encoder *encoder;
    float unknown; /* weight of a word outside the vocabulary */
    struct grams grams;
    uint64_t *key;
    float *weight;
    double known; /* share of the squared weight that known words have; 1: all */
    size_t count, key_capacity, weight_capacity;
};

film_status terms_init(struct terms *terms, const struct encoder *encoder, film_error *error);
void terms_free(struct terms *terms);

/* Computes the terms of TEXT, normalised to length 1 (0 without a word). Valid until the next
 * call. */
film_status terms_make(struct terms *terms, film_text text, struct lexical_terms *out,
                       film_error *error);

/* Adds the keys and words of one value of a record to `key` and `count`, which the caller set to 0
 * before the first value; each term once. */
film_status terms_add_value(struct terms *terms, enum field_type type, film_text value,
                            film_error *error);

#endif
