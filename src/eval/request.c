/* Checks the options of film_eval, by themselves and against the labels of the file. */
#include "eval/evaluation.h"
#include "pair/match.h"
#include "learn/operating.h"

#include <jansson.h>
#include <string.h>

enum { MOST_K = 10000, LONGEST_NAME = 300 };

static film_status check_decision(struct evaluation *evaluation, film_error *error)
{
    const film_eval_options *options = evaluation->options;
    if ((unsigned)options->decision >= FILM_EVAL_DECISION_COUNT)
        return status_set(error, FILM_USAGE, "unknown decision %d", (int)options->decision);
    if ((unsigned)options->knn >= FILM_KNN_COUNT)
        return status_set(error, FILM_USAGE, "unknown kNN variant %d", (int)options->knn);
    evaluation->decide_by_knn = options->decision == FILM_EVAL_KNN;
    evaluation->variant = options->knn;
    evaluation->decision =
        evaluation->decide_by_knn ? FILM_DECISION_THRESHOLD : (film_decision)options->decision;
    if (options->k_last && (options->k_first == 0 || options->k_first > options->k_last))
        return status_set(
            error, FILM_USAGE,
            "k from %zu to %zu: invalid range; it starts at 1 or more and does not decrease",
            options->k_first, options->k_last);
    if (options->k_last > MOST_K)
        return status_set(error, FILM_USAGE, "k up to %zu: choose at most %d", options->k_last,
                          MOST_K);
    if (evaluation->decide_by_knn && !options->k_last)
        return status_set(error, FILM_USAGE, "the knn decision needs a range of k; set one");
    return FILM_OK;
}

/* 0 is "not given". Conditions are written so that NaN fails them. */
static film_status check_threshold(const struct evaluation *evaluation, film_error *error)
{
    double threshold = evaluation->options->threshold;
    if (threshold == 0) return FILM_OK;
    if (!(threshold > 0 && threshold < 1))
        return status_set(error, FILM_USAGE, "threshold %g is not between 0 and 1", threshold);
    if (evaluation->decide_by_knn)
        return status_set(error, FILM_USAGE,
                          "a threshold does not apply to the knn decision; choose one of them");
    return FILM_OK;
}

/* Replaces a name that is not UTF-8, and so not valid in JSON, or that is too long for a
 * sentence. */
static const char *usable_name(const char *name, const char *otherwise)
{
    json_t *text = name && strlen(name) <= LONGEST_NAME ? json_string(name) : NULL;
    const char *chosen = text ? name : otherwise;
    json_decref(text);
    return chosen;
}

film_status request_check(struct evaluation *evaluation, film_error *error)
{
    film_status status = FILM_OK;
    const film_eval_options *options = evaluation->options;
    evaluation->names[0] = usable_name(options->names[0], "the first model");
    evaluation->names[1] = usable_name(options->names[1], "the second model");
    TRY(check_decision(evaluation, error));
    TRY(check_threshold(evaluation, error));
    if (options->operating) TRY(operating_check(options->operating, error));
    double log_odds;
    if (options->prior != FILM_PRIOR_AUTO && options->prior != 0)
        TRY(match_prior(options->prior, &log_odds, error));
done:
    return status;
}

film_status request_check_labels(const struct evaluation *evaluation, film_error *error)
{
    const film_eval_options *options = evaluation->options;
    const struct {
        int asked;
        const char *what;
    } need_pairs[] = {
        {options->pool != NULL, "for a search of the pool"},
        {evaluation->decide_by_knn, "for the knn decision"},
        {options->threshold != 0, "for a threshold"},
        {options->operating != NULL, "for an operating point"},
        {options->prior == FILM_PRIOR_AUTO, "for the prior"},
    };
    if (evaluation->corpus.labels == FILM_LABELS_NONE)
        return status_set(
            error, FILM_BAD_INPUT,
            "%s: no labels; add a label, score or category column or triplets, or name the columns",
            evaluation->path);
    if (evaluation_has_pairs(evaluation)) return FILM_OK;
    for (size_t i = 0; i < sizeof need_pairs / sizeof *need_pairs; i++)
        if (need_pairs[i].asked)
            return status_set(error, FILM_USAGE, "%s has neither labelled pairs nor triplets %s",
                              evaluation->path, need_pairs[i].what);
    if (options->against && evaluation->corpus.labels == FILM_LABELS_CATEGORIES)
        return status_set(
            error, FILM_USAGE,
            "%s has categories; two models can be compared on pairs, triplets or scores only",
            evaluation->path);
    return FILM_OK;
}

film_status request_prior(struct evaluation *evaluation, film_error *error)
{
    double same = 0;
    evaluation->prior = evaluation->options->prior == 0 ? 0.5 : evaluation->options->prior;
    if (evaluation->prior != FILM_PRIOR_AUTO) return FILM_OK;
    for (size_t i = 0; i < evaluation->pairs; i++) same += evaluation->label[i] >= 0.5f;
    if (same == 0 || same == (double)evaluation->pairs)
        return status_set(
            error, FILM_BAD_INPUT,
            "%s: all pairs are labelled %s, so they give no prior; set the prior to a number",
            evaluation->path, same == 0 ? "different" : "the same");
    evaluation->prior = same / (double)evaluation->pairs;
    return FILM_OK;
}
