/* The items that a category is recognised by: words, adjacent words, any two words of the sentence,
 * and character n-grams, as 64-bit keys. The classifier has its own items because two words
 * together ("card", "stolen") tell more about a category than either, wherever they are.
 *
 * Values are TF-IDF: (1 + log count) idf, each kind scaled to length 1, then the whole row. */
#ifndef MODEL_CLASS_ROW_H
#define MODEL_CLASS_ROW_H

#include "base/keytab.h"
#include "embed/grams.h"

enum class_kind { CLASS_WORD = 1, CLASS_NEXT, CLASS_TOGETHER, CLASS_CHAR, CLASS_KINDS };

struct class_item {
    uint64_t key;           /* the kind is in the lowest 3 bits */
    uint32_t number;        /* in the table; KEYTAB_NONE: unknown */
    uint32_t first, second; /* the tokens that it comes from; equal: one */
    float value;            /* tf until it is weighed */
};

/* Scratch space and result, one per thread. */
struct class_row {
    struct grams grams;
    struct class_item *items; /* ascending keys, each once */
    size_t count, capacity;
    /* After class_row_weigh: the sum of the known words' idf, and the number of unknown words. */
    double known;
    size_t unknown;
};

/* The key of a word. */
uint64_t class_word_key(film_text word);

film_status class_row_init(struct class_row *row, const struct tokenizer *tokenizer,
                           film_error *error);
void class_row_free(struct class_row *row);

/* Collects the items of TEXT with their tf. */
film_status class_row_collect(struct class_row *row, const struct tokenizer *tokenizer,
                              film_text text, film_error *error);

/* Finds the items in TABLE and weighs the known ones by IDF (by number). Unknown ones are
 * dropped. */
void class_row_weigh(struct class_row *row, const struct keytab *table, const float *idf);

#endif
