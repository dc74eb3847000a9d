/* What few labels change of the decision without labels: a logistic regression of the traits that
 * shrinks towards it (ridge around the prior mean, a MAP estimate). Cross-validation chooses the
 * ridge, and whether anything changes at all. It learns neither map nor evidence. */
#include "learn/prior.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "learn/certain_threshold.h"
#include "learn/decision_threshold.h"
#include "learn/folds.h"
#include "learn/labels.h"
#include "learn/linear_fit.h"
#include "learn/parent_fit.h"
#include "pair/calibrate.h"
#include "pair/guarantees.h"

#include <math.h>
#include <string.h>

/* Fewer pairs than LEAST_FOR_WEIGHTS move the threshold alone. */
enum { FOLDS = 5, COLUMNS = 2, LEAST_FOR_WEIGHTS = 50 };

/* Of the weights of standardised traits. The first one leaves only slope and bias. */
static const double ridges[] = {1e6, 100, 30, 10};
/* Slope of the prior and weight of the parent vary by about a half, the bias by about three. */
static const double COLUMN_RIDGE = 3, BIAS_RIDGE = 0.1;
/* How certain a better threshold must be, in standard errors. */
static const double THRESHOLD_ERRORS = 2.5;

struct few {
    struct labelled_pairs pairs;
    const struct corpus *corpus;
    struct folds folds;
    size_t traits;
    double shift;         /* log-odds of "same" among random pairs */
    unsigned char *use;   /* by trait */
    float *x;             /* pairs x traits */
    float *column;        /* pairs x COLUMNS: log-odds of the prior, and of the parent */
    float *offset;        /* log-odds of the prior with its parent, shifted */
    float *parent;        /* log-odds of the parent; NULL: there is none */
    float *loss, *before; /* log loss of each pair by that fit, and by another one */
    float *unseen;        /* log-odds of each pair by a fit without it */
    float *weight;        /* scratch: 0 for the pairs that a fit may not see */
    double fitted[COLUMNS];
    struct linear_beside beside;
    struct linear_data data;
};

static void few_free(struct few *few)
{
    labelled_pairs_free(&few->pairs);
    folds_free(&few->folds);
    mem_free(few->use);
    mem_free(few->x);
    mem_free(few->column);
    mem_free(few->offset);
    mem_free(few->parent);
    mem_free(few->unseen);
    mem_free(few->loss);
    mem_free(few->before);
    mem_free(few->weight);
}

/* ---- The data ---- */

static film_status survey_few(struct few *few, const struct decision *decision, film_error *error)
{
    film_status status = FILM_OK;
    struct survey survey;
    TRY(survey_init(&survey, decision->encoder, error));
    for (size_t i = 0; i < few->pairs.count; i++) {
        film_text a, b;
        labels_text(&(struct labelled_texts){few->corpus, &few->pairs}, i, &a, &b);
        TRY(survey_make(&survey, NULL, a, b, error));
        memcpy(few->x + i * few->traits, survey.traits, few->traits * sizeof(float));
    }
done:
    survey_free(&survey);
    return status;
}

/* A pair that was asked because the model was unsure says nothing about the share of duplicates, so
 * that share comes from random pairs. The fit itself needs no weights: which pairs were asked
 * depends on their traits alone. */
static void measure_shift(const struct learn_input *input, struct few *few)
{
    double same = 0, count = (double)few->pairs.count, share = input->options->random_share;
    for (size_t i = 0; i < few->pairs.count; i++) same += (double)few->pairs.target[i];
    if (!(share > 0 && share < 1)) share = (same + 1) / (count + 2);
    few->shift = log(share / (1 - share));
}

/* Sets columns and offsets, with the parent or without it. */
static void set_columns(struct few *few, const struct decision *decision, int parent)
{
    const struct calibration *line = &decision->margin;
    double usual = line->scale * decision->parent.weight;
    for (size_t i = 0; i < few->pairs.count; i++) {
        double own =
            line->bias + line->scale * linear_sum(&decision->line, few->x + i * few->traits);
        float other = parent ? few->parent[i] : 0;
        few->column[COLUMNS * i] = (float)own;
        few->column[COLUMNS * i + 1] = other;
        few->offset[i] = (float)(own + few->shift + usual * (double)other);
    }
}

