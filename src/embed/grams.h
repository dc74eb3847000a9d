/* The features of a sentence as strings, by group: words, pairs of adjacent words, and the
 * character 3- and 4-grams of each word padded with spaces (char_wb of scikit-learn). */
#ifndef EMBED_GRAMS_H
#define EMBED_GRAMS_H

#include "text/tokens.h"

enum group { GROUP_WORD, GROUP_BIGRAM, GROUP_CHAR, GROUPS };
#define GROUP_BIT(group) (1u << (group)) /* FILM_WORD, FILM_BIGRAM, FILM_CHAR */

const char *group_name(enum group group);

struct gram {
    uint32_t start, length; /* in the group's bytes */
    uint32_t token;         /* the first token that it comes from */
    uint32_t last_token;
};

struct gram_list {
    struct gram *items;
    size_t count, capacity;
    char *bytes;
    size_t length, bytes_capacity;
};

/* Scratch space and result, one per thread. */
struct grams {
    struct tokens tokens;
    struct gram_list group[GROUPS];
};

film_status grams_init(struct grams *grams, const struct tokenizer *tokenizer, film_error *error);
void grams_free(struct grams *grams);

/* Collects the features of TEXT for the groups in the bit set GROUPS_WANTED, with repetitions, in
 * text order. */
film_status grams_collect(struct grams *grams, const struct tokenizer *tokenizer,
                          unsigned groups_wanted, film_text text, film_error *error);

/* Collects the character n-grams of one word into that group. The tokens stay. */
film_status grams_of_word(struct grams *grams, film_text word, film_error *error);

/* The two steps of grams_collect: splits TEXT into tokens; collects the features of the tokens. */
film_status grams_split(struct grams *grams, const struct tokenizer *tokenizer, film_text text,
                        film_error *error);
film_status grams_list(struct grams *grams, unsigned groups_wanted, film_error *error);

static inline film_text gram_text(const struct gram_list *list, const struct gram *gram)
{
    return (film_text){list->bytes + gram->start, gram->length};
}

#endif
