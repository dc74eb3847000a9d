/* Word-by-word comparison of two sentences, made once and read by all traits (pair/traits.h).
 *
 * Rarity is the idf scaled to 0 .. 1 (pair/reading.h). A word is unshared ("alone") when the other
 * sentence does not contain it. Only the first COMPARISON_MOST words of a sentence are compared. */
#ifndef PAIR_COMPARISON_H
#define PAIR_COMPARISON_H

#include "pair/reading.h"

enum { COMPARISON_MOST = 64 };

/* Bits of comparison.only. */
enum {
    ONLY_OPPOSITE = 1,
    ONLY_NUMBER = 2,
    ONLY_NEGATION = 4,
    ONLY_EXCHANGE = 8,
    ONLY_KINDS = 15 /* all of them */
};

struct comparison_side {
    size_t words;                    /* number of words compared */
    size_t alone;                    /* distinct unshared words */
    uint32_t place[COMPARISON_MOST]; /* their positions */
    double rarity, rarest;           /* of the unshared words: sum, maximum */
    size_t content;                  /* unshared words rarer than COMMON_WORD */
    size_t numbers, names;           /* unshared words with a digit, with a capital */
    size_t negations;                /* all of them, shared or not */
    double last_alone; /* relative position of the last unshared word: 0 none, 1 at the end */
    int rarest_shared, last_shared; /* its rarest word, its last word is shared */
    unsigned asking;                /* bit set of its question words */
    unsigned opening; /* number of its first word among the usual openings; 0: another */
    size_t stops;     /* inner sentence ends: "." "?" "!" before the end of the text */
    /* The smallest coverage of an inner sentence: the share of its rarity that the other text
     * contains. */
    double least_covered;
    int question_mark; /* it has a question mark */
    /* Rarity of the unshared words that no unshared word of the other sentence explains: by
     * spelling, and by word vector. Sum and maximum. */
    double unspelled, unspelled_most, unlike, unlike_most;
    double length;      /* of the sentence's vector */
    double rest_length; /* of the sum of the vectors of its unshared words */
    /* Rarity of the unshared words that no synonym or form in the other sentence explains: sum and
     * maximum (pair/knowledge.h). */
    double unknown, unknown_most;
    size_t quantities; /* whose value the other sentence does not have */
    /* Rarity of its own words in phrases after a preposition, and before a shared word
     * (pair/scope.h). */
    double qualified, modified;
    size_t owners; /* of its own: my child's passport */
};

struct comparison {
    const struct reading *reading;
    struct comparison_side side[2];
    size_t shared; /* distinct words in both */
    double shared_rarity, shared_rarest;
    size_t shared_numbers, shared_names;
    size_t runs; /* pairs of adjacent words that are adjacent in both */
    double run_rarity;
    /* Length of the longest common subsequence; common_rarity is the rarity of the heaviest one. */
    size_t common;
    double common_rarity;
    size_t longest_run;             /* the longest run of words in both */
    size_t edits;                   /* word edit distance */
    size_t prefix, suffix;          /* number of equal words at the start, at the end */
    size_t inversions;              /* pairs of shared words in opposite order */
    double spelled_best, like_best; /* maximum over all pairs of unshared words */
    size_t acronyms, compounds;
    double similarity, distance; /* of the two vectors: cosine, length of the difference */
    double rest_similarity;      /* cosine of the sums of the vectors of unshared words */
    double group[GROUPS];        /* TF-IDF cosine of words, word pairs, characters */
    /* What is known about words (pair/knowledge.h): unshared words of the two sides that are
     * opposites, that mean the same, that belong to one class. */
    size_t opposites, synonyms, coordinates;
    size_t shared_quantities;    /* equal by value */
    size_t rewritten_quantities; /* those of them that are written in other words */
    size_t unit_changes;         /* the same number with another unit */
    size_t exchanged; /* words around which two others exchanged their places (pair/roles.h) */
    /* Quantifiers and other limiting words (all, only, before): unshared ones of both sides, and
     * kinds of them that differ. */
    size_t limits_added, limits_changed;
    int polarity;  /* 1 if negations and opposites add up to an odd number */
    unsigned only; /* ONLY_...: the sentences differ in nothing else */
    int cut;       /* not all of their words or quantities were compared */
    struct comparison_scratch *scratch;
};

film_status comparison_init(struct comparison *comparison, const struct encoder *encoder,
                            film_error *error);
void comparison_free(struct comparison *comparison);

/* Compares a pair that was read: first `group` and the rarity of shared and unshared
 * words, then everything else. */
void comparison_start(struct comparison *comparison, const struct reading *reading);
void comparison_finish(struct comparison *comparison);

#endif
