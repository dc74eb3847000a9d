/* Sentences to tokens.
 *
 * Words are maximal runs of letters, marks and digits of the folded text (text/fold.h). English
 * contractions come out the same whether the text is raw or was tokenised in the Penn Treebank way:
 *     don't = do n't = don’t -> do not;  can't = ca n't = cannot = can not;  won't -> will not
 *     Anna's = Anna 's -> anna s;  gonna = gon na;  -LRB- and its like are brackets, not words
 * Scripts written without spaces (Han, Kana, Hangul, Thai) give each character and each pair of
 * neighbouring characters. Stemming (Snowball) and a stop list are options. */
#ifndef TEXT_TOKENS_H
#define TEXT_TOKENS_H

#include "base/strtab.h"
#include "text/fold.h"

enum token_kind {
    TOKEN_WORD,
    TOKEN_CHARACTER, /* of a script without spaces */
    TOKEN_PAIR       /* two neighbouring characters of such a script */
};

struct token {
    uint32_t start, length; /* in tokens.fold.bytes */
    uint32_t from, to;      /* in the source text */
    uint32_t kind;
};

/* What a tokenizer does; immutable, shared by threads. */
struct tokenizer {
    const char *stem;   /* Snowball language, or NULL */
    struct strtab stop; /* stop words, folded; empty: none */
};

/* Scratch space and result, one per thread. */
struct tokens {
    struct fold fold;
    struct token *items;
    size_t count, capacity;
    void *stemmer; /* made for the tokenizer of tokens_init */
};

/* STEM and STOP as in film_train_options; NULL for none. A file with stop words has one per line.
 */
film_status tokenizer_init(struct tokenizer *tokenizer, const char *stem, const char *stop,
                           film_error *error);
/* The same with the words themselves, as a model stores them: separated by newlines. */
film_status tokenizer_restore(struct tokenizer *tokenizer, const char *stem, film_text words,
                              film_error *error);
void tokenizer_free(struct tokenizer *tokenizer);

film_status tokens_init(struct tokens *tokens, const struct tokenizer *tokenizer,
                        film_error *error);
void tokens_free(struct tokens *tokens);

/* Splits TEXT, replacing what was in TOKENS. */
film_status tokens_split(struct tokens *tokens, const struct tokenizer *tokenizer, film_text text,
                         film_error *error);

film_text token_text(const struct tokens *tokens, const struct token *token);

#endif