static film_status gather_few(const struct learn_input *input, const struct decision *decision,
                              struct few *few, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = few->pairs.count, traits = few->traits = decision->line.count;
    TRY_ALLOC((few->use = mem_array(traits, 1)) &&
                  (few->x = mem_array(count, traits * sizeof(float))) &&
                  (few->column = mem_array(COLUMNS * count, sizeof(float))) &&
                  (few->offset = mem_array(count, sizeof(float))) &&
                  (few->unseen = mem_array(count, sizeof(float))) &&
                  (few->loss = mem_array(count, sizeof(float))) &&
                  (few->before = mem_array(count, sizeof(float))) &&
                  (few->weight = mem_array(count, sizeof(float))),
              error);
    for (size_t t = 0; t < traits; t++)
        few->use[t] = guarantees_direction(decision->guarantees, t) == 0;
    TRY(folds_partition(&few->folds, input->corpus, FOLDS, input->options->seed, error));
    TRY(survey_few(few, decision, error));
    measure_shift(input, few);
    if (decision->parent.decision) {
        TRY_ALLOC(few->parent = mem_array(count, sizeof(float)), error);
        TRY(parent_scores(input->corpus, &few->pairs, decision->parent.decision,
                          input->options->threads, few->parent, error));
    }
    set_columns(few, decision, few->parent != NULL);
    few->beside = (struct linear_beside){few->offset, few->column, COLUMNS,        COLUMN_RIDGE,
                                         BIAS_RIDGE,  few->fitted, &decision->line};
    few->data =
        (struct linear_data){few->x, count, traits, few->pairs.target, few->weight, &few->beside};
done:
    return status;
}

/* ---- The fit ---- */

/* Few pairs say little about their own standard error, so they need more of them. */
static double needed_errors(const struct few *few, double errors)
{
    return errors * (1 + 25 / (double)few->pairs.count);
}

static double log_loss(double log_odds, double target)
{
    return log1p(exp(-fabs(log_odds))) + fmax(0, log_odds) - log_odds * target;
}

/* Fits the pairs that do not touch FOLD (FOLDS: all). */
static film_status fit_without(struct few *few, size_t fold, double ridge, struct linear *line,
                               film_error *error)
{
    for (size_t i = 0; i < few->pairs.count; i++)
        few->weight[i] = !folds_touches(&few->folds, fold, few->pairs.a[i], few->pairs.b[i]);
    return linear_fit(line, &few->data, few->use, ridge, 1, error);
}

/* The log-odds of pair I by the last fit, without the shift. */
static double fitted_log_odds(const struct few *few, const struct linear *line, size_t i)
{
    const float *column = few->column + COLUMNS * i;
    double sum = (double)few->offset[i] - few->shift + linear_sum(line, few->x + i * few->traits);
    for (size_t c = 0; c < COLUMNS; c++) sum += few->fitted[c] * (double)column[c];
    return sum;
}

/* few->unseen = the log-odds out of fold, few->loss = their log loss. *GAIN: how much lower it is
 * than BEFORE (NULL: 0), in standard errors. */
static film_status judge_ridge(struct few *few, double ridge, const float *before, double *gain,
                               film_error *error)
{
    film_status status = FILM_OK;
    struct linear line = {0};
    double sum = 0, squares = 0;
    for (size_t f = 0; f < FOLDS; f++) {
        TRY(fit_without(few, f, ridge, &line, error));
        for (size_t i = 0; i < few->pairs.count; i++) {
            if (folds_of_pair(&few->folds, few->pairs.a[i], few->pairs.b[i]) != f) continue;
            double log_odds = fitted_log_odds(few, &line, i);
            few->unseen[i] = (float)log_odds;
            few->loss[i] = (float)log_loss(log_odds + few->shift, (double)few->pairs.target[i]);
            double less = before ? (double)before[i] - (double)few->loss[i] : 0;
            sum += less;
            squares += less * less;
        }
        linear_free(&line);
    }
    *gain = squares > 0 ? sum / sqrt(squares) : 0;
done:
    linear_free(&line);
    return status;
}

