/* Sentences with a category: does the company a sentence keeps name its category? */
#ifndef EVAL_CATEGORIES_H
#define EVAL_CATEGORIES_H

#include "la/flat_share.h"

enum { CATEGORIES_DEPTHS = 3 };
extern const size_t categories_depth[CATEGORIES_DEPTHS]; /* 1, 5, 10 */

/* What the deepest vote says of each sentence: the winning category (FLAT_NONE: nobody votes) and
 * its votes. */
struct categories_winners {
    uint32_t *category;
    unsigned char *votes;
};

/* Leave one out: each sentence gets the category that most of its k nearest others have; of equally
 * many, the one whose first member is nearer. CATEGORY is by number; RIGHT[d] (a byte per number)
 * says whether that was its own, for k = categories_depth[d]. WINNERS are by number too. */
film_status categories_vote(const struct flat_share *sentences, const uint32_t *category,
                            int threads, const film_progress *progress,
                            unsigned char *right[CATEGORIES_DEPTHS],
                            const struct categories_winners *winners, film_error *error);

#endif
