/* Trains the parts of a decision that use out-of-fold features: trees, calibration, memory
 * (stacking, Wolpert 1992). out_of_fold.c computes the features, boosting.c trains the trees. */
#include "learn/learn_decision.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "learn/answered_fit.h"
#include "learn/boosting.h"
#include "learn/decision_threshold.h"
#include "learn/tree_rows.h"
#include "learn/made_up_pairs.h"
#include "learn/memory_fit.h"
#include "learn/parent_fit.h"
#include "learn/prior.h"
#include "learn/calibrate_fit.h"
#include "pair/guarantees.h"

#include <math.h>
#include <string.h>

/* ---- Trees ---- */

/* Trees of depth 2 need no more pairs than this to find their cuts. */
enum { TREE_PAIRS = 2000000 };

/* The validation results of trees that were trained without a fold. */
struct trial {
    float *margin, *target; /* of the validation pairs, one fold after the other */
    float *parent;          /* the log-odds of the parent; NULL: there is none */
    size_t count;
    size_t folds, rounds;    /* folds tried; sum of their best numbers of trees */
    double train_loss, loss; /* sums over the folds */
    json_t *history;         /* of the first fold: both losses after each round */
};

/* The data of one training of trees: the pairs outside FOLD, then the made-up pairs; and for
 * validation the pairs of FOLD. */
struct tree_data {
    const float **x; /* the features of each pair, in their own arrays */
    float *columns;  /* target, weight and base, one after the other */
    struct boosting_data learn, apart;
};

static void layout_free(struct tree_data *layout)
{
    mem_free((void *)layout->x);
    mem_free(layout->columns);
}

static film_status fill_tree_data(const struct tree_rows *rows, const struct made_up_pairs *made_up,
                                  size_t fold, struct tree_data *layout, film_error *error)
{
    size_t traits = rows->traits, at = 0, learned = 0;
    size_t count = rows->count + made_up->count;
    *layout = (struct tree_data){.x = mem_array(count, sizeof *layout->x),
                                 .columns = mem_array(3 * count, sizeof(float))};
    if (!layout->x || !layout->columns) return status_no_memory(error);
    float *target = layout->columns, *weight = target + count, *base = weight + count;
    for (int last = 0; last < 2; last++) {
        for (size_t i = 0; i < rows->count; i++) {
            if ((rows->fold[i] == fold) != last) continue;
            layout->x[at] = rows->x + i * traits;
            target[at] = rows->target[i];
            weight[at] = rows->weight[i];
            base[at++] = rows->base[i];
        }
        if (last) break;
        for (size_t i = 0; i < made_up->count; i++, at++) {
            layout->x[at] = made_up->x + i * traits;
            target[at] = made_up->target[i];
            weight[at] = made_up->weight[i];
            base[at] = made_up->base[i];
        }
        learned = at;
    }
    layout->learn = (struct boosting_data){NULL, learned, target, weight, base, layout->x};
    layout->apart = (struct boosting_data){
        NULL,           count - learned,    target + learned, weight + learned,
        base + learned, layout->x + learned};
    return FILM_OK;
}

/* SUM = the sums of the trees for every row of DATA. */
static film_status sum_trees(const struct trees *trees, const struct boosting_data *data,
                             size_t traits, int threads, double *sum, film_error *error)
{
    enum { BLOCK = 4096 };
    film_status status = FILM_OK;
    float *x = mem_array(BLOCK * traits, sizeof *x);
    TRY_ALLOC(x, error);
    for (size_t first = 0; first < data->rows; first += BLOCK) {
        size_t count = data->rows - first < BLOCK ? data->rows - first : BLOCK;
        for (size_t i = 0; i < count; i++)
            memcpy(x + i * traits, data->row[first + i], traits * sizeof *x);
        TRY(trees_sum_rows(trees, x, count, traits, threads, sum + first, error));
    }
done:
    mem_free(x);
    return status;
}

static json_t *loss_history(const struct boosting_history *history)
{
    json_t *list = json_array();
    size_t stride;
    for (size_t i = training_log_stride(history->rounds, &stride); i < history->rounds; i += stride)
        jsonfile_append(list, json_pack("[I, f, f]", (json_int_t)i + 1, history->train[i],
                                        history->validation[i]));
    return list;
}

