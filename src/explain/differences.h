/* Where two sentences differ: their words aligned by edit distance, and the ranges between equal
 * words. Records are compared field by field. */
#ifndef EXPLAIN_DIFFERENCES_H
#define EXPLAIN_DIFFERENCES_H

#include "explain/values.h"

enum {
    DIFFERENCE_WORDS = 64, /* words of a side after the common start that are aligned */
    DIFFERENCES_MOST = DIFFERENCE_WORDS + 1
};

/* Words FROM .. TO of a (0) and b (1), as numbers in struct words. One range may be empty. WHOLE:
 * the values of the field VALUE differ as a whole, or one is missing. */
struct word_range {
    size_t from[2], to[2];
    size_t value;
    int whole;
};

/* Scratch space and result, one per thread; zero-initialise it. */
struct differences {
    struct word_range range[DIFFERENCES_MOST];   /* in the order of the text */
    film_word_difference list[DIFFERENCES_MOST]; /* sorted by weight; see differences_weigh */
    size_t count;
    uint64_t *key; /* of each word: equal for equal words */
    float *rarity;
    size_t key_capacity, rarity_capacity;
    float cost[DIFFERENCE_WORDS + 1][DIFFERENCE_WORDS + 1];
};

void differences_free(struct differences *differences);

/* Fills `range`, for the pair that was read and its words. */
film_status differences_find(struct differences *differences, const struct words *words,
                             const struct record_values *values, const struct reading *reading,
                             film_error *error);

/* Fills `list` once words and fields have their weights: what speaks most for the verdict comes
 * first. */
void differences_weigh(struct differences *differences, const struct words *words,
                       const struct record_values *values, int same);

#endif
