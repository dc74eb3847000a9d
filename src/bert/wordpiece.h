/* WordPiece: turns a sentence into the token ids that a BERT encoder was trained on.
 *
 * The steps are those of the tokenizer published with BERT, in the reading of Hugging Face's fast
 * version (docs/explanation/bert.md lists where the two differ): special tokens by their exact
 * bytes; control characters removed; every kind of space is a space; CJK characters are words of
 * their own; canonical decomposition without its marks; lower case; punctuation marks are words of
 * their own; then, from the left, the longest piece in the vocabulary. */
#ifndef BERT_WORDPIECE_H
#define BERT_WORDPIECE_H

#include "base/strtab.h"

enum { WORDPIECE_MOST_PREFIX = 8 };

/* How text is split into words. */
struct wordpiece_rules {
    int clean;         /* remove control characters */
    int space_cjk;     /* CJK characters are separate words */
    int strip_accents; /* é becomes e */
    int lowercase;
    size_t longest_word;                    /* characters; a longer word is unknown */
    char prefix[WORDPIECE_MOST_PREFIX + 1]; /* of pieces inside a word: "##" */
};

struct wordpiece {
    struct wordpiece_rules rules;
    struct strtab vocabulary;      /* the index of a piece is its token id */
    size_t longest_piece;          /* bytes, prefix included */
    uint32_t unknown, first, last; /* [UNK] [CLS] [SEP] */
    /* Tokens recognised wherever their exact bytes occur, for example [MASK]. */
    uint32_t *special;
    size_t special_count, special_capacity;
};

/* The rules of uncased BERT. */
struct wordpiece_rules wordpiece_default_rules(void);

/* Makes TOKEN special if it is in the vocabulary; otherwise *ID is STRTAB_NONE. */
film_status wordpiece_add_special(struct wordpiece *wordpiece, const char *token, uint32_t *id,
                                  film_error *error);

/* Derives the remaining fields from the vocabulary, which must contain the three given tokens. NAME
 * is used in the message. */
film_status wordpiece_finish(struct wordpiece *wordpiece, const char *unknown, const char *first,
                             const char *last, const char *name, film_error *error);
void wordpiece_free(struct wordpiece *wordpiece);

/* Scratch memory of one thread; zero-initialised. */
struct wordpiece_scratch {
    int32_t *points;
    size_t capacity;
    char *word;
    size_t word_capacity;
};
void wordpiece_scratch_free(struct wordpiece_scratch *scratch);

/* IDS (capacity MOST, at least 2) = [CLS], the pieces of TEXT, [SEP]. Pieces that do not fit are
 * dropped. */
film_status wordpiece_encode(const struct wordpiece *wordpiece, struct wordpiece_scratch *scratch,
                             film_text text, size_t most, uint32_t *ids, size_t *count,
                             film_error *error);

#endif
