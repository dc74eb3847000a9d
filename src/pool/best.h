/* What the answers of a search are sorted by, and which candidates can no longer be among the best.
 *
 *     score = log probability + 10 (similarity + words)
 *
 * The logarithm is never positive, and the rest is known before a pair is judged. So a candidate
 * whose rest is below the k-th best score so far is not judged to the end; the k best are exactly
 * those of judging all. */
#ifndef POOL_BEST_H
#define POOL_BEST_H

#include "pair/match.h"

/* How the index found a candidate (index/index.h). */
struct best_found {
    double known; /* index_known of the query */
    float dense, lexical;
};

struct best_scores {
    double *score; /* the k highest so far, descending */
    size_t count, k;
};

/* The score of the pair that MATCH has started, with these log-odds. */
double best_score(const struct match *match, const struct best_found *found, double log_odds);

/* Returns whether that pair may be among the k best, whatever its log-odds are. */
int best_possible(const struct best_scores *best, const struct match *match,
                  const struct best_found *found);

void best_note(struct best_scores *best, double score);

#endif