/* Trains without FOLD and finds the best number of trees and the margins of its pairs. */
static film_status try_fold(const struct tree_rows *rows, const struct made_up_pairs *made_up,
                            size_t fold, const struct boosting_options *options,
                            struct trial *trial, film_error *error)
{
    film_status status = FILM_OK;
    struct trees trees = {0};
    struct boosting_history history = {0};
    struct tree_data layout;
    double *sum = NULL;
    TRY(fill_tree_data(rows, made_up, fold, &layout, error));
    const struct boosting_data *apart = &layout.apart;
    size_t kept = apart->rows;
    if (!kept || kept == rows->count) goto done; /* with few pairs a fold may be empty */
    struct boosting_options wanted = *options;
    wanted.validation = apart;
    wanted.patience = 50;
    TRY(boosting_fit(&layout.learn, rows->traits, &wanted, &trees, &history, error));
    TRY_ALLOC(sum = mem_array(kept, sizeof *sum), error);
    TRY(sum_trees(&trees, apart, rows->traits, options->threads, sum, error));
    for (size_t i = 0; i < kept; i++, trial->count++) {
        trial->margin[trial->count] = (float)(sum[i] + (double)apart->base[i]);
        trial->target[trial->count] = apart->target[i];
    }
    if (trial->folds++ == 0) trial->history = loss_history(&history);
    trial->rounds += history.kept;
    for (size_t i = 0, at = trial->count - kept; trial->parent && i < rows->count; i++)
        if (rows->fold[i] == fold) trial->parent[at++] = rows->parent[i];
    trial->train_loss += history.train[history.kept - 1];
    trial->loss += history.validation[history.kept - 1];
done:
    trees_free(&trees);
    boosting_history_free(&history);
    layout_free(&layout);
    mem_free(sum);
    return status;
}

/* Chooses the weight of the parent and adds its term to the margins. */
static film_status weigh_parent(const struct learn_input *input, struct trial *trial,
                                struct decision *decision, film_error *error)
{
    film_status status = FILM_OK;
    struct parent_pairs pairs = {trial->margin, trial->parent, trial->target, trial->count};
    double weight;
    TRY(parent_weigh(&pairs, 1, &weight, error));
    for (size_t i = 0; i < trial->count; i++) trial->margin[i] += (float)weight * trial->parent[i];
    decision->parent.weight = weight;
    training_log_note(input->log, "start_weight", jsonfile_number(weight));
done:
    return status;
}

/* Calibrates by the duplicates among the pairs where the others are random. */
static film_status calibrate_duplicates(const struct tree_rows *rows, const struct trial *trial,
                                        struct decision *decision, film_error *error)
{
    film_status status = FILM_OK;
    float *margin = mem_array(trial->count, sizeof *margin);
    float *resemblance = mem_array(rows->count, sizeof *resemblance);
    size_t count = 0, all = 0;
    TRY_ALLOC(margin && resemblance, error);
    for (size_t i = 0; i < trial->count; i++)
        if (trial->target[i] >= 0.5f) margin[count++] = trial->margin[i];
    for (size_t i = 0; i < rows->count && all < count; i++)
        if (rows->target[i] >= 0.5f)
            resemblance[all++] =
                (float)linear_sum(&decision->pool.line, rows->x + i * rows->traits);
    prior_calibrate(decision, margin, resemblance, all, &decision->margin);
done:
    mem_free(margin);
    mem_free(resemblance);
    return status;
}

/* Chooses the number of trees and the calibration of margins to log-odds. With many pairs one fold
 * suffices for validation; with few, every fold is used. */
