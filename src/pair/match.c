/* The verdict on two sentences, by the rule that the options select. Every probability of the
 * program comes from match_score. reasons.c explains it. */
#include "pair/match.h"
#include "base/sized.h"
#include "base/mem.h"
#include "pair/reasons.h"

#include <math.h>
#include <string.h>

film_status match_prior(double prior, double *log_odds, film_error *error)
{
    if (!(prior > 0 && prior < 1))
        return status_set(error, FILM_USAGE, "prior %g is not between 0 and 1", prior);
    *log_odds = log(prior / (1 - prior));
    return FILM_OK;
}

film_status match_rule(struct match_rule *rule, const struct decision *decision,
                       const film_answer_options *options, film_error *error)
{
    static const film_answer_options defaults = {0};
    if (!options) options = &defaults;
    double prior_log_odds = 0, prior = options->prior == 0 ? 0.5 : options->prior;
    if (prior == FILM_PRIOR_AUTO) {
        prior = decision->share;
        if (prior == 0)
            return status_set(error, FILM_USAGE,
                              "this model does not know the share of duplicates: it was trained "
                              "without pairs of both labels, or by an earlier version; set the "
                              "prior to a number");
    }
    film_status status = match_prior(prior, &prior_log_odds, error);
    if (status == FILM_OK)
        status =
            sized_reserved(options->reserved, sizeof options->reserved / sizeof *options->reserved,
                           "film_answer_options", error);
    if (status != FILM_OK) return status;
    if (options->decision < 0 || options->decision >= FILM_DECISION_COUNT)
        return status_set(error, FILM_USAGE, "unknown decision %d", (int)options->decision);
    if (options->decision == FILM_DECISION_FULL && !decision->full)
        return status_set(error, FILM_USAGE,
                          "this model has only a threshold on the similarity; train one with "
                          "labels and a full decision");
    *rule =
        (struct match_rule){.full = decision->full && options->decision != FILM_DECISION_THRESHOLD,
                            .memory = !options->no_memory,
                            .identity = 1,
                            .guarantee = 1,
                            .no_reasons = options->no_reasons,
                            .most_reasons = options->most_reasons,
                            .prior_log_odds = prior_log_odds};
    return FILM_OK;
}

film_status match_init(struct match *match, const struct decision *decision,
                       const struct match_rule *rule, film_error *error)
{
    film_status status = FILM_OK;
    memset(match, 0, sizeof *match);
    match->decision = decision;
    match->rule = *rule;
    TRY(survey_init(&match->survey, decision->encoder, error));
    if (decision->full) TRY(tree_terms_init(&match->terms, &decision->plan, error));
done:
    if (status != FILM_OK) match_free(match);
    return status;
}

void match_free(struct match *match)
{
    survey_free(&match->survey);
    tree_terms_free(&match->terms);
    mem_free(match->reasons);
    mem_free(match->order);
    mem_free(match->shares);
    mem_free(match->words[0].bytes);
    mem_free(match->words[1].bytes);
    memset(match, 0, sizeof *match);
}

/* Returns the guarantee of the pair, unless it is known as the same. */
static double guarantee(const struct match *match, enum memory_answer answer, double log_odds)
{
    if (!match->rule.guarantee || answer == MEMORY_SAME || match->identity != 0 ||
        !decision_guarantees(match->decision, &match->survey))
        return 0;
    return decision_guarantee(match->decision, log_odds + match->rule.prior_log_odds);
}

static double line_threshold(const struct decision *decision, const struct calibration *line)
{
    return decision->has_operating ? decision->operating
                                   : line->scale * line->threshold + line->bias;
}

double match_threshold(const struct match *match)
{
    const struct decision *decision = match->decision;
    return line_threshold(decision, match->rule.full ? &decision->margin : &decision->similarity);
}

/* log-odds = scale * score + bias + memory + identity + guarantee + prior, compared with the
 * threshold on the same scale. */
static void judge_score(struct match *match, const struct calibration *line, double score,
                        enum memory_answer answer, film_verdict *verdict)
{
    double log_odds = line->scale * score + line->bias;
    if (match->rule.pool && match->rule.full)
        log_odds = decision_in_pool(match->decision, &match->survey, log_odds);
    log_odds += match->decision->memory.weight[answer];
    match->identity = match->rule.identity ? decision_identity(&match->survey, log_odds) : 0;
    log_odds += match->identity;
    match->guarantee = match->rule.full ? guarantee(match, answer, log_odds) : 0;
    log_odds += match->guarantee;
    *verdict = (film_verdict){
        .probability = calibrate_probability(log_odds + match->rule.prior_log_odds),
        .same = log_odds + match->rule.prior_log_odds >= line_threshold(match->decision, line),
        .log_odds = log_odds + match->rule.prior_log_odds,
        .bias = line->bias + match->rule.prior_log_odds,
    };
}

film_status match_start(struct match *match, film_text a, film_text b, film_error *error)
{
    struct survey *survey = &match->survey;
    film_status status =
        match->rule.full ? survey_start(survey, a, b, error) : survey_read(survey, a, b, error);
    if (status == FILM_OK) match->similarity = survey_similarity(survey);
    return status;
}

film_status match_finish(struct match *match, film_verdict *verdict, film_error *error)
{
    film_status status = FILM_OK;
    const struct decision *decision = match->decision;
    struct survey *survey = &match->survey;
    if (match->rule.full) {
        TRY(survey_finish(survey, &decision->evidence, error));
        enum memory_answer answer =
            match->rule.memory ? decision_memory(decision, survey) : MEMORY_UNKNOWN;
        judge_score(match, &decision->margin, decision_margin(decision, survey), answer, verdict);
        /* The same for every pair, and therefore not a reason. */
        verdict->bias += decision->margin.scale *
                         (decision->line.bias + decision->evidence.scale * decision->evidence.bias +
                          decision->plan.bias);
    } else {
        judge_score(match, &decision->similarity, match->similarity, MEMORY_UNKNOWN, verdict);
    }
    verdict->similarity = match->similarity;
done:
    return status;
}

film_status match_score(struct match *match, film_text a, film_text b, film_verdict *verdict,
                        film_error *error)
{
    film_status status = match_start(match, a, b, error);
    return status == FILM_OK ? match_finish(match, verdict, error) : status;
}

film_status match_pair(struct match *match, film_text a, film_text b, size_t most,
                       film_verdict *verdict, film_error *error)
{
    film_status status = FILM_OK;
    TRY(match_score(match, a, b, verdict, error));
    match->reason_count = 0;
    if (match->rule.full)
        TRY(reasons_of_decision(match, error));
    else
        TRY(reasons_of_similarity(match, verdict, error));
    TRY(reasons_give(match, most, verdict, error));
done:
    return status;
}