/* Chooses the ridge, and whether the parent has a weight: what is simpler stays unless the loss
 * falls by more than a standard error. few->unseen is of the choice. */
static film_status choose_fit(struct few *few, struct decision *decision, double *ridge,
                              film_error *error)
{
    film_status status = FILM_OK;
    size_t bytes = few->pairs.count * sizeof(float);
    double gain;
    if (few->parent) {
        TRY(judge_ridge(few, ridges[0], NULL, &gain, error));
        memcpy(few->before, few->loss, bytes);
        set_columns(few, decision, 0);
        TRY(judge_ridge(few, ridges[0], few->before, &gain, error));
        if (gain > needed_errors(few, 1))
            decision->parent.weight = 0;
        else
            set_columns(few, decision, 1);
    }
    TRY(judge_ridge(few, ridges[0], NULL, &gain, error));
    memcpy(few->before, few->loss, bytes);
    for (size_t r = 1; r < sizeof ridges / sizeof *ridges; r++) {
        if (few->pairs.count < LEAST_FOR_WEIGHTS) break;
        TRY(judge_ridge(few, ridges[r], few->before, &gain, error));
        if (gain <= needed_errors(few, 1)) continue;
        *ridge = ridges[r];
        memcpy(few->before, few->loss, bytes);
    }
    TRY(judge_ridge(few, *ridge, NULL, &gain, error));
done:
    return status;
}

/* Returns by how much the log-odds SCORE (pairs) exceed those of the prior with its new slope: a
 * mean over the pairs, in which those near the prior's threshold count most, and both labels the
 * same. Subtracting it leaves the threshold where it was, for an average pair. The mean of a label
 * with few pairs shrinks towards that of all. */
static double rise_at_threshold(const struct few *few, const float *score)
{
    static const double SHRINK = 1; /* as much as four pairs at the threshold */
    double sum[2] = {0, 0}, all[2] = {1e-9, 1e-9};
    for (size_t i = 0; i < few->pairs.count; i++) {
        double prior = (double)few->offset[i] - few->shift, p = calibrate_probability(prior);
        int same = few->pairs.target[i] >= 0.5f;
        sum[same] += p * (1 - p) * ((double)score[i] - (1 + few->fitted[0]) * prior);
        all[same] += p * (1 - p);
    }
    double mean = (sum[0] + sum[1]) / (all[0] + all[1]);
    return 0.5 * ((sum[0] + SHRINK * mean) / (all[0] + SHRINK) +
                  (sum[1] + SHRINK * mean) / (all[1] + SHRINK));
}

/* *POINT = a threshold that is more accurate out of fold with certainty, both labels counting the
 * same, if there is one. Even odds of the fit are not used: a line is wrong about log-odds in
 * general. */
static film_status move_threshold(const struct few *few, double *point, film_error *error)
{
    film_status status = FILM_OK;
    double share = calibrate_probability(few->shift);
    struct threshold_row *rows = NULL;
    TRY_ALLOC(rows = mem_array(few->pairs.count, sizeof *rows), error);
    for (size_t i = 0; i < few->pairs.count; i++)
        rows[i] = (struct threshold_row){.score = (double)few->unseen[i],
                                         .gain = few->pairs.target[i] >= 0.5f ? 0.5 / share
                                                                              : -0.5 / (1 - share)};
    *point = certain_threshold(rows, few->pairs.count, *point, THRESHOLD_ERRORS);
done:
    mem_free(rows);
    return status;
}

/* What the accuracy gains out of fold if the pairs are judged by few->unseen at POINT instead of by
 * the prior, both labels counting the same, in standard errors. */
