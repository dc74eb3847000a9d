/* The parts of a comparison that depend on word order, and on different words that may mean the
 * same. */
#ifndef PAIR_ALIGNMENT_H
#define PAIR_ALIGNMENT_H

#include "pair/comparison.h"

/* Computes the common subsequence, edits, runs, common prefix and suffix, and inversions. */
void compare_order(struct comparison *comparison);

struct alignment {
    const struct encoder *encoder;
    /* The unshared words of either side that have a vector. */
    struct alignment_words {
        uint32_t id[COMPARISON_MOST], place[COMPARISON_MOST]; /* place among the unshared words */
        double length[COMPARISON_MOST];                       /* of the vector */
        size_t count;
    } known[2];
    float *rest[2]; /* dim: sums of the vectors of the unshared words */
};

film_status alignment_init(struct alignment *alignment, const struct encoder *encoder,
                           film_error *error);
void alignment_free(struct alignment *alignment);

/* Finds for each unshared word the nearest one of the other sentence, by spelling and by vector. */
void align_words(struct comparison *comparison, struct alignment *alignment);

#endif
