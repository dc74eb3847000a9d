/* What is known of the words of a vocabulary, apart from their sentences: kinds, character
 * n-grams, letter pairs, relations. It is computed when a word is first met and kept, so that the
 * features of a sentence are those of its words, merged.
 *
 * The words of the vocabulary are kept for good; there are as many as the vocabulary has. Other
 * words are computed each time. Threads share a lexicon without locks: whoever finishes a word
 * first publishes it, and both results are equal. */
#ifndef EMBED_LEXICON_H
#define EMBED_LEXICON_H

#include "embed/grams.h"
#include "embed/word_map.h"
#include "text/base_forms.h"
#include "text/relations.h"
#include "text/word_kinds.h"

struct features;

/* The number of letters of a word whose pairs are kept. */
enum { LEXEME_LETTERS = 24 };

struct lexeme {
    uint64_t hash;          /* strtab_hash of its bytes */
    uint32_t id;            /* feature id, or STRTAB_NONE: not in the vocabulary */
    unsigned kinds, limits; /* text/word_kinds.h */
    /* Letter bigrams of the word padded with spaces, sorted: "who" -> " w", "ho", "o ", "wh"; and
     * a bit for each. */
    uint32_t pair_count;
    uint16_t pairs[LEXEME_LETTERS + 1];
    uint64_t pair_bits[2];
    int begins_phrase; /* 0: the relations have no phrase of two words that begins with it */
    /* Hashes of what it may be as the second word of a phrase: itself and its base forms. */
    uint32_t second_count;
    uint64_t second[1 + BASE_FORMS];
    /* What the lexicon's relations say of it, without the text. */
    struct relations_word related;
    /* Where the lexicon has a map: the length of the word's row, and the sum of idf times row over
     * its n-grams (NULL: no map). */
    double length;
    const float *sum;
    uint32_t gram_count;
    uint32_t gram[]; /* the ids of its known character n-grams, ascending, with repetitions */
};

struct lexicon {
    const struct relations *relations;
    struct word_map map; /* of the model; none while it is learned */
    size_t dim;
    /* Of the phrases of two words in the relations: bits for the hash of the first word, and for
     * those of both. */
    uint64_t *phrase_bits;
    uint32_t count;        /* words of the vocabulary */
    struct lexeme **words; /* by id; NULL: not met yet */
};

/* Makes a lexicon. RELATIONS may be NULL. */
film_status lexicon_new(const struct features *features, const struct relations *relations,
                        struct lexicon **out, film_error *error);
/* Replaces the lexicon of FEATURES after a change of either; the map stays. No thread may use it
 * meanwhile. */
film_status lexicon_renew(struct features *features, const struct relations *relations,
                          film_error *error);
/* Sets the map of the lexicon, before the first word is read. Without n-grams it is not needed. */
void lexicon_set_map(struct features *features, const struct word_map *map, size_t dim);
void lexicon_free(struct lexicon *lexicon);

/* Returns 0 where the relations have no phrase of these two words, nor of the first and a base form
 * of the second. */
int lexicon_may_have_phrase(const struct lexicon *lexicon, const struct lexeme *first,
                            const struct lexeme *second);

/* Space for words that no lexicon keeps. */
struct lexeme_room {
    struct lexeme *lexeme;
    size_t size;
};

/* Returns the word of a feature id if it was met before, or NULL. */
static inline const struct lexeme *lexicon_kept(const struct lexicon *lexicon, uint32_t id)
{
    if (!lexicon || id >= lexicon->count) return NULL;
    return __atomic_load_n(&lexicon->words[id], __ATOMIC_ACQUIRE);
}

/* Finds or computes a word. ID is its feature id. ROOM is used where it is not kept; GRAMS is
 * scratch. */
film_status lexicon_word(const struct features *features, film_text word, uint32_t id,
                         struct grams *grams, struct lexeme_room *room, const struct lexeme **out,
                         film_error *error);

/* Fetches a word that is kept, for lexicon_word: first the address of it (STEP 0), then itself. */
static inline void lexicon_prefetch(const struct lexicon *lexicon, uint32_t id, int step)
{
    enum { LINE = 64, LINES = 6 };
    if (!lexicon || id >= lexicon->count) return;
    if (!step) {
        __builtin_prefetch(&lexicon->words[id]);
        return;
    }
    const char *word = (const char *)__atomic_load_n(&lexicon->words[id], __ATOMIC_RELAXED);
    for (int i = 0; word && i < LINES; i++) __builtin_prefetch(word + i * LINE);
}

#endif
