/* Two sentences compared word by word, once, for all that is said about the pair (pair/traits.h).
 *
 * Rarity stands for idf brought to 0 .. 1 (pair/reading.h). A word is alone when the other sentence
 * does not have it. Of very long sentences the first COMPARISON_MOST words are compared. */
#ifndef PAIR_COMPARISON_H
#define PAIR_COMPARISON_H

#include "pair/reading.h"

enum { COMPARISON_MOST = 64 };

struct comparison_side {
    size_t words;                    /* compared */
    size_t alone;                    /* distinct words the other does not have */
    uint32_t place[COMPARISON_MOST]; /* of those */
    double rarity, rarest;           /* of the alone words: sum, highest */
    size_t content;                  /* alone words that are not common ones */
    size_t numbers, names;           /* alone words with a digit, with a capital */
    size_t negations;                /* all, alone or not */
    double last_alone;               /* where the last alone word stands: 0 none, 1 at the end */
    int rarest_shared, last_shared;  /* its rarest word, its last word is in the other too */
    unsigned asking;                 /* question words it has, a bit set */
    unsigned opening;                /* the first word among usual openings, 0: another */
    size_t stops;                    /* sentences inside the text: "." "?" "!" before its end */
    double least_covered; /* of its inner sentences: the rarity that the other has, least share */
    int question_mark;    /* it has one */
    /* Rarity of the alone words that no alone word of the other sentence explains: by spelling, by
     * the words' vectors. Sum and largest. */
    double unspelled, unspelled_most, unlike, unlike_most;
    double length;      /* of the sentence's vector */
    double rest_length; /* of the sum of its alone words' vectors */
};

struct comparison {
    const struct reading *reading;
    struct comparison_side side[2];
    size_t shared; /* distinct words in both */
    double shared_rarity, shared_rarest;
    size_t shared_numbers, shared_names;
    size_t runs; /* neighbouring words of one that are neighbours in the other */
    double run_rarity;
    size_t common; /* longest common subsequence, and the rarity of the heaviest one */
    double common_rarity;
    size_t longest_run;             /* of words in a row in both */
    size_t edits;                   /* words to insert, delete or replace */
    size_t prefix, suffix;          /* words the same from the start, from the end */
    size_t inversions;              /* pairs of shared words in opposite order */
    double spelled_best, like_best; /* of all pairs of alone words */
    size_t acronyms, compounds;
    double similarity, distance; /* of the two vectors: cosine, length of the difference */
    double rest_similarity;      /* cosine of the sums of the alone words' vectors */
    double group[GROUPS];        /* TF-IDF cosine of words, word pairs, characters */
    struct comparison_scratch *scratch;
};

film_status comparison_init(struct comparison *comparison, const struct encoder *encoder,
                            film_error *error);
void comparison_free(struct comparison *comparison);

/* Compares the pair that was read. */
void comparison_make(struct comparison *comparison, const struct reading *reading);

#endif
