/* Whether the best answer of a search answers the query at all.
 *
 * A pair's probability was learned on pairs that people chose because they are close. It says
 * little about a query unlike anything in training. So a second probability is learned for the
 * first answer of a search (learn/answered_fit.h): a logistic function of what a search sorts by.
 *
 * It is never less than the probability of a pair that the decision is certain of: such a pair
 * answers, however little of the query the vocabulary knows. */
#ifndef PAIR_ANSWERED_H
#define PAIR_ANSWERED_H

#include "pair/match.h"

/* Log-odds from which the decision is certain: a probability that is printed as 1.000. */
#define ANSWERED_CERTAIN 7.6

struct answered_pair {
    double log_odds; /* without prior */
    double similarity;
    double words, characters; /* TF-IDF cosines */
    double known;             /* see answered_known */
};

/* Returns the pair that MATCH has just scored with a full decision. The query may be either side:
 * it is the first sentence of the caller. */
struct answered_pair answered_pair(const struct match *match, const film_verdict *verdict);

/* Returns what a search sorts by (pool/best.h), without words that no vector knows. */
double answered_score(const struct answered_pair *pair);

/* Returns the share of the query's words that the vocabulary has, by squared rarity. */
double answered_known(const struct features *features, const struct feature_row *row);

/* Returns the probability; -1 where the decision has not learned it. */
double answered_probability(const struct answer_rule *answered, const struct answered_pair *pair);

#endif
