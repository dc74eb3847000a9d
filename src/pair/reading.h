/* Two sentences read side by side: what every part of the decision looks at.
 *
 * Each sentence keeps its sparse row (embed/features.h) and its vector; its words are numbered so
 * that equal words have equal numbers, and every word knows its partner, the same occurrence of the
 * same word in the other sentence. Unknown words take part: they have a number like any other. */
#ifndef PAIR_READING_H
#define PAIR_READING_H

#include "embed/encoder.h"

#define READING_NONE UINT32_MAX

/* What a word is, beside itself. */
enum {
    WORD_NUMBER = 1,   /* has a digit */
    WORD_NEGATION = 2, /* not, no, never, without, ... */
    WORD_ASKING = 4,   /* what, how, why, ... */
    WORD_NAME = 8      /* written with a capital, though not at the start */
};

struct reading_word {
    uint32_t number;  /* equal for equal words of the two sentences */
    uint32_t id;      /* feature id of the word, or READING_NONE: not in the vocabulary */
    uint32_t partner; /* its place in the other sentence, or READING_NONE: on one side only */
    unsigned flags;
    float rarity; /* its idf, from 0 (in every sentence) to 1 (as rare as any word, or unknown) */
};

struct reading_side {
    film_text text;
    struct feature_row row;
    float *vector;  /* encoder->dim: of the words; NULL without a map */
    float *encoded; /* encoder->network_dim; NULL without a network */
    struct reading_word *words;
    size_t count, capacity;
    uint64_t hash; /* of all words in their order: equal for equal questions; 0 without words */
};

/* Scratch space and result, one per thread. */
struct reading {
    const struct encoder *encoder;
    struct reading_side side[2];
    int swapped;     /* the pair was read in the other order: side 0 is the second sentence */
    float rarest;    /* the highest idf of a word, less 1 */
    uint32_t *slots; /* hash table of word hashes while numbering */
    size_t slots_capacity;
    uint32_t slot_mask;
    /* By number: */
    uint64_t *hashes;   /* of the word */
    uint32_t *first[2]; /* the word's first place in either sentence, or READING_NONE */
    uint32_t *waiting;  /* the next place in the second sentence without partner */
    uint32_t *next;     /* by place in the second sentence: the next place of the same word */
    size_t hashes_capacity, first_capacity[2], waiting_capacity, next_capacity;
    size_t numbers; /* distinct words of both */
};

film_status reading_init(struct reading *reading, const struct encoder *encoder, film_error *error);
void reading_free(struct reading *reading);

/* Reads the pair, replacing what was there. The sentence that sorts first becomes side 0, so that
 * every sum over the pair is made in the same order, to the last bit, when the two are swapped. */
film_status reading_read(struct reading *reading, film_text a, film_text b, film_error *error);

/* Is the word with this number in both sentences? */
static inline int reading_is_shared(const struct reading *reading, uint32_t number)
{
    return reading->first[0][number] != READING_NONE && reading->first[1][number] != READING_NONE;
}

/* The bytes of a word. */
film_text reading_text(const struct reading *reading, int side, size_t word);

#endif
