/* Two sentences, read and aligned by equal words: the input of every part of the decision.
 *
 * Each sentence has its sparse row (embed/features.h) and its vector. Equal words get equal
 * numbers. Every word knows its partner: the same occurrence of the same word in the other
 * sentence. Unknown words take part; they have numbers like all others. */
#ifndef PAIR_READING_H
#define PAIR_READING_H

#include "embed/encoder.h"

#define READING_NONE UINT32_MAX

struct reading_word {
    uint32_t number;  /* equal for equal words of the two sentences */
    uint32_t id;      /* feature id, or READING_NONE: not in the vocabulary */
    uint32_t partner; /* its position in the other sentence, or READING_NONE: unshared */
    unsigned flags;   /* WORD_NUMBER, WORD_NEGATION, WORD_QUESTION, WORD_NAME */
    /* Its idf, scaled to 0 (in every sentence) .. 1 (as rare as the rarest word, or unknown). */
    float rarity;
    film_text text;
    const struct lexeme *lexeme; /* what is known of it apart from the sentence */
};

struct reading_side {
    film_text text;
    char *copy; /* of the text: a sentence that is in the next pair too is read once */
    size_t copy_length, copy_capacity;
    int is_made;   /* there is space for row and vectors */
    int is_read;   /* row and vectors are those of the copy */
    uint32_t home; /* 1 + its place in reading.kept; 0: none */
    struct feature_row row;
    float *vector;  /* encoder->dim: vector of the words; NULL without a map */
    float *encoded; /* encoder->network_dim; NULL without a network */
    struct reading_word *words;
    size_t count, capacity;
    uint64_t hash; /* of all words in order: equal for equal questions; 0 without words */
};

/* The features of both rows, in ascending order: the positions of shared ones in either row, the
 * ids of unshared ones, and where each group begins. */
struct reading_features {
    uint32_t *shared[2], *alone;
    size_t capacity[3];
    size_t first_shared[GROUPS + 1], first_alone[GROUPS + 1];
    size_t from[2][GROUPS + 1]; /* where each group begins in either row */
};

/* Scratch space and result, one per thread. */
struct reading {
    const struct encoder *encoder;
    struct reading_side side[2];
    struct reading_side *kept; /* sentences read before; NULL: none are kept */
    struct reading_features features;
    int swapped;     /* side 0 is the second sentence of the caller */
    float rarest;    /* the highest idf of a word, minus 1 */
    uint32_t *slots; /* hash table of word hashes, used while numbering */
    uint64_t seed;   /* of that table: nobody can choose words that collide */
    size_t slots_capacity;
    uint32_t slot_mask;
    /* By number: */
    uint64_t *hashes;   /* of the word */
    uint32_t *first[2]; /* first position of the word in either sentence, or READING_NONE */
    uint32_t *waiting;  /* next position in the second sentence without a partner */
    uint32_t *next;     /* by position in the second sentence: the next position of the same word */
    size_t hashes_capacity, first_capacity[2], waiting_capacity, next_capacity;
    size_t numbers;             /* number of distinct words of both */
    double product, squares[2]; /* of the vectors of the two sides, where there is a map */
};

film_status reading_init(struct reading *reading, const struct encoder *encoder, film_error *error);
void reading_free(struct reading *reading);

/* Keeps up to READING_KEPT sentences, some 4 KiB each, for pairs in an order in which sentences
 * return soon. Does nothing the second time. */
enum { READING_KEPT = 4096 };
film_status reading_keep(struct reading *reading, film_error *error);

/* Reads the pair and replaces the contents. The sentence that sorts first becomes side 0. So every
 * sum over the pair has the same order of additions, and the same bits, when the two are
 * swapped. */
film_status reading_read(struct reading *reading, film_text a, film_text b, film_error *error);

/* Returns the hash of a sentence as it is in reading_side. */
uint64_t reading_hash(const struct tokens *tokens);

/* Returns whether the word with this number is in both sentences. */
static inline int reading_is_shared(const struct reading *reading, uint32_t number)
{
    return reading->first[0][number] != READING_NONE && reading->first[1][number] != READING_NONE;
}

/* Returns the bytes of a word. */
static inline film_text reading_text(const struct reading *reading, int side, size_t word)
{
    return reading->side[side].words[word].text;
}

/* Before the row of a side is used for something else. */
static inline void reading_forget(struct reading *reading)
{
    reading->side[0].is_read = reading->side[1].is_read = 0;
}

#endif
