/* Tokenisation of sentences.
 *
 * Words are maximal runs of letters, marks and digits of the folded text (text/fold.h). English
 * contractions give the same tokens in raw text and in Penn Treebank tokenisation:
 *     don't = do n't = don’t -> do not;  can't = ca n't = cannot = can not;  won't -> will not
 *     Anna's = Anna 's -> anna s;  gonna = gon na;  -LRB- and the like are brackets, not words
 * In scripts without spaces (Han, Kana, Hangul, Thai), every character and every pair of adjacent
 * characters is a token. Stemming (Snowball) and stop words are options. Names that end or begin
 * with signs are one token each: c++, c#, .net, node.js. */
#ifndef TEXT_TOKENS_H
#define TEXT_TOKENS_H

#include "base/strtab.h"
#include "text/fold.h"

enum token_kind {
    TOKEN_WORD,
    TOKEN_CHARACTER, /* of a script without spaces */
    TOKEN_PAIR       /* two adjacent characters of such a script */
};

struct token {
    uint32_t start, length; /* in tokens.fold.bytes */
    uint32_t from, to;      /* in the source text */
    uint32_t kind;
};

/* Settings of a tokenizer; immutable, shared by threads. */
struct tokenizer {
    int plain;          /* no names with signs: C++ is the word c */
    const char *stem;   /* Snowball language, or NULL */
    struct strtab stop; /* folded stop words; may be empty */
};

/* Scratch space and result, one per thread. */
struct tokens {
    struct fold fold;
    struct token *items;
    size_t count, capacity;
    void *stemmer; /* created by tokens_init */
};

/* STEM and STOP as in film_train_options; NULL for none. A stop word file has one word per line. */
film_status tokenizer_init(struct tokenizer *tokenizer, const char *stem, const char *stop,
                           film_error *error);
/* As tokenizer_init, with the stop words separated by newlines. */
film_status tokenizer_restore(struct tokenizer *tokenizer, const char *stem, film_text words,
                              film_error *error);
void tokenizer_free(struct tokenizer *tokenizer);

film_status tokens_init(struct tokens *tokens, const struct tokenizer *tokenizer,
                        film_error *error);
void tokens_free(struct tokens *tokens);

/* Splits TEXT into tokens and replaces the contents of TOKENS. */
film_status tokens_split(struct tokens *tokens, const struct tokenizer *tokenizer, film_text text,
                         film_error *error);

static inline film_text token_text(const struct tokens *tokens, const struct token *token)
{
    return (film_text){tokens->fold.bytes + token->start, token->length};
}

#endif
