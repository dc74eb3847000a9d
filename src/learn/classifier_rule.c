/* Fits the numbers of a classifier on held-out answers: two weights by Newton's method, the
 * probability of "none" by logistic regression, and its threshold by a quantile. */
#include "learn/classifier_rule.h"
#include "base/sort.h"
#include "base/mem.h"
#include "learn/linear_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One query in ten is assumed to belong to no category. */
#define NONE_PRIOR 0.1
/* "None" is said to at most this share of the sentences that have a category. */
#define REFUSED 0.05
enum { FEW = 20 };

void held_answers_free(struct held_answers *held)
{
    mem_free(held->list);
    mem_free(held->linear);
    mem_free(held->share);
    *held = (struct held_answers){.list = NULL};
}

film_status held_answers_add(struct held_answers *held, const struct class_asker *asker,
                             struct held_answer answer, film_error *error)
{
    size_t classes = asker->classifier->categories.count;
    if (!mem_grow((void **)&held->list, &held->capacity, held->count + 1, sizeof *held->list) ||
        !mem_grow((void **)&held->linear, &held->linear_capacity, held->room + classes,
                  sizeof(float)) ||
        !mem_grow((void **)&held->share, &held->share_capacity, held->room + classes,
                  sizeof(float)))
        return status_no_memory(error);
    memcpy(held->linear + held->room, asker->linear, classes * sizeof(float));
    memcpy(held->share + held->room, asker->share, classes * sizeof(float));
    answer.nearest = asker->nearest_count ? asker->similarity[0] : 0;
    answer.known = (float)asker->known;
    answer.near = (float)asker->near;
    answer.covered = (float)asker->covered;
    answer.halves = (float)asker->halves;
    answer.agreed = (float)asker->agreed;
    answer.length = (float)asker->length;
    answer.centre = (float)asker->centre;
    answer.items = (uint32_t)asker->row.count;
    answer.at = held->room;
    held->room += classes;
    held->list[held->count++] = answer;
    return FILM_OK;
}

/* Decides answer I again, under the rule of its fit. PROBABILITY is scratch. */
static void decide_again(const struct held_answers *held, struct classifier *fits, size_t i,
                         double *probability, struct class_asker *asker)
{
    const struct held_answer *answer = &held->list[i];
    *asker = (struct class_asker){.classifier = &fits[answer->fit],
                                  .linear = held->linear + answer->at,
                                  .share = held->share + answer->at,
                                  .probability = probability,
                                  .nearest_count = 1};
    asker->similarity[0] = answer->nearest;
    asker->known = (double)answer->known;
    asker->near = (double)answer->near;
    asker->covered = (double)answer->covered;
    asker->halves = (double)answer->halves;
    asker->agreed = (double)answer->agreed;
    asker->length = (double)answer->length;
    asker->centre = (double)answer->centre;
    asker->row.count = answer->items;
    class_asker_decide(asker);
}

/* ---- Scale and neighbours ---- */

/* One step of Newton's method on the log loss over (scale, neighbours); a weak prior keeps few
 * answers near the defaults. */
static void newton_step(const struct held_answers *held, struct classifier *fits,
                        double *probability, struct class_rule *rule)
{
    static const double usual[2] = {1, 0.3}, prior = 5;
    double slope[2] = {prior * (rule->scale - usual[0]), prior * (rule->neighbours - usual[1])};
    double curve[3] = {prior, 0, prior}; /* a symmetric 2 x 2 matrix */
    struct class_asker asker;
    for (size_t i = 0; i < held->count; i++) {
        const struct held_answer *answer = &held->list[i];
        if (answer->target == CLASS_NONE) continue;
        fits[answer->fit].rule = *rule;
        decide_again(held, fits, i, probability, &asker);
        double mean[2] = {0, 0}, own[2] = {0, 0}, square[3] = {0, 0, 0};
        for (uint32_t c = 0; c < fits[answer->fit].categories.count; c++) {
            double part[2] = {(double)asker.linear[c], log(0.01 + (double)asker.share[c])};
            double p = probability[c];
            for (int k = 0; k < 2; k++) mean[k] += p * part[k];
            square[0] += p * part[0] * part[0];
            square[1] += p * part[0] * part[1];
            square[2] += p * part[1] * part[1];
            if (c == answer->target) memcpy(own, part, sizeof own);
        }
        for (int k = 0; k < 2; k++) slope[k] += mean[k] - own[k];
        curve[0] += square[0] - mean[0] * mean[0];
        curve[1] += square[1] - mean[0] * mean[1];
        curve[2] += square[2] - mean[1] * mean[1];
    }
    double determinant = curve[0] * curve[2] - curve[1] * curve[1];
    rule->scale -= (curve[2] * slope[0] - curve[1] * slope[1]) / determinant;
    rule->neighbours -= (curve[0] * slope[1] - curve[1] * slope[0]) / determinant;
    rule->scale = fmin(fmax(rule->scale, 0.05), 10);
    rule->neighbours = fmin(fmax(rule->neighbours, 0), 5);
}

/* ---- None ---- */

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

/* The area under the ROC curve: how often a score of HIGH exceeds one of LOW. Both are sorted. */
static double area(const double *low, size_t lows, const double *high, size_t highs)
{
    double sum = 0;
    size_t below = 0, equal = 0;
    for (size_t i = 0; i < highs; i++) {
        while (below < lows && low[below] < high[i]) below++;
        for (equal = below; equal < lows && low[equal] == high[i];) equal++;
        sum += (double)below + 0.5 * (double)(equal - below);
    }
    return lows && highs ? sum / ((double)lows * (double)highs) : NAN;
}

