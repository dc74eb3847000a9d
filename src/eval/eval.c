/* Evaluates a model, in this order: reads the file and the pool, embeds every distinct sentence
 * once, scores the pairs, sweeps k, decides, measures, computes intervals, repeats this with the
 * second model, and searches the pool. */
#include "eval/eval.h"
#include "base/mem.h"
#include "eval/against.h"
#include "eval/answer.h"
#include "eval/categories.h"
#include "eval/classes.h"
#include "eval/evaluation.h"
#include "embed/vec.h"
#include "learn/near_misses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NAME is that of the model if there are two, else NULL. */
static film_status need_vectors(const film_model *model, const char *name, film_error *error)
{
    return encoder_has_vectors(&model->encoder)
               ? FILM_OK
               : status_set(error, FILM_USAGE,
                            "%s%sthis model has no vectors to search (method tfidf); train one "
                            "with method svd, film or rank",
                            name ? name : "", name ? ": " : "");
}

/* ---- Figures ---- */

static film_status choose_operating(struct evaluation *evaluation,
                                    const struct model_answers *answers, film_error *error)
{
    const double *probability = answers->probability;
    const film_operating *wanted = evaluation->options->operating;
    struct operating_point point;
    struct operating_rows rows = {probability, evaluation->label, evaluation->a, evaluation->b,
                                  evaluation->pairs};
    double own = operating_share(&rows), prior = evaluation->prior;
    /* The probabilities keep their prior; a promised figure is one of this file. */
    if (evaluation->options->prior == 0)
        prior = operating_promises(wanted) && own > 0 && own < 1 ? own : 0.5;
    film_status status = operating_choose(wanted, prior, &rows, &point, error);
    if (status != FILM_OK) return status;
    struct answer_owned *owned = evaluation->result.owned;
    owned->operating = (film_operating_point){.wanted = *wanted,
                                              .threshold = point.threshold,
                                              .reached = point.reached,
                                              .accuracy = point.accuracy,
                                              .precision = point.precision,
                                              .recall = point.recall,
                                              .f1 = point.f1,
                                              .low = point.low,
                                              .high = point.high,
                                              .pairs = point.pairs,
                                              .prior = prior};
    evaluation->result.operating = &owned->operating;
    return near_misses_wanted(wanted, &evaluation->corpus) && !evaluation->decide_by_knn
               ? model_answers_near(evaluation, answers, &rows, &owned->operating, error)
               : FILM_OK;
}

/* Evaluates the second model on the same rows and compares the two. */
static film_status compare_models(struct evaluation *evaluation, const struct model_answers *first,
                                  film_error *error)
{
    film_status status = FILM_OK;
    struct model_answers second = {.model = evaluation->options->against};
    struct answer_owned *owned = evaluation->result.owned;
    film_comparison *found = &owned->against;
    if (evaluation->decide_by_knn) TRY(model_answers_embed(evaluation, &second, error));
    TRY(model_answers_pairs(evaluation, &second, error));
    struct against_rows rows = {evaluation->label, evaluation->pairs,
                                !evaluation_has_pairs(evaluation)};
    const struct against_side side[2] = {{evaluation->names[0], first->probability, first->same},
                                         {evaluation->names[1], second.probability, second.same}};
    TRY(against_compare(side, &rows, &evaluation->bootstrap, found, owned->sentence, error));
    for (int m = 0; m < 2; m++)
        snprintf(owned->names[m], sizeof owned->names[m], "%s", evaluation->names[m]);
    found->first = owned->names[0];
    found->second = owned->names[1];
    evaluation->result.against = found;
done:
    model_answers_free(&second);
    return status;
}

/* Pearson's correlation of the log-odds. */
static film_status correlate_log_odds(const struct evaluation *evaluation,
                                      const struct model_answers *answers, double *ranks,
                                      double *out, film_error *error)
{
    film_status status = FILM_OK;
    struct measures measures = {0};
    double value[MEASURES], *log_odds = mem_array(evaluation->pairs, sizeof *log_odds);
    TRY_ALLOC(log_odds, error);
    for (size_t i = 0; i < evaluation->pairs; i++) log_odds[i] = answers->answered[i].log_odds;
    TRY(measures_init(&measures, 1u << MEASURE_PEARSON, log_odds, evaluation->label, answers->same,
                      evaluation->pairs, error));
    measures_compute(&measures, NULL, ranks, value);
    *out = value[MEASURE_PEARSON];
done:
    measures_free(&measures);
    mem_free(log_odds);
    return status;
}

/* The probability at which pairs are called the same. */
static double threshold_used(const struct evaluation *evaluation, const struct decision *decision)
{
    int full = decision->full && evaluation->decision != FILM_DECISION_THRESHOLD;
    const struct calibration *line = full ? &decision->margin : &decision->similarity;
    if (evaluation->options->threshold > 0) return evaluation->options->threshold;
    return calibrate_probability(line->scale * line->threshold + line->bias);
}

