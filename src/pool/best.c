/* The score of an answer, and the bound by which candidates are dropped early. Judging is in
 * pair/match.c, the search in search.c. */
#include "pool/best.h"

#include <math.h>

/* The probability alone is the wrong order: it was learned on pairs that people chose because they
 * are close, and says little about how a sentence compares with all the others. With it, similarity
 * and spelling count; chosen on the dev duplicates (docs/reference/results.md). */
double best_score(const struct match *match, const struct best_found *found, double log_odds)
{
    const double *group = match->survey.comparison.group;
    double words = (double)found->lexical; /* for a model that decides by similarity alone */
    if (match->rule.full)
        words = 0.3 * (group[GROUP_CHAR] > 0 ? group[GROUP_CHAR] : group[GROUP_WORD]);
    double log_probability =
        log_odds > 0 ? -log1p(exp(-log_odds)) : log_odds - log1p(exp(log_odds));
    /* Other similarities have other scales than the cosine. */
    double similarity = match->decision->encoder->similarity == FILM_COSINE ? match->similarity
                                                                            : (double)found->dense;
    return log_probability +
           10 * (found->known * similarity + (1 - found->known) * (double)found->lexical + words);
}

/* Rounding is monotone: a sum with a smaller logarithm is not larger. */
int best_possible(const struct best_scores *best, const struct match *match,
                  const struct best_found *found)
{
    return best->count < best->k || best_score(match, found, INFINITY) >= best->score[best->k - 1];
}

void best_note(struct best_scores *best, double score)
{
    size_t at = best->count;
    if (at < best->k)
        best->count++;
    else if (best->score[--at] >= score)
        return;
    for (; at > 0 && best->score[at - 1] < score; at--) best->score[at] = best->score[at - 1];
    best->score[at] = score;
}
