#include "train/learn_decision.h"
#include "base/mem.h"
#include "base/rng.h"
#include "train/boost.h"
#include "train/material.h"
#include "train/unrelated.h"

#include <math.h>
#include <string.h>

/* ---- Trees ---- */

/* What a fold kept apart says about the trees the others would learn. */
struct trial {
    float *margin, *target; /* of the pairs kept apart, one fold behind the other */
    size_t count;
    size_t folds, rounds;    /* folds tried; their best numbers of trees, summed */
    double train_loss, loss; /* summed over the folds */
    json_t *history;         /* of the first fold: both losses after each round */
};

/* What the trees are learned from: the pairs but those of FOLD, behind them the unrelated ones; then, to
 * judge by, those of FOLD. */
struct layout {
    float *x, *columns; /* target, weight and base, one behind the other */
    struct boost_data learn, apart;
};

static void layout_free(struct layout *layout)
{
    mem_free(layout->x);
    mem_free(layout->columns);
}

static film_status lay_out(const struct material *material, const struct unrelated *unrelated,
                           size_t fold, struct layout *layout, film_error *error)
{
    size_t pairs = material->pairs.count, traits = traits_count(), at = 0, learned = 0;
    size_t count = pairs + unrelated->count;
    *layout = (struct layout){.x = mem_array(count, traits * sizeof(float)),
                              .columns = mem_array(3 * count, sizeof(float))};
    if (!layout->x || !layout->columns) return status_no_memory(error);
    float *target = layout->columns, *weight = target + count, *base = weight + count;
    for (int last = 0; last < 2; last++) {
        for (size_t i = 0; i < pairs; i++) {
            if ((folds_of_pair(&material->folds, material->pairs.a[i]) == fold) != last) continue;
            memcpy(layout->x + at * traits, material->x + i * traits, traits * sizeof(float));
            target[at] = material->pairs.target[i];
            weight[at] = material->weight[i];
            base[at++] = material->base[i];
        }
        if (last) break;
        for (size_t i = 0; i < unrelated->count; i++, at++) {
            memcpy(layout->x + at * traits, unrelated->x + i * traits, traits * sizeof(float));
            target[at] = 0;
            weight[at] = unrelated->weight[i];
            base[at] = unrelated->base[i];
        }
        learned = at;
    }
    layout->learn = (struct boost_data){layout->x, learned, target, weight, base};
    layout->apart = (struct boost_data){layout->x + learned * traits, count - learned,
                                        target + learned, weight + learned, base + learned};
    return FILM_OK;
}

static json_t *loss_history(const struct boost_history *history)
{
    json_t *list = json_array();
    size_t stride;
    for (size_t i = run_history(history->rounds, &stride); i < history->rounds; i += stride)
        json_array_append_new(list, json_pack("[I, f, f]", (json_int_t)i + 1, history->train[i],
                                              history->validation[i]));
    return list;
}

/* How many trees FOLD, kept apart, wants, and the margins it gets. */
static film_status try_fold(struct run *run, const struct material *material,
                            const struct unrelated *unrelated, size_t fold,
                            const struct boost_options *options, struct trial *trial,
                            film_error *error)
{
    film_status status = FILM_OK;
    struct trees trees = {0};
    struct boost_history history = {0};
    struct layout layout;
    double *sum = NULL;
    TRY(lay_out(material, unrelated, fold, &layout, error));
    const struct boost_data *apart = &layout.apart;
    size_t kept = apart->rows;
    if (!kept || kept == material->pairs.count)
        goto done; /* a few pairs need not reach every fold */
    struct boost_options wanted = *options;
    wanted.validation = apart;
    wanted.patience = 50;
    TRY(boost_fit(&layout.learn, traits_count(), &wanted, &trees, &history, error));
    TRY_ALLOC(sum = mem_array(kept, sizeof *sum), error);
    TRY(trees_sum_rows(&trees, apart->x, kept, traits_count(), run->options->threads, sum, error));
    for (size_t i = 0; i < kept; i++, trial->count++) {
        trial->margin[trial->count] = (float)(sum[i] + (double)apart->base[i]);
        trial->target[trial->count] = apart->target[i];
    }
    if (trial->folds++ == 0) trial->history = loss_history(&history);
    trial->rounds += history.kept;
    trial->train_loss += history.train[history.kept - 1];
    trial->loss += history.validation[history.kept - 1];
done:
    trees_free(&trees);
    boost_history_free(&history);
    layout_free(&layout);
    mem_free(sum);
    return status;
}

