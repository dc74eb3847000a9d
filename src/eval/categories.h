/* k-nearest-neighbour classification of sentences with a category. */
#ifndef EVAL_CATEGORIES_H
#define EVAL_CATEGORIES_H

#include "la/flat.h"

enum { CATEGORIES_DEPTHS = 3 };
extern const size_t categories_depth[CATEGORIES_DEPTHS]; /* 1, 5, 10 */

/* The result of the deepest vote for each sentence: the winning category (FLAT_NONE: no votes) and
 * its votes. */
struct categories_winners {
    uint32_t *category;
    unsigned char *votes;
};

/* Leave-one-out: predicts the most frequent category among the k nearest other sentences; in a tie,
 * the one with the nearest member. CATEGORY is by number. RIGHT[d] (a byte per number) is 1 where
 * the prediction is correct, for k = categories_depth[d]. WINNERS are by number too. */
film_status categories_vote(const struct flat *sentences, const uint32_t *category, int threads,
                            const film_progress *progress, unsigned char *right[CATEGORIES_DEPTHS],
                            const struct categories_winners *winners, film_error *error);

#endif
