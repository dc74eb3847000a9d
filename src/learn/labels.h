/* Labelled rows of any kind as pairs with a target, on which a threshold is chosen. */
#ifndef LEARN_LABELS_H
#define LEARN_LABELS_H

#include "pair/match.h"
#include "learn/corpus.h"

struct labelled_pairs {
    uint32_t *a, *b; /* sentence ids */
    float *target;   /* 1 positive, 0 negative; a score scaled to 0 .. 1 */
    size_t count;
    size_t made_up; /* number of random pairs with target 0 at the end */
};

/* Pairs and triplets are copied; when no pair is negative, the same number of random negatives is
 * added. Scores are scaled by their range. From categories, DRAWN random pairs are drawn, about
 * half of them within one category. Without labels, DRAWN random pairs get target 0. */
film_status labels_to_pairs(const struct corpus *corpus, size_t drawn, uint64_t seed,
                            struct labelled_pairs *out, film_error *error);

/* Enough pairs for a threshold: the standard error of its accuracy is then below half a per
 * cent. */
enum { LABELS_DRAWN = 20000 };

/* Converts a target to a class: 1 positive, 0 negative, -1 neither. The upper fifth of a score's
 * range is positive, the lower half negative. */
int labels_verdict(const struct corpus *corpus, float target);
void labelled_pairs_free(struct labelled_pairs *pairs);

/* Returns how many different pairs PAIRS can hold at most: draws from few rows repeat pairs. */
size_t labels_distinct(const struct corpus *corpus, const struct labelled_pairs *pairs);

/* Returns whether all rows are pairs labelled the same. */
int labels_only_same(const struct corpus *corpus);

/* Returns whether no pair is positive: then no threshold can be chosen. */
int labels_none_same(const struct labelled_pairs *pairs);

/* Labelled pairs with the sentences of their corpus. */
struct labelled_texts {
    const struct corpus *corpus;
    const struct labelled_pairs *pairs;
};

/* The texts of pair I of a struct labelled_texts, as a callback of pair/score.h and
 * learn/evidence_fit.h. */
void labels_text(const void *texts, size_t i, film_text *a, film_text *b);

/* How pairs are scored. */
struct labels_scorer {
    const struct decision *decision;
    struct match_rule rule;
    int threads;
    float *similarity; /* NULL, or the result for the similarity of each pair */
};

/* OUT (PAIRS->count) = the log-odds of each pair, computed by the same code as film_match so that
 * thresholds agree with it. */
film_status labels_score(const struct corpus *corpus, const struct labelled_pairs *pairs,
                         const struct labels_scorer *scorer, float *out, film_error *error);

#endif
