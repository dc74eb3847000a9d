/* Parts of a comparison that look at words in their order, and at words that differ but may mean
 * the same. */
#ifndef PAIR_ALIGNMENT_H
#define PAIR_ALIGNMENT_H

#include "pair/comparison.h"

/* Tables of dynamic programming, one row at a time. */
struct order_table {
    unsigned char common[2][COMPARISON_MOST + 1], edits[2][COMPARISON_MOST + 1],
        run[2][COMPARISON_MOST + 1];
    float rarity[2][COMPARISON_MOST + 1];
};

/* Common subsequence, edits, runs, ends, inversions. */
void compare_order(struct comparison *comparison, struct order_table *table);

enum { ALIGNMENT_LETTERS = 24 }; /* of a word, that are compared */

/* Letter pairs of the alone words, and the vectors' lengths. */
struct alignment {
    const struct encoder *encoder;
    uint16_t pairs[2][COMPARISON_MOST][ALIGNMENT_LETTERS + 1];
    size_t pair_count[2][COMPARISON_MOST];
    double length[2][COMPARISON_MOST];
    float *rest[2]; /* dim: sums of the alone words' vectors */
};

film_status alignment_init(struct alignment *alignment, const struct encoder *encoder,
                           film_error *error);
void alignment_free(struct alignment *alignment);

/* Finds for each alone word the nearest one of the other sentence, by spelling and by vector. */
void align_words(struct comparison *comparison, struct alignment *alignment);

#endif