static film_status try_trees(const struct learn_input *input, const struct tree_rows *rows,
                             size_t all_folds, const struct made_up_pairs *made_up,
                             struct boosting_options *options, struct decision *decision,
                             film_error *error)
{
    film_status status = FILM_OK;
    struct calibration *line = &decision->margin;
    size_t count = rows->count, folds = count < OUT_OF_FOLD_FEW ? all_folds : 1;
    struct trial trial = {.margin = mem_array(count, sizeof(float)),
                          .target = mem_array(count, sizeof(float))};
    TRY_ALLOC(trial.margin && trial.target, error);
    if (rows->parent) TRY_ALLOC(trial.parent = mem_array(count, sizeof(float)), error);
    for (size_t fold = 0; fold < folds; fold++)
        TRY(try_fold(rows, made_up, fold, options, &trial, error));
    if (trial.parent) TRY(weigh_parent(input, &trial, decision, error));
    TRY(calibrate_fit(trial.margin, trial.target, trial.count, line, error));
    if (labels_only_same(input->corpus) && decision->pool.line.count)
        TRY(calibrate_duplicates(rows, &trial, decision, error));
    struct scored_pairs scored = {.score = trial.margin,
                                  .target = trial.target,
                                  .count = trial.count,
                                  .expected = input->corpus->records != 0};
    TRY(decision_threshold_choose(&scored, input->options, line, &line->threshold, input->log,
                                  error));
    options->rounds = (trial.rounds + trial.folds / 2) / trial.folds;
    for (size_t fold = 0, at = 0; rows->tried && fold < folds; fold++)
        for (size_t i = 0; i < count && at < trial.count; i++)
            if (rows->fold[i] == fold) rows->tried[i] = trial.margin[at++];
    training_log_count(input->log, "threshold_pairs", trial.count);
    training_log_note(input->log, "trees",
                      json_pack("{s:I, s:f, s:f, s:[s, s, s], s:o*}", "rounds",
                                (json_int_t)options->rounds, "train_loss",
                                trial.train_loss / (double)trial.folds, "held_out_loss",
                                trial.loss / (double)trial.folds, "history_columns", "round",
                                "train_loss", "held_out_loss", "history", trial.history));
    trial.history = NULL;
done:
    json_decref(trial.history);
    mem_free(trial.margin);
    mem_free(trial.target);
    mem_free(trial.parent);
    return status;
}

/* Many pairs: a high learning rate, and as many rounds as the validation fold selects. A few
 * thousand: a low rate with subsampled pairs and traits (measured on Quora and on STS). */
static void choose_boosting(struct boosting_options *options, size_t pairs)
{
    boosting_defaults(options);
    options->rounds = pairs < OUT_OF_FOLD_FEW ? 400 : 1000;
    options->rate = pairs < OUT_OF_FOLD_FEW ? 0.05 : 0.3;
    options->lambda = pairs < OUT_OF_FOLD_FEW ? 10 : 5;
    options->min_child_weight = pairs < OUT_OF_FOLD_FEW ? 5 : 20;
    options->subsample = pairs < OUT_OF_FOLD_FEW ? 0.6 : 1;
    options->column_share = 0.3;
}

/* One unrelated pair per eight labelled ones, within limits. */
static size_t unrelated_wanted(size_t pairs)
{
    enum { EVERY = 8, ENOUGH = 1000, MOST = 20000 };
    size_t wanted = pairs / EVERY, least = pairs < ENOUGH ? pairs : ENOUGH;
    return wanted < least ? least : wanted < MOST ? wanted : MOST;
}

/* Chooses the number of trees, and trains them. */
static film_status fit_forest(const struct learn_input *input, const struct tree_rows *rows,
                              size_t folds, const struct made_up_pairs *made_up,
                              struct decision *decision, film_error *error)
{
    film_status status = FILM_OK;
    struct tree_data layout = {0};
    struct boosting_options options;
    int *direction = mem_array(rows->traits, sizeof *direction);
    TRY_ALLOC(direction, error);
    for (size_t t = 0; t < rows->traits; t++)
        direction[t] = guarantees_direction(decision->guarantees, t);
    choose_boosting(&options, rows->count);
    options.monotone = direction;
    options.seed = input->options->seed;
    options.threads = input->options->threads;
    options.progress = &input->options->progress;
    TRY(try_trees(input, rows, folds, made_up, &options, decision, error));
    TRY(fill_tree_data(rows, made_up, folds, &layout, error));
    TRY(boosting_fit(&layout.learn, rows->traits, &options, &decision->trees, NULL, error));
    if (!guarantees_hold(decision))
        TRY(status_set(error, FILM_BAD_INPUT,
                       "the trees do not keep to the monotone constraints; please report this"));
done:
    layout_free(&layout);
    mem_free(direction);
    return status;
}