static film_status measure_pairs(struct evaluation *evaluation, const struct model_answers *answers,
                                 film_error *error)
{
    film_status status = FILM_OK;
    film_eval_result *result = &evaluation->result;
    struct measures measures = {0};
    double value[MEASURES], interval[MEASURES][2];
    int has_pairs = evaluation_has_pairs(evaluation);
    unsigned set = has_pairs ? MEASURES_OF_PAIRS : MEASURES_OF_SCORES;
    double *ranks = mem_array(evaluation->pairs, sizeof *ranks);
    TRY_ALLOC(ranks, error);
    TRY(measures_init(&measures, set, answers->probability, evaluation->label, answers->same,
                      evaluation->pairs, error));
    measures_compute(&measures, NULL, ranks, value);
    if (has_pairs) {
        result->best_threshold = measures_best_threshold(&measures);
        answer_confusion(result, evaluation->label, answers->same, evaluation->pairs);
        if (!evaluation->decide_by_knn)
            answer_thresholds(result, &measures,
                              threshold_used(evaluation, &answers->model->decision));
    }
    TRY(bootstrap_measures(&evaluation->bootstrap, &measures, interval, error));
    for (int m = 0; m < MEASURES; m++)
        *answer_figure(result, (enum measure)m) =
            (film_figure){value[m], interval[m][0], interval[m][1]};
    if (evaluation->options->operating) TRY(choose_operating(evaluation, answers, error));
    if (evaluation->options->against) TRY(compare_models(evaluation, answers, error));
    if (!has_pairs)
        TRY(correlate_log_odds(evaluation, answers, ranks, &result->pearson_log_odds, error));
done:
    measures_free(&measures);
    mem_free(ranks);
    return status;
}

/* Stores the share of ones and its interval. */
static film_status put_share(struct evaluation *evaluation, const unsigned char *right,
                             size_t count, film_figure *out, film_error *error)
{
    double interval[2], sum = 0;
    film_status status = bootstrap_share(&evaluation->bootstrap, right, count, interval, error);
    if (status != FILM_OK) return status;
    for (size_t i = 0; i < count; i++) sum += right[i];
    *out = (film_figure){count ? sum / (double)count : NAN, interval[0], interval[1]};
    return FILM_OK;
}

/* The similar sentence must score higher; equal scores count as wrong. */
static film_status measure_triplets(struct evaluation *evaluation,
                                    const struct model_answers *answers, film_error *error)
{
    size_t count = evaluation->pairs / 2;
    unsigned char *right = mem_array(count, 1);
    if (!right) return status_no_memory(error);
    for (size_t i = 0; i < count; i++)
        right[i] = answers->answered[2 * i].log_odds > answers->answered[2 * i + 1].log_odds;
    film_status status =
        put_share(evaluation, right, count, &evaluation->result.triplet_accuracy, error);
    mem_free(right);
    return status;
}

static film_status measure_categories(struct evaluation *evaluation, struct model_answers *answers,
                                      film_error *error)
{
    film_status status = FILM_OK;
    const struct corpus *corpus = &evaluation->corpus;
    struct flat own = model_answers_vectors(answers, evaluation->own);
    unsigned char *right[CATEGORIES_DEPTHS] = {NULL};
    uint32_t *category = answers->category = mem_array(evaluation->own, sizeof *category);
    TRY_ALLOC(category &&
                  (answers->winners.category = mem_array(evaluation->own, sizeof *category)) &&
                  (answers->winners.votes = mem_array(evaluation->own, 1)),
              error);
    for (size_t i = corpus->rows; i-- > 0;) /* a sentence in several categories keeps the first */
        category[corpus->a[i]] = corpus->category[i];
    for (int d = 0; d < CATEGORIES_DEPTHS; d++)
        TRY_ALLOC(right[d] = mem_array(evaluation->own, 1), error);
    TRY(categories_vote(&own, category, evaluation->options->threads,
                        &evaluation->options->progress, right, &answers->winners, error));
    for (int d = 0; d < CATEGORIES_DEPTHS; d++)
        TRY(put_share(evaluation, right[d], evaluation->own,
                      &evaluation->result.category_accuracy[d], error));
done:
    for (int d = 0; d < CATEGORIES_DEPTHS; d++) mem_free(right[d]);
    return status;
}

static film_status search_pool(struct evaluation *evaluation, const struct model_answers *answers,
                               film_error *error)
{
    film_status status = FILM_OK;
    const film_eval_options *options = evaluation->options;
    struct flat pool = model_answers_vectors(answers, evaluation->corpus.sentences.count);
    struct answer_owned *owned = evaluation->result.owned;
    if (!options->pool) return FILM_OK;
    struct labelled_ids pairs = {evaluation->a, evaluation->b, evaluation->label,
                                 evaluation->pairs};
    TRY(retrieval_measure(&evaluation->found, &pool, &pairs, options->pool_queries,
                          options->threads, &options->progress, error));
    owned->retrieval = (film_retrieval){.queries = evaluation->found.queries,
                                        .pool = evaluation->found.pool,
                                        .recall_1 = evaluation->found.r1,
                                        .recall_10 = evaluation->found.r10,
                                        .recall_36 = evaluation->found.r36,
                                        .mean_reciprocal_rank = evaluation->found.mrr};
    evaluation->result.retrieval = &owned->retrieval;
done:
    return status;
}

