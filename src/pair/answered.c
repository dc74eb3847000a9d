/* The probability that the first answer of a search answers the query. It is learned in
 * learn/answered_fit.c. */
#include "pair/answered.h"

#include <math.h>

double answered_known(const struct features *features, const struct feature_row *row)
{
    uint32_t end = features->first[GROUP_WORD + 1];
    double known = 0, unknown = 0;
    if (!end) return 1;                             /* a model without words */
    double rarest = (double)features->idf[end - 1]; /* ids are sorted by frequency */
    for (size_t i = 0; i < row->grams.tokens.count; i++) {
        uint32_t id = row->word[i]->id;
        double idf = id < end ? (double)features->idf[id] : rarest;
        *(id < end ? &known : &unknown) += idf * idf;
    }
    return known > 0 ? known / (known + unknown) : 0;
}

double answered_score(const struct answered_pair *pair)
{
    double letters = pair->characters > 0 ? pair->characters : pair->words;
    double log_probability = -log1p(exp(-fmax(pair->log_odds, -500)));
    return log_probability + 10 * (pair->known * pair->similarity + 0.3 * letters);
}

struct answered_pair answered_pair(const struct match *match, const film_verdict *verdict)
{
    const double *group = match->survey.comparison.group;
    const struct features *features = match->decision->encoder->features;
    const struct reading *reading = &match->survey.reading;
    return (struct answered_pair){
        .log_odds = verdict->log_odds - match->rule.prior_log_odds,
        .similarity = verdict->similarity,
        .words = group[GROUP_WORD],
        .characters = group[GROUP_CHAR],
        .known = answered_known(features, &reading->side[reading->swapped ? 1 : 0].row)};
}

double answered_probability(const struct answer_rule *answered, const struct answered_pair *pair)
{
    if (!answered->learned) return -1;
    double probability =
        calibrate_probability(answered->scale * answered_score(pair) + answered->bias);
    if (pair->log_odds < ANSWERED_CERTAIN) return probability;
    return fmax(probability, calibrate_probability(pair->log_odds));
}
