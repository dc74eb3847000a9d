/* Whether the best answer of a search answers the query at all.
 *
 * A pair's probability was learned on pairs that people chose because they are close. It says
 * little about a query unlike anything in training. So a second probability is learned for the
 * first answer of a search (learn/answered_fit.h): a logistic function of signs of the pair. */
#ifndef PAIR_ANSWERED_H
#define PAIR_ANSWERED_H

#include "pair/match.h"

/* Fills SIGN from the pair that MATCH has just scored with a full decision. */
void answered_signs(const struct match *match, const film_verdict *verdict,
                    float sign[ANSWERED_SIGNS]);

/* What the signs are made from. The log-odds are without prior. */
struct answered_pair {
    double log_odds, similarity;
    double words, characters; /* TF-IDF cosines */
    double known;             /* see answered_known */
};

/* The signs: what a search sorts by (pool/search.c), the cosine of the words, and KNOWN. */
void answered_set(const struct answered_pair *pair, float sign[ANSWERED_SIGNS]);

/* The share of the query's words that the vocabulary has, by squared rarity. */
double answered_known(const struct features *features, const struct feature_row *row);

/* The probability; -1 where the decision has not learned it. */
double answered_probability(const struct answer_rule *answered, const float sign[ANSWERED_SIGNS]);

#endif