static double gain_over_prior(const struct few *few, double point)
{
    double share = calibrate_probability(few->shift), sum = 0, squares = 0;
    for (size_t i = 0; i < few->pairs.count; i++) {
        int now = (double)few->unseen[i] >= point, before = few->offset[i] >= (float)few->shift;
        int same = few->pairs.target[i] >= 0.5f;
        double gain = (now - before) * (same ? 0.5 / share : -0.5 / (1 - share));
        sum += gain;
        squares += gain * gain;
    }
    return squares > 0 ? sum / sqrt(squares) : 0;
}

/* Makes the sum of the prior and LINE the line of the decision, in units of log-odds. */
static void add_to_prior(const struct few *few, double point, struct linear *line,
                         struct decision *decision)
{
    const struct linear *prior = &decision->line;
    const struct calibration was = decision->margin;
    double scale = was.scale * (1 + few->fitted[0]);
    float *own = line->own, *mean = own + line->count, *low = own + 2 * line->count;
    line->bias += (1 + few->fitted[0]) * was.bias + scale * prior->bias - point;
    for (size_t t = 0; t < line->count; t++) {
        if (prior->weight[t] == 0) continue;
        double weight = scale * (double)prior->weight[t];
        line->bias += weight * ((double)mean[t] - (double)prior->mean[t]);
        own[t] += (float)weight;
        low[t] = prior->low[t];
        low[line->count + t] = prior->high[t];
    }
    decision->parent.weight = fmax(0, was.scale * decision->parent.weight + few->fitted[1]);
    linear_free(&decision->line);
    decision->line = *line;
    decision->margin = (struct calibration){1, 0, 0};
    *line = (struct linear){0};
}

film_status prior_learn(const struct learn_input *input, struct decision *decision,
                        film_error *error)
{
    film_status status = FILM_OK;
    const struct calibration even = {1, 0, 0};
    struct few few = {.corpus = input->corpus};
    struct linear line = {0};
    double ridge = ridges[0], at;
    int chosen = input->options->operating.criterion != FILM_ACCURACY;
    TRY(labels_to_pairs(input->corpus, 0, input->options->seed, &few.pairs, error));
    training_log_count(input->log, "threshold_pairs", few.pairs.count);
    if (labels_none_same(&few.pairs)) goto done;
    TRY(gather_few(input, decision, &few, error));
    TRY(choose_fit(&few, decision, &ridge, error));
    double rise = rise_at_threshold(&few, few.unseen), point = rise;
    TRY(move_threshold(&few, &point, error));
    double gain = gain_over_prior(&few, point);
    TRY(fit_without(&few, FOLDS, ridge, &line, error));
    /* Random pairs say nothing of those that look alike. Labels that would turn the prior around
     * are too few, or wrong. */
    int changes = point != rise || ridge < ridges[0];
    int moves = changes && !few.pairs.made_up && few.fitted[0] > -1 && gain > 0;
    if (moves) {
        for (size_t i = 0; i < few.pairs.count; i++)
            few.weight[i] = (float)fitted_log_odds(&few, &line, i);
        TRY(prior_pool_weight(0, decision, error));
        add_to_prior(&few, rise_at_threshold(&few, few.weight) + point - rise, &line, decision);
    }
    for (size_t i = 0; i < few.pairs.count; i++)
        few.unseen[i] = moves ? few.unseen[i] - (float)point : few.offset[i] - (float)few.shift;
    struct scored_pairs scored = {few.unseen,  few.pairs.target, few.pairs.a,
                                  few.pairs.b, few.pairs.count,  0};
    TRY(decision_threshold_choose(&scored, input->options, &even, &at, input->log, error));
    if (moves || chosen)
        decision->margin.threshold = (at - decision->margin.bias) / decision->margin.scale;
    training_log_note(input->log, "threshold_from", json_string("folds"));
    training_log_note(input->log, "labels_used", json_boolean(moves));
    decision_threshold_made_up(input->log, few.pairs.made_up);
    if (decision->parent.decision)
        training_log_note(input->log, "start_weight",
                          jsonfile_number(decision->margin.scale * decision->parent.weight));
done:
    linear_free(&line);
    few_free(&few);
    return status;
}