/* How many trees, and the line from margins to log-odds. Of many pairs one fold is enough to tell; of few
 * every fold is kept apart once. */
static film_status try_trees(struct run *run, const struct material *material,
                             const struct unrelated *unrelated, struct boost_options *options,
                             struct calibration *line, film_error *error)
{
    film_status status = FILM_OK;
    size_t count = material->pairs.count, folds = count < MATERIAL_FEW ? material->folds.count : 1;
    struct trial trial = {.margin = mem_array(count, sizeof(float)),
                          .target = mem_array(count, sizeof(float))};
    TRY_ALLOC(trial.margin && trial.target, error);
    for (size_t fold = 0; fold < folds; fold++)
        TRY(try_fold(run, material, unrelated, fold, options, &trial, error));
    TRY(calibrate_fit(trial.margin, trial.target, trial.count, line, error));
    TRY(run_operate(run, trial.margin, trial.target, trial.count, line, &line->threshold, error));
    options->rounds = (trial.rounds + trial.folds / 2) / trial.folds;
    run_note(run, "threshold_pairs", json_integer((json_int_t)trial.count));
    run_note(run, "trees",
             json_pack("{s:I, s:f, s:f, s:[s, s, s], s:o*}", "rounds", (json_int_t)options->rounds,
                       "train_loss", trial.train_loss / (double)trial.folds, "held_out_loss",
                       trial.loss / (double)trial.folds, "history_columns", "round", "train_loss",
                       "held_out_loss", "history", trial.history));
    trial.history = NULL;
done:
    json_decref(trial.history);
    mem_free(trial.margin);
    mem_free(trial.target);
    return status;
}

/* Many pairs: quick steps, as many as the fold kept apart wants. A few thousand: slow steps that each see
 * only a part of the pairs and traits (measured on Quora and on STS). */
static void choose_boosting(struct boost_options *options, size_t pairs)
{
    boost_defaults(options);
    options->rounds = pairs < MATERIAL_FEW ? 400 : 1000;
    options->rate = pairs < MATERIAL_FEW ? 0.05 : 0.3;
    options->lambda = pairs < MATERIAL_FEW ? 10 : 5;
    options->min_child_weight = pairs < MATERIAL_FEW ? 5 : 20;
    options->subsample = pairs < MATERIAL_FEW ? 0.6 : 1;
    options->column_share = pairs < MATERIAL_FEW ? 0.3 : 1;
}

/* One unrelated pair for every eight labelled ones: enough of few, no more than needed of many. */
static size_t unrelated_wanted(size_t pairs)
{
    enum { EVERY = 8, ENOUGH = 1000, MOST = 20000 };
    size_t wanted = pairs / EVERY, least = pairs < ENOUGH ? pairs : ENOUGH;
    return wanted < least ? least : wanted < MOST ? wanted : MOST;
}

static film_status fit_trees(struct run *run, const struct material *material, film_error *error)
{
    film_status status = FILM_OK;
    struct decision *decision = &run->model->decision;
    struct unrelated unrelated;
    struct layout layout = {0};
    struct boost_options options;
    choose_boosting(&options, material->pairs.count);
    options.seed = run->options->seed;
    options.threads = run->options->threads;
    options.progress = &run->options->progress;
    TRY(unrelated_gather(run, unrelated_wanted(material->pairs.count), &unrelated, error));
    TRY(try_trees(run, material, &unrelated, &options, &decision->margin, error));
    TRY(lay_out(material, &unrelated, material->folds.count, &layout, error));
    TRY(boost_fit(&layout.learn, traits_count(), &options, &decision->trees, NULL, error));
    TRY(decision_prepare(decision, error));
done:
    unrelated_free(&unrelated);
    layout_free(&layout);
    return status;
}

