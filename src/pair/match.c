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
                              "without pairs of both labels; set the prior to a number");
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

struct match_rule match_parent_rule(const struct decision *parent)
{
    return (struct match_rule){.full = parent->full};
}

/* A parent has no parent itself (model/parent.c), so this ends. */
static film_status init_parent(struct match *match, film_error *error)
{
    film_status status = FILM_OK;
    const struct decision *parent = match->decision->parent.decision;
    if (!parent || match->decision->parent.weight == 0) return FILM_OK;
    struct match_rule rule = match_parent_rule(parent);
    TRY_ALLOC(match->parent = mem_zeroed(1, sizeof *match->parent), error);
    TRY(match_init(match->parent, parent, &rule, error));
done:
    return status;
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
    if (rule->full) TRY(init_parent(match, error));
done:
    if (status != FILM_OK) match_free(match);
    return status;
}

void match_free(struct match *match)
{
    if (match->parent) match_free(match->parent);
    mem_free(match->parent);
    if (match->known) match_free(match->known);
    mem_free(match->known);
    survey_free(&match->survey);
    tree_terms_free(&match->terms);
    mem_free(match->reasons);
    mem_free(match->strongest);
    mem_free(match->shares);
    mem_free(match->traits);
    mem_free(match->words[0].bytes);
    mem_free(match->words[1].bytes);
    memset(match, 0, sizeof *match);
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

/* log-odds = scale * score + bias + memory + known matches + identity + guarantee + prior, compared
 * with the threshold on the same scale. */
static void judge_score(struct match *match, const struct calibration *line, double score,
                        const struct match_measures *pair, film_verdict *verdict)
{
    const struct decision *decision = match->decision;
    double prior = match->rule.prior_log_odds;
    double log_odds = line->scale * score + line->bias;
    if (match->rule.pool && match->rule.full)
        log_odds = decision_in_pool(decision, pair->resemblance, log_odds);
    log_odds += decision->memory.weight[pair->answer] + pair->matches;
    match->identity = pair->identical ? decision_identity(log_odds) : 0;
    log_odds += match->identity;
    match->guarantee = pair->guaranteed && match->identity == 0
                           ? decision_guarantee(decision, log_odds + prior)
                           : 0;
    log_odds += match->guarantee;
    *verdict = (film_verdict){
        .probability = calibrate_probability(log_odds + prior),
        .same = log_odds + prior >= line_threshold(decision, line),
        .log_odds = log_odds + prior,
        .bias = line->bias + prior,
        .similarity = pair->similarity,
    };
    if (!match->rule.full) return;
    /* The same for every pair, and therefore not a reason. */
    verdict->bias += decision->margin.scale *
                     (decision->line.bias + decision->evidence.scale * decision->evidence.bias +
                      decision->plan.bias);
}

/* Judges a pair of a full decision by what was measured and the sum of its trees. */
static void judge_measures(struct match *match, const struct match_measures *pair, double trees,
                           film_verdict *verdict)
{
    double margin = pair->margin + trees + pair->network + pair->parent;
    judge_score(match, &match->decision->margin, margin, pair, verdict);
}

static film_status judge_by_parent(struct match *match, film_error *error)
{
    const struct reading_side *side = match->survey.reading.side;
    film_verdict verdict = {0};
    if (!match->parent) return FILM_OK;
    film_status status = match_score(match->parent, side[0].text, side[1].text, &verdict, error);
    match->parent_term = match->decision->parent.weight *
                         fmax(-DECISION_PARENT_MOST, fmin(DECISION_PARENT_MOST, verdict.log_odds));
    return status;
}

/* The rule may change between pairs, so the match is made when it is first needed. */
static film_status init_known(struct match *match, film_error *error)
{
    film_status status = FILM_OK;
    struct match_rule rule = {.full = 1, .memory = 1, .identity = 1, .guarantee = 1, .alone = 1};
    if (match->known) return FILM_OK;
    TRY_ALLOC(match->known = mem_zeroed(1, sizeof *match->known), error);
    status = match_init(match->known, match->decision, &rule, error);
    if (status == FILM_OK) return FILM_OK;
    mem_free(match->known);
    match->known = NULL;
done:
    return status;
}

/* Compares the cluster of known matches of either record with the other record. */
static film_status judge_known_matches(struct match *match, film_error *error)
{
    film_status status = FILM_OK;
    const struct known_matches *known = &match->decision->matches;
    const struct reading_side *side = match->survey.reading.side;
    const struct calibration *line = &match->decision->margin;
    double least = KNOWN_MATCHES_SURE, threshold = line->scale * line->threshold + line->bias;
    uint32_t member[KNOWN_MATCHES_MOST];
    size_t compared = 0;
    match->matches_term = 0;
    if (!match->rule.memory || match->rule.alone) return FILM_OK;
    for (int s = 0; s < 2; s++) {
        size_t record = known_matches_find(known, side[s].hash);
        if (record == known->count) continue;
        TRY(init_known(match, error));
        size_t members = known_matches_cluster(known, record, member);
        for (size_t m = 0; m < members; m++) {
            film_verdict verdict = {0};
            if (known->keys[member[m]] == side[!s].hash) continue;
            TRY(match_score(match->known, known_matches_text(known, member[m]), side[!s].text,
                            &verdict, error));
            least = fmin(least, fmax(-KNOWN_MATCHES_SURE, verdict.log_odds));
            compared++;
        }
    }
    if (compared) match->matches_term = KNOWN_MATCHES_WEIGHT * (least - threshold);
done:
    return status;
}

/* Measures all of a pair of a full decision but its trees. */
static film_status measure_pair(struct match *match, struct match_measures *pair, film_error *error)
{
    film_status status = FILM_OK;
    const struct decision *decision = match->decision;
    struct survey *survey = &match->survey;
    uint64_t hash[2] = {survey->reading.side[0].hash, survey->reading.side[1].hash};
    if (match->rule.memory) memory_prefetch(&decision->memory, hash[0], hash[1]);
    if (!survey->weighed) TRY(survey_weigh(survey, &decision->evidence, error));
    TRY(survey_finish(survey, &decision->evidence, error));
    enum memory_answer answer =
        match->rule.memory ? decision_memory(decision, survey) : MEMORY_UNKNOWN;
    TRY(judge_by_parent(match, error));
    TRY(judge_known_matches(match, error));
    *pair = (struct match_measures){
        .margin = linear_sum(&decision->line, survey->traits) + survey->margin,
        .network = decision_network(decision, survey),
        .parent = match->parent_term,
        .matches = match->matches_term,
        .resemblance = match->rule.pool ? decision_resemblance(decision, survey) : 0,
        .similarity = match->similarity,
        .answer = answer,
        .identical = match->rule.identity && decision_is_identical(survey),
        .guaranteed = match->rule.guarantee && answer != MEMORY_SAME &&
                      decision_guarantees(decision, survey)};
done:
    return status;
}

film_status match_start(struct match *match, film_text a, film_text b, film_error *error)
{
    struct survey *survey = &match->survey;
    film_status status =
        match->rule.full ? survey_start(survey, a, b, error) : survey_read(survey, a, b, error);
    if (status == FILM_OK) match->similarity = survey_similarity(survey);
    return status;
}

film_status match_weigh(struct match *match, film_error *error)
{
    return survey_weigh(&match->survey, &match->decision->evidence, error);
}

film_status match_finish(struct match *match, film_verdict *verdict, film_error *error)
{
    film_status status = FILM_OK;
    const struct decision *decision = match->decision;
    struct match_measures pair = {.similarity = match->similarity, .answer = MEMORY_UNKNOWN};
    if (match->rule.full) {
        TRY(measure_pair(match, &pair, error));
        judge_measures(match, &pair, trees_sum(&decision->trees, match->survey.traits), verdict);
    } else {
        pair.identical = match->rule.identity && decision_is_identical(&match->survey);
        judge_score(match, &decision->similarity, match->similarity, &pair, verdict);
    }
done:
    return status;
}

film_status match_score(struct match *match, film_text a, film_text b, film_verdict *verdict,
                        film_error *error)
{
    film_status status = match_start(match, a, b, error);
    return status == FILM_OK ? match_finish(match, verdict, error) : status;
}

/* The trees of many pairs are faster together, and have the same bits. */
film_status match_score_block(struct match *match, const film_text *a, const film_text *b,
                              size_t count, film_verdict *verdicts, film_error *error)
{
    film_status status = FILM_OK;
    const struct decision *decision = match->decision;
    size_t traits = traits_total(decision->encoder->fields);
    struct match_measures pair[MATCH_BLOCK];
    double trees[MATCH_BLOCK];
    if (!match->rule.full) {
        for (size_t i = 0; i < count; i++) TRY(match_score(match, a[i], b[i], &verdicts[i], error));
        return status;
    }
    if (!match->traits)
        TRY_ALLOC(match->traits = mem_zeroed(2 * MATCH_BLOCK * traits, sizeof *match->traits),
                  error);
    for (size_t i = 0; i < count; i++) {
        TRY(match_start(match, a[i], b[i], error));
        TRY(measure_pair(match, &pair[i], error));
        memcpy(match->traits + i * traits, match->survey.traits, traits * sizeof *match->traits);
    }
    trees_sum_block(&decision->trees, match->traits, count, traits,
                    match->traits + MATCH_BLOCK * traits, trees);
    for (size_t i = 0; i < count; i++) judge_measures(match, &pair[i], trees[i], &verdicts[i]);
done:
    return status;
}

film_status match_pair(struct match *match, film_text a, film_text b, size_t most,
                       film_verdict *verdict, film_error *error)
{
    film_status status = FILM_OK;
    TRY(match_score(match, a, b, verdict, error));
    TRY(reasons_begin(match, match->rule.full ? most : 0, error));
    if (match->rule.full)
        TRY(reasons_of_decision(match, error));
    else
        TRY(reasons_of_similarity(match, verdict, error));
    reasons_give(match, most, verdict);
done:
    return status;
}
