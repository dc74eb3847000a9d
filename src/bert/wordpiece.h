/* WordPiece: a sentence to the piece numbers a BERT encoder was trained on.
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

/* How text becomes words. */
struct wordpiece_rules {
    int clean;         /* remove control characters */
    int space_cjk;     /* CJK characters are words */
    int strip_accents; /* e for é */
    int lowercase;
    size_t longest_word;                    /* characters; a longer word is unknown */
    char prefix[WORDPIECE_MOST_PREFIX + 1]; /* of pieces inside a word: "##" */
};

struct wordpiece {
    struct wordpiece_rules rules;
    struct strtab vocabulary;      /* the number of a piece is its id */
    size_t longest_piece;          /* bytes, prefix included */
    uint32_t unknown, first, last; /* [UNK] [CLS] [SEP] */
    /* Tokens that stand for themselves wherever their bytes are found, [MASK] for example. */
    uint32_t *special;
    size_t special_count, special_capacity;
};

/* Those of BERT, uncased. */
struct wordpiece_rules wordpiece_default_rules(void);

/* Makes TOKEN special, where the vocabulary has it; *ID is STRTAB_NONE where it has not. */
film_status wordpiece_add_special(struct wordpiece *wordpiece, const char *token, uint32_t *id,
                                  film_error *error);

/* Finds out what follows from the vocabulary, which must have these three. NAME is for the
 * message. */
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

/* IDS (room for MOST, at least 2) = first, the pieces of TEXT, last. What does not fit is cut off
 * before the last. */
film_status wordpiece_encode(const struct wordpiece *wordpiece, struct wordpiece_scratch *scratch,
                             film_text text, size_t most, uint32_t *ids, size_t *count,
                             film_error *error);

#endif
