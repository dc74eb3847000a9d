/* Implements film_train and film_split of film_train.h: fills in every default, then calls the
 * pipeline with complete options. options.c validates them. */
#include "base/sized.h"
#include "train/options.h"
#include "train/split.h"
#include "learn/operating.h"
#include "train/train.h"

/* Chosen on a sample of Quora (docs/explanation/paper-convergence.md). */
static const double PAPER_MARGIN = 1.0;

/* 0 becomes the default, FILM_NONE the count 0. */
static void fill_count(size_t *count, size_t usual)
{
    if (*count == 0)
        *count = usual;
    else if (*count == FILM_NONE)
        *count = 0;
}

/* 0 becomes the default, FILM_ZERO the number 0. */
static void fill_number(double *number, double usual)
{
    if (*number == 0)
        *number = usual;
    else if (*number == FILM_ZERO)
        *number = 0;
}

static void fill_choice(int *choice, int usual)
{
    if (*choice == 0) *choice = usual;
}

/* The paper does not state its margin, the number of triplets, or where it stops; 5.62e-3 is the
 * smallest gradient norm that it reports. */
static void fill_paper(film_paper_options *paper, film_solver_options *solver)
{
    int letter = paper->letter;
    fill_choice(&solver->eigen, letter ? 2 : 3);
    fill_choice(&paper->weights, letter ? 2 : 1);
    fill_choice(&paper->keep, letter ? 2 : 1);
    if (!letter) return;
    if (paper->margin == 0 && solver->margin_ratio == 0) paper->margin = PAPER_MARGIN;
    fill_number(&solver->power, 1.0);
    fill_count(&solver->iterations, 500);
    fill_number(&solver->epsilon, 5.62e-3);
    if (solver->least_change == 0) solver->least_change = FILM_ZERO;
}

static void fill_solver(film_solver_options *solver)
{
    fill_number(&solver->power, 0.5);
    fill_number(&solver->margin_ratio, 0.5);
    fill_count(&solver->positives, 5);
    fill_count(&solver->labelled, 5);
    fill_count(&solver->hard, 3);
    fill_count(&solver->random, 5);
    fill_count(&solver->iterations, 12);
    fill_count(&solver->inner, 1);
    fill_number(&solver->epsilon, 1e-5);
    fill_number(&solver->least_change, 1e-7);
    fill_number(&solver->rho, 1e-4);
    fill_number(&solver->gamma, 0.85);
    fill_number(&solver->shrink, 0.2);
    fill_number(&solver->first_tau, 1e-3);
    fill_count(&solver->sample, 200000);
}

static void fill_deep(film_deep_options *deep)
{
    static const size_t maps[4] = {16, 32, 32, 16};
    fill_count(&deep->tokens, 32);
    for (int l = 0; l < 4; l++) fill_count(&deep->maps[l], maps[l]);
    fill_number(&deep->margin, 0.3);
    fill_number(&deep->dropout, 0.1);
}

film_status options_complete(film_train_options *out, const film_train_options *given,
                             film_error *error)
{
    *out = (film_train_options){0};
    film_status status = sized_options(out, sizeof *out, given, "film_train_options", error);
    if (status != FILM_OK) return status;
    fill_paper(&out->paper, &out->solver);
    if (out->paper.letter && out->decision == FILM_DECISION_AUTO)
        out->decision = FILM_DECISION_THRESHOLD;
    fill_count(&out->min_df, out->paper.letter || out->vectors ? 1 : 2);
    fill_count(&out->rank, 256);
    fill_number(&out->train_share, 0.8);
    /* A promised figure is one of data like the training file's. Otherwise 0 is replaced when the
     * rows are known (train.c). */
    if (operating_promises(&out->operating)) fill_number(&out->prior, FILM_PRIOR_AUTO);
    fill_solver(&out->solver);
    fill_deep(&out->deep);
    if (!out->seed) out->seed = 1;
    return FILM_OK;
}

film_status film_train(const char *const *paths, size_t count, const film_train_options *options,
                       film_model **out, film_error *error)
{
    film_train_options with;
    if ((count && !paths) || !out) return status_missing(error, out ? "paths" : "out");
    *out = NULL;
    film_status status = options_complete(&with, options, error);
    if (status != FILM_OK) return status;
    if (with.pair_count && !with.pairs) return status_missing(error, "pairs");
    if (with.sentence_count && !with.sentences) return status_missing(error, "sentences");
    if (!count && !with.pair_count && !with.sentence_count) return status_missing(error, "paths");
    film_train_register(); /* what is trained here can be opened here */
    return train_files(paths, count, &with, out, error);
}

film_status film_split(const char *path, const char *train_path, const char *dev_path,
                       const film_split_options *options, film_split_result *result,
                       film_error *error)
{
    film_split_options with = {0};
    film_split_result rows = {0};
    if (!path || !train_path || !dev_path) return status_missing(error, "a path");
    film_status status = sized_options(&with, sizeof with, options, "film_split_options", error);
    if (status == FILM_OK) status = sized_check(result, "film_split_result", error);
    if (status != FILM_OK) return status;
    fill_number(&with.train_share, 0.8);
    if (!with.seed) with.seed = 1;
    if (!(with.train_share > 0 && with.train_share < 1))
        return status_set(error, FILM_USAGE, "the training share must be between 0 and 1");
    status = split_file(path, train_path, dev_path, &with, &rows, error);
    sized_fill(result, &rows, sizeof rows);
    return status;
}