static film_status fit_trees(const struct learn_input *input, const struct out_of_fold *held,
                             struct decision *decision, film_error *error)
{
    film_status status = FILM_OK;
    const film_train_options *options = input->options;
    /* An edit of a scored pair would need a score; fields judge the numbers of records. */
    int edits = !options->no_made_up && !input->corpus->records &&
                input->corpus->labels != FILM_LABELS_SCORES;
    struct made_up_options wanted = {unrelated_wanted(held->pairs.count),
                                     edits ? held->pairs.count / 4 : 0, options->seed,
                                     options->threads, &held->edits};
    struct made_up_pairs made_up = {0};
    struct tree_rows rows = {0};
    TRY(made_up_pairs_draw(input->corpus, decision, &wanted, &made_up, error));
    TRY(tree_rows_take(held, TREE_PAIRS, options->seed, &rows, error));
    rows.tried = held->tried;
    TRY(fit_forest(input, &rows, held->folds.count, &made_up, decision, error));
    TRY(decision_prepare(decision, error));
done:
    made_up_pairs_free(&made_up);
    tree_rows_free(&rows);
    return status;
}

/* The log-odds of the pairs, without memory; the caller frees them. */
static film_status sum_margins(const struct learn_input *input, const struct decision *decision,
                               const struct out_of_fold *held, double **out, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = held->pairs.count;
    double *margin = *out = mem_array(count, sizeof *margin);
    TRY_ALLOC(margin, error);
    TRY(trees_sum_rows(&decision->trees, held->x, count, held->traits, input->options->threads,
                       margin, error));
    for (size_t i = 0; i < count; i++) {
        double parent = held->parent ? decision->parent.weight * (double)held->parent[i] : 0;
        margin[i] = decision->margin.bias +
                    decision->margin.scale * (margin[i] + (double)held->base[i] + parent);
    }
done:
    return status;
}

static film_status fit_memory(const struct learn_input *input, const struct out_of_fold *held,
                              struct decision *decision, film_error *error)
{
    film_status status = FILM_OK;
    double *margin = NULL;
    TRY(sum_margins(input, decision, held, &margin, error));
    if (!input->options->no_memory) TRY(memory_fit(input, held, margin, decision, error));
    /* A fold of a cross-validation (no log) judges pairs, and searches nothing. */
    if (input->log) TRY(answered_fit(input, held, margin, decision, error));
done:
    mem_free(margin);
    return status;
}

film_status learn_decision(const struct learn_input *input, struct out_of_fold *held,
                           struct decision *decision, film_error *error)
{
    film_status status = FILM_OK;
    const struct decision *parent = decision->parent.decision;
    if (parent) {
        TRY_ALLOC(held->parent = mem_array(held->pairs.count, sizeof(float)), error);
        TRY(parent_scores(input->corpus, &held->pairs, parent, input->options->threads,
                          held->parent, error));
    }
    if (input->corpus->records && held->pairs.count < OUT_OF_FOLD_FEW)
        TRY_ALLOC(held->tried = mem_zeroed(held->pairs.count, sizeof(float)), error);
    /* Of out-of-fold values. */
    TRY(calibrate_similarity(held->similarity, &held->pairs, &decision->similarity, error));
    /* A fold of a cross-validation (no log) judges pairs, and searches nothing. */
    if (input->log || labels_only_same(input->corpus)) TRY(prior_pool_rule(input, decision, error));
    TRY(fit_trees(input, held, decision, error));
    mem_give_back();
    training_log_phase(input->log, "trees");
    decision->full = 1;
    TRY(fit_memory(input, held, decision, error));
    training_log_note(input->log, "threshold_from", json_string("folds"));
    decision_threshold_made_up(input->log, held->pairs.made_up);
    training_log_phase(input->log, "memory");
done:
    return status;
}