/* The signs of every answer as rows of X. */
static void fill_signs(const struct held_answers *held, struct classifier *fits,
                       const struct class_rule *rule, double *probability, float *x,
                       struct class_measures *measures)
{
    struct class_asker asker;
    size_t right = 0;
    for (size_t i = 0; i < held->count; i++) {
        const struct held_answer *answer = &held->list[i];
        fits[answer->fit].rule = *rule;
        decide_again(held, fits, i, probability, &asker);
        for (int s = 0; s < CLASS_SIGNS; s++) x[i * CLASS_SIGNS + (size_t)s] = (float)asker.sign[s];
        if (answer->target == CLASS_NONE) continue;
        measures->log_loss -= log(fmax(probability[answer->target], 1e-15));
        right += asker.best == answer->target;
        measures->sentences++;
    }
    measures->accuracy = (double)right / (double)measures->sentences;
    measures->log_loss /= (double)measures->sentences;
}

/* Weights: known categories and none half each; of none, left-out categories count four times as
 * much as made-up sentences, which are easy. They add up to the number of answers. */
static void weigh_answers(const struct held_answers *held, float *target, float *weight)
{
    double count[3] = {0};
    for (size_t i = 0; i < held->count; i++)
        count[held->list[i].target != CLASS_NONE ? 0 : 1 + held->list[i].made_up]++;
    double share[3] = {0.5, 0.4, 0.1};
    if (count[1] == 0) share[2] = 0.5;
    for (size_t i = 0; i < held->count; i++) {
        int kind = held->list[i].target != CLASS_NONE ? 0 : 1 + held->list[i].made_up;
        target[i] = kind ? 1.0f : 0.0f;
        weight[i] = (float)(share[kind] * (double)held->count / count[kind]);
    }
}

/* Chooses the threshold, and measures how well none is recognised. */
static film_status choose_none_threshold(const struct held_answers *held, const float *x,
                                         struct class_rule *rule, struct class_measures *measures,
                                         film_error *error)
{
    double *known = mem_array(held->count, sizeof *known);
    double *left_out = mem_array(held->count, sizeof *left_out);
    size_t knowns = 0, others = 0;
    film_status status = FILM_OK;
    TRY_ALLOC(known && left_out, error);
    for (size_t i = 0; i < held->count; i++) {
        double logit = rule->none[CLASS_SIGNS];
        for (int s = 0; s < CLASS_SIGNS; s++)
            logit += rule->none[s] * (double)x[i * CLASS_SIGNS + (size_t)s];
        if (held->list[i].target != CLASS_NONE)
            known[knowns++] = 1 / (1 + exp(-logit));
        else if (!held->list[i].made_up)
            left_out[others++] = 1 / (1 + exp(-logit));
    }
    sort_array(known, knowns, sizeof *known, by_value);
    sort_array(left_out, others, sizeof *left_out, by_value);
    rule->threshold = known[(size_t)((1 - REFUSED) * (double)(knowns - 1))];
    measures->others = others;
    measures->none_auroc = area(known, knowns, left_out, others);
done:
    mem_free(known);
    mem_free(left_out);
    return status;
}

static film_status fit_none(const struct held_answers *held, const float *x,
                            struct class_rule *rule, struct class_measures *measures,
                            film_error *error)
{
    film_status status = FILM_OK;
    struct linear line = {0};
    unsigned char use[CLASS_SIGNS];
    float *target = mem_array(held->count, sizeof *target);
    float *weight = mem_array(held->count, sizeof *weight);
    TRY_ALLOC(target && weight, error);
    weigh_answers(held, target, weight);
    memset(use, 1, sizeof use);
    struct linear_data data = {x, held->count, CLASS_SIGNS, target, weight, NULL};
    /* The signs are correlated: without a ridge, their weights follow the categories left out. */
    TRY(linear_fit(&line, &data, use, 0.02 * (double)held->count, 1, error));
    rule->none[CLASS_SIGNS] = line.bias + log(NONE_PRIOR / (1 - NONE_PRIOR));
    for (int s = 0; s < CLASS_SIGNS; s++) {
        rule->none[s] = (double)line.weight[s];
        rule->none[CLASS_SIGNS] -= (double)line.weight[s] * (double)line.mean[s];
    }
    TRY(choose_none_threshold(held, x, rule, measures, error));
done:
    linear_free(&line);
    mem_free(target);
    mem_free(weight);
    return status;
}

film_status class_rule_fit(const struct held_answers *held, struct classifier *fits,
                           struct class_rule *rule, struct class_measures *measures,
                           film_error *error)
{
    enum { STEPS = 8 };
    film_status status = FILM_OK;
    size_t most = 1, known = 0, none = 0;
    double *probability = NULL;
    float *x = NULL;
    *measures = (struct class_measures){.none_auroc = NAN, .accuracy = NAN, .log_loss = NAN};
    for (size_t i = 0; i < held->count; i++) {
        size_t classes = fits[held->list[i].fit].categories.count;
        if (classes > most) most = classes;
        *(held->list[i].target == CLASS_NONE ? &none : &known) += 1;
    }
    if (known < FEW || none < FEW) return FILM_OK;
    measures->log_loss = 0;
    TRY_ALLOC((probability = mem_array(most, sizeof *probability)) &&
                  (x = mem_array(held->count, CLASS_SIGNS * sizeof *x)),
              error);
    for (int step = 0; step < STEPS; step++) newton_step(held, fits, probability, rule);
    fill_signs(held, fits, rule, probability, x, measures);
    TRY(fit_none(held, x, rule, measures, error));
done:
    mem_free(probability);
    mem_free(x);
    return status;
}