/* ---- Memory ---- */

/* What each of memory's answers is worth, from rows it was built without. */
static film_status weigh_memory(const struct run *run, const struct material *material,
                                double *weight, film_error *error)
{
    enum { PARTS = 4 };
    film_status status = FILM_OK;
    const struct decision *decision = &run->model->decision;
    size_t count = material->pairs.count, used[MEMORY_ANSWERS] = {0};
    struct memory memory = {0};
    struct rng rng;
    unsigned char *part = mem_array(count, 1);
    double *sum = mem_array(count, sizeof *sum), *margin = mem_array(2 * count, sizeof *margin);
    float *target = mem_array(2 * count, sizeof *target),
          *each = mem_array(2 * count, sizeof *each);
    TRY_ALLOC(part && sum && margin && target && each, error);
    TRY(trees_sum_rows(&decision->trees, material->x, count, traits_count(), run->options->threads,
                       sum, error));
    rng_seed(&rng, run->options->seed);
    for (size_t i = 0; i < count; i++) part[i] = (unsigned char)rng_below(&rng, PARTS);
    for (unsigned char p = 0; p < PARTS; p++) {
        TRY(memory_build(&memory, material->known, count, part, p, error));
        for (size_t i = 0; i < count; i++) {
            if (part[i] != p || material->known[i].a == material->known[i].b) continue;
            enum memory_answer answer =
                memory_ask(&memory, material->known[i].a, material->known[i].b);
            if (answer == MEMORY_UNKNOWN) continue;
            size_t at = used[answer]++ + (answer == MEMORY_DIFFERENT ? count : 0);
            margin[at] = decision->margin.bias +
                         decision->margin.scale * (sum[i] + (double)material->base[i]);
            target[at] = material->pairs.target[i];
            each[at] = material->weight[i];
        }
        memory_free(&memory);
    }
    weight[MEMORY_SAME] = fmax(0, memory_weigh(margin, target, each, used[MEMORY_SAME]));
    weight[MEMORY_DIFFERENT] =
        fmin(0, memory_weigh(margin + count, target + count, each + count, used[MEMORY_DIFFERENT]));
done:
    memory_free(&memory);
    mem_free(part);
    mem_free(sum);
    mem_free(margin);
    mem_free(target);
    mem_free(each);
    return status;
}

static film_status remember(struct run *run, const struct material *material, film_error *error)
{
    film_status status = FILM_OK;
    struct memory *memory = &run->model->decision.memory;
    double weight[MEMORY_ANSWERS] = {0};
    TRY(weigh_memory(run, material, weight, error));
    TRY(memory_build(memory, material->known, material->pairs.count, NULL, 0, error));
    memcpy(memory->weight, weight, sizeof weight);
    run_note(run, "memory",
             json_pack("{s:I, s:I, s:f, s:f}", "questions", (json_int_t)memory->questions.count,
                       "different_clusters", (json_int_t)memory->different.count, "same",
                       weight[MEMORY_SAME], "different", weight[MEMORY_DIFFERENT]));
done:
    return status;
}
film_status learn_decision(struct run *run, film_error *error)
{
    film_status status = FILM_OK;
    struct material material;
    struct decision *decision = &run->model->decision;
    TRY(material_gather(run, &material, error));
    TRY(calibrate_fit(material.similarity, material.pairs.target, material.pairs.count,
                      &decision->similarity, error));
    TRY(fit_trees(run, &material, error));
    run_note_time(run, "trees");
    if (!run->options->no_memory) TRY(remember(run, &material, error));
    decision->full = 1;
    run_note(run, "threshold_from", json_string("folds"));
    run_note_time(run, "memory");
done:
    material_free(&material);
    return status;
}