/* ---- The whole evaluation ---- */

static film_status prepare_answers(struct evaluation *evaluation, struct model_answers *answers,
                                   film_error *error)
{
    film_status status = FILM_OK;
    const film_eval_options *options = evaluation->options;
    TRY(request_check(evaluation, error));
    TRY(evaluation_read(evaluation, error));
    TRY(request_prior(evaluation, error));
    int needed = options->pool || evaluation->corpus.labels == FILM_LABELS_CATEGORIES ||
                 evaluation->decide_by_knn;
    if (needed)
        TRY(need_vectors(answers->model, options->against ? evaluation->names[0] : NULL, error));
    if (evaluation->decide_by_knn && options->against)
        TRY(need_vectors(options->against, evaluation->names[1], error));
    if (needed || (evaluation_has_pairs(evaluation) && options->k_last &&
                   encoder_has_vectors(&answers->model->encoder)))
        TRY(model_answers_embed(evaluation, answers, error));
done:
    return status;
}

static film_eval_decision decision_used(const struct evaluation *evaluation,
                                        const film_model *model)
{
    if (evaluation->decide_by_knn) return FILM_EVAL_KNN;
    int full = model->decision.full && evaluation->decision != FILM_DECISION_THRESHOLD;
    return full ? FILM_EVAL_FULL : FILM_EVAL_THRESHOLD;
}

static void describe_evaluation(struct evaluation *evaluation, const film_model *model)
{
    film_eval_result *result = &evaluation->result;
    result->rows = evaluation->corpus.rows;
    result->labels = evaluation->corpus.labels;
    result->sentences = evaluation->own;
    result->skipped = evaluation->corpus.skipped;
    result->decision = decision_used(evaluation, model);
    result->prior = evaluation->prior;
    if (evaluation->options->threshold > 0) result->threshold = evaluation->options->threshold;
}

static film_status measure(struct evaluation *evaluation, struct model_answers *answers,
                           film_error *error)
{
    film_status status = FILM_OK;
    describe_evaluation(evaluation, answers->model);
    if (evaluation->corpus.labels == FILM_LABELS_CATEGORIES) {
        TRY(measure_categories(evaluation, answers, error));
        TRY(classes_measure(evaluation, answers->model, error));
    } else {
        TRY(model_answers_pairs(evaluation, answers, error));
        TRY(measure_pairs(evaluation, answers, error));
    }
    if (evaluation->corpus.labels == FILM_LABELS_TRIPLETS)
        TRY(measure_triplets(evaluation, answers, error));
    if (answers->swept) answer_knn(&evaluation->result, &answers->knn, evaluation->options->knn);
    TRY(search_pool(evaluation, answers, error));
done:
    return status;
}

/* Calls LOOK (may be NULL) with a view of the evaluation. */
static film_status show_answers(const struct evaluation *evaluation,
                                const struct model_answers *answers, eval_look look, void *user,
                                film_error *error)
{
    if (!look) return FILM_OK;
    json_t *answer = answer_object(&evaluation->result);
    if (!answer) return status_no_memory(error);
    struct eval_view view = {&evaluation->corpus,
                             evaluation->own,
                             evaluation->a,
                             evaluation->b,
                             evaluation->label,
                             evaluation->pairs,
                             answers->probability,
                             answers->same,
                             answers->swept ? &answers->knn : NULL,
                             evaluation->variant,
                             evaluation->options->pool ? &evaluation->found : NULL,
                             answer,
                             answers->category,
                             answers->winners.category,
                             answers->winners.votes};
    film_status status = look(user, &view, error);
    json_decref(answer);
    return status;
}

/* Fills RESULT, unless it is NULL. */
static film_status evaluate_model(const film_model *model, const char *path,
                                  const film_eval_options *options, eval_look look, void *user,
                                  film_eval_result *result, film_error *error)
{
    film_status status = FILM_OK;
    struct evaluation evaluation = {.options = options, .path = path};
    struct model_answers answers = {.model = model};
    evaluation.bootstrap =
        (struct bootstrap){options->bootstrap, options->seed, options->threads, options->progress};
    evaluation.result = answer_nothing();
    TRY(prepare_answers(&evaluation, &answers, error));
    TRY(answer_init(&evaluation.result,
                    options->k_last ? options->k_last - options->k_first + 1 : 0, error));
    TRY(measure(&evaluation, &answers, error));
    TRY(show_answers(&evaluation, &answers, look, user, error));
    if (result) {
        *result = evaluation.result;
        evaluation.result.owned = NULL;
    }
done:
    answer_free(evaluation.result.owned);
    retrieval_free(&evaluation.found);
    evaluation_free(&evaluation);
    model_answers_free(&answers);
    return status;
}

film_status eval_file(const film_model *model, const char *path, const film_eval_options *options,
                      film_eval_result *result, film_error *error)
{
    return evaluate_model(model, path, options, NULL, NULL, result, error);
}

film_status eval_and_look(const film_model *model, const char *path,
                          const film_eval_options *options, eval_look look, void *user,
                          film_error *error)
{
    return evaluate_model(model, path, options, look, user, NULL, error);
}
