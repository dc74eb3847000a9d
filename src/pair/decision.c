/* Computes the network, identity, guarantee and memory terms of a decision; match.c adds them to
 * line, evidence and trees. It learns none of them; src/learn does. */
#include "pair/decision.h"
#include "base/mem.h"
#include "pair/resemblance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void decision_free(struct decision *decision)
{
    linear_free(&decision->line);
    linear_free(&decision->pool.line);
    evidence_free(&decision->evidence);
    for (size_t t = 0; decision->term_name && t < decision->plan.count; t++)
        mem_free(decision->term_name[t]);
    mem_free(decision->term_name);
    tree_terms_plan_free(&decision->plan);
    trees_free(&decision->trees);
    memory_free(&decision->memory);
    known_matches_free(&decision->matches);
    memset(decision, 0, sizeof *decision);
}

static char *name_term(const struct record_fields *fields, const struct tree_term *term)
{
    char name[420];
    int length = snprintf(name, sizeof name, "%s%s%s", traits_get(fields, (size_t)term->low)->name,
                          term->high < 0 ? "" : " and ",
                          term->high < 0 ? "" : traits_get(fields, (size_t)term->high)->name);
    return mem_string(name, (size_t)length);
}

film_status decision_prepare(struct decision *decision, film_error *error)
{
    film_status status = FILM_OK;
    if (decision->pool.weight > 0 && !decision->pool.line.count)
        TRY(resemblance_line(&decision->pool.line, decision->encoder, error));
    TRY(tree_terms_plan_init(&decision->plan, &decision->trees, error));
    size_t count = decision->plan.count;
    TRY_ALLOC(decision->term_name = mem_zeroed(count, sizeof *decision->term_name), error);
    for (size_t t = 0; t < count; t++)
        TRY_ALLOC(decision->term_name[t] =
                      name_term(decision->encoder->fields, &decision->plan.term[t]),
                  error);
done:
    return status;
}

double decision_network(const struct decision *decision, const struct survey *survey)
{
    const struct decision_network *network = &decision->network;
    return network->weight == 0 ? 0 : network->weight * (survey_similarity(survey) - network->mean);
}

double decision_resemblance(const struct decision *decision, const struct survey *survey)
{
    const struct pool_rule *pool = &decision->pool;
    if (pool->weight == 0) return 0;
    return pool->outside.scale * linear_sum(&pool->line, survey->traits) + pool->outside.bias;
}

double decision_in_pool(const struct decision *decision, double resemblance, double log_odds)
{
    double weight = decision->pool.weight;
    return weight == 0 ? log_odds : weight * log_odds + (1 - weight) * resemblance;
}

int decision_is_identical(const struct survey *survey)
{
    const struct reading_side *a = &survey->reading.side[0], *b = &survey->reading.side[1];
    int same_words = a->count > 0 && a->count == b->count && a->hash == b->hash;
    int same_bytes = a->text.length == b->text.length &&
                     (!a->text.length || memcmp(a->text.bytes, b->text.bytes, a->text.length) == 0);
    return same_words || same_bytes;
}

double decision_identity(double log_odds)
{
    return fmax(0, DECISION_IDENTICAL - log_odds);
}

unsigned decision_guarantees(const struct decision *decision, const struct survey *survey)
{
    return survey->comparison.only & decision->guarantees;
}

double decision_guarantee(const struct decision *decision, double log_odds)
{
    const struct calibration *line = &decision->margin;
    double threshold = line->scale * line->threshold + line->bias;
    if (decision->has_operating) threshold = fmin(threshold, decision->operating);
    return fmin(0, threshold - DECISION_BELOW - log_odds);
}

enum memory_answer decision_memory(const struct decision *decision, const struct survey *survey)
{
    const struct reading_side *side = survey->reading.side;
    return memory_find(&decision->memory, side[0].hash, side[1].hash);
}
