/* In order: read the file (and the pool), embed every distinct sentence once, score the pairs,
 * sweep k, decide, measure, draw intervals, answer again with the second model, search the pool.
 * A second model answers the same rows by the same calls. */
#include "eval/eval.h"
#include "base/mem.h"
#include "eval/against.h"
#include "eval/answer.h"
#include "eval/categories.h"
#include "eval/evaluation.h"
#include "embed/vec.h"
#include "learn/decision_threshold.h"
#include "pair/operating.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NAME: of the model where there are two, or NULL. */
static film_status need_vectors(const film_model *model, const char *name, film_error *error)
{
    return encoder_has_vectors(&model->encoder)
               ? FILM_OK
               : status_set(
                     error, FILM_USAGE,
                     "%s%sa model of features alone has no vectors to search; train one with "
                     "--method svd, film or rank",
                     name ? name : "", name ? ": " : "");
}

/* ---- Figures ---- */

static film_status note_operating(struct evaluation *evaluation, const double *probability,
                                  film_error *error)
{
    const film_operating *wanted = evaluation->options->operating;
    struct operating_point point;
    film_status status = operating_choose(wanted, evaluation->prior, probability, evaluation->label,
                                          NULL, evaluation->pairs, &point, error);
    if (status != FILM_OK) return status;
    json_object_set_new(evaluation->answer, "operating", decision_threshold_json(wanted, &point));
    return FILM_OK;
}

/* The same rows answered by the second model, and both held against each other. */
static film_status compare(struct evaluation *evaluation, const struct model_answers *first,
                           film_error *error)
{
    film_status status = FILM_OK;
    struct model_answers second = {.model = evaluation->options->against};
    json_t *object = NULL;
    if (evaluation->decide_by_knn) TRY(model_answers_embed(evaluation, &second, error));
    TRY(model_answers_pairs(evaluation, &second, error));
    struct against_rows rows = {evaluation->label, evaluation->pairs,
                                !evaluation_has_pairs(evaluation)};
    const struct against_side side[2] = {{evaluation->names[0], first->probability, first->same},
                                         {evaluation->names[1], second.probability, second.same}};
    TRY(against_compare(side, &rows, &evaluation->bootstrap, &object, error));
    json_object_set_new(evaluation->answer, "against", object);
done:
    model_answers_free(&second);
    return status;
}

/* Pearson of the log-odds, whose scale is no probability's. */
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

static film_status measure_pairs(struct evaluation *evaluation, const struct model_answers *answers,
                                 film_error *error)
{
    film_status status = FILM_OK;
    struct measures measures = {0};
    double value[MEASURES], interval[MEASURES][2], threshold = NAN, on_log_odds = NAN;
    int has_pairs = evaluation_has_pairs(evaluation);
    unsigned set = has_pairs ? MEASURES_OF_PAIRS : MEASURES_OF_SCORES;
    double *ranks = mem_array(evaluation->pairs, sizeof *ranks);
    TRY_ALLOC(ranks, error);
    TRY(measures_init(&measures, set, answers->probability, evaluation->label, answers->same,
                      evaluation->pairs, error));
    measures_compute(&measures, NULL, ranks, value);
    if (has_pairs) threshold = measures_best_threshold(&measures);
    TRY(bootstrap_measures(&evaluation->bootstrap, &measures, interval, error));
    answer_measures(evaluation->answer, value);
    answer_intervals(evaluation->ci, (const double(*)[2])interval);
    json_object_set_new(evaluation->answer, "best_threshold", answer_number(threshold));
    if (evaluation->options->operating)
        TRY(note_operating(evaluation, answers->probability, error));
    if (evaluation->options->against) TRY(compare(evaluation, answers, error));
    if (!has_pairs) TRY(correlate_log_odds(evaluation, answers, ranks, &on_log_odds, error));
    json_object_set_new(evaluation->answer, "pearson_log_odds", answer_number(on_log_odds));
done:
    measures_free(&measures);
    mem_free(ranks);
    return status;
}

/* The share of ones and its interval. */
static film_status put_share(struct evaluation *evaluation, const unsigned char *right,
                             size_t count, const char *name, json_t *answer, json_t *ci,
                             film_error *error)
{
    double interval[2], sum = 0;
    film_status status = bootstrap_share(&evaluation->bootstrap, right, count, interval, error);
    if (status != FILM_OK) return status;
    for (size_t i = 0; i < count; i++) sum += right[i];
    json_object_set_new(answer, name, answer_number(count ? sum / (double)count : NAN));
    if (isfinite(interval[0])) json_object_set_new(ci, name, answer_interval(interval));
    return FILM_OK;
}

/* The similar one must score higher: equal scores are wrong. */
static film_status measure_triplets(struct evaluation *evaluation,
                                    const struct model_answers *answers, film_error *error)
{
    size_t count = evaluation->pairs / 2;
    unsigned char *right = mem_array(count, 1);
    if (!right) return status_no_memory(error);
    for (size_t i = 0; i < count; i++)
        right[i] = answers->answered[2 * i].log_odds > answers->answered[2 * i + 1].log_odds;
    film_status status = put_share(evaluation, right, count, "triplet_accuracy", evaluation->answer,
                                   evaluation->ci, error);
    mem_free(right);
    return status;
}

static film_status measure_categories(struct evaluation *evaluation,
                                      const struct model_answers *answers, film_error *error)
{
    film_status status = FILM_OK;
    const struct corpus *corpus = &evaluation->corpus;
    struct flat_share own = model_answers_vectors(evaluation, answers, evaluation->own_here);
    unsigned char *right[CATEGORIES_DEPTHS] = {NULL};
    json_t *shares = json_object(), *intervals = json_object();
    uint32_t *category = mem_array(evaluation->own, sizeof *category);
    TRY_ALLOC(category && shares && intervals, error);
    json_object_set(evaluation->answer, "category_accuracy", shares);
    for (size_t i = corpus->rows; i-- > 0;) /* a sentence of several counts for its first */
        category[corpus->a[i]] = corpus->category[i];
    for (int d = 0; d < CATEGORIES_DEPTHS; d++)
        TRY_ALLOC(right[d] = mem_array(evaluation->own, 1), error);
    TRY(categories_vote(&own, category, evaluation->options->threads,
                        &evaluation->options->progress, right, error));
    for (int d = 0; d < CATEGORIES_DEPTHS; d++) {
        char name[24];
        snprintf(name, sizeof name, "%zu", categories_depth[d]);
        TRY(put_share(evaluation, right[d], evaluation->own, name, shares, intervals, error));
    }
    if (json_object_size(intervals))
        json_object_set(evaluation->ci, "category_accuracy", intervals);
done:
    for (int d = 0; d < CATEGORIES_DEPTHS; d++) mem_free(right[d]);
    mem_free(category);
    json_decref(shares);
    json_decref(intervals);
    return status;
}

static film_status search_pool(struct evaluation *evaluation, const struct model_answers *answers,
                               struct retrieval *found, film_error *error)
{
    film_status status = FILM_OK;
    const film_eval_options *options = evaluation->options;
    struct flat_share pool =
        model_answers_vectors(evaluation, answers, evaluation->corpus.sentences.count);
    if (!options->pool) {
        json_object_set_new(evaluation->answer, "retrieval", json_null());
        return FILM_OK;
    }
    struct labelled_ids pairs = {evaluation->a, evaluation->b, evaluation->label,
                                 evaluation->pairs};
    TRY(retrieval_measure(found, &pool, &pairs, options->pool_queries, options->threads,
                          &options->progress, error));
    json_object_set_new(evaluation->answer, "retrieval", answer_retrieval(found));
done:
    return status;
}

/* ---- All of it ---- */

static film_status prepare(struct evaluation *evaluation, struct model_answers *answers,
                           film_error *error)
{
    film_status status = FILM_OK;
    const film_eval_options *options = evaluation->options;
    const film_model *model = answers->model;
    TRY(request_check(evaluation, error));
    TRY(evaluation_read(evaluation, error));
    TRY(request_prior(evaluation, error));
    int needed = options->pool || evaluation->corpus.labels == FILM_LABELS_CATEGORIES ||
                 evaluation->decide_by_knn;
    if (needed) TRY(need_vectors(model, options->against ? evaluation->names[0] : NULL, error));
    if (evaluation->decide_by_knn && options->against)
        TRY(need_vectors(options->against, evaluation->names[1], error));
    if (needed || (evaluation_has_pairs(evaluation) && options->k_last &&
                   encoder_has_vectors(&model->encoder)))
        TRY(model_answers_embed(evaluation, answers, error));
done:
    return status;
}

static const char *decision_name(const struct evaluation *evaluation, const film_model *model)
{
    if (evaluation->decide_by_knn) return "knn";
    return model->decision.full && evaluation->decision != FILM_DECISION_THRESHOLD ? "full"
                                                                                   : "threshold";
}

static void describe(struct evaluation *evaluation, const film_model *model)
{
    static const char *const kinds[FILM_LABELS_COUNT] = {"auto",   "none",     "pairs",
                                                         "scores", "triplets", "categories"};
    double nothing[MEASURES];
    for (int m = 0; m < MEASURES; m++) nothing[m] = NAN;
    json_object_set_new(evaluation->answer, "rows",
                        json_integer((json_int_t)evaluation->corpus.rows));
    json_object_set_new(evaluation->answer, "labels",
                        json_string(kinds[evaluation->corpus.labels]));
    json_object_set_new(evaluation->answer, "sentences", json_integer(evaluation->own));
    json_object_set_new(evaluation->answer, "skipped",
                        json_integer((json_int_t)evaluation->corpus.skipped));
    json_object_set_new(evaluation->answer, "decision",
                        json_string(decision_name(evaluation, model)));
    json_object_set_new(evaluation->answer, "prior", json_real(evaluation->prior));
    json_object_set_new(
        evaluation->answer, "threshold",
        answer_number(evaluation->options->threshold > 0 ? evaluation->options->threshold : NAN));
    answer_measures(evaluation->answer, nothing); /* a place for each, in this order */
    json_object_set_new(evaluation->answer, "best_threshold", json_null());
    json_object_set_new(evaluation->answer, "triplet_accuracy", json_null());
    json_object_set_new(evaluation->answer, "category_accuracy", json_null());
    json_object_set_new(evaluation->answer, "operating", json_null());
    json_object_set_new(evaluation->answer, "against", json_null());
}

static film_status measure(struct evaluation *evaluation, struct model_answers *answers,
                           struct retrieval *found, film_error *error)
{
    film_status status = FILM_OK;
    describe(evaluation, answers->model);
    if (evaluation->corpus.labels == FILM_LABELS_CATEGORIES) {
        TRY(measure_categories(evaluation, answers, error));
    } else {
        TRY(model_answers_pairs(evaluation, answers, error));
        TRY(measure_pairs(evaluation, answers, error));
    }
    if (evaluation->corpus.labels == FILM_LABELS_TRIPLETS)
        TRY(measure_triplets(evaluation, answers, error));
    answer_knn(evaluation->answer, answers->swept ? &answers->knn : NULL, evaluation->variant);
    TRY(search_pool(evaluation, answers, found, error));
    json_object_set(evaluation->answer, "ci", evaluation->ci);
done:
    return status;
}

static struct eval_view view_of(const struct evaluation *evaluation,
                                const struct model_answers *answers, const struct retrieval *found)
{
    return (struct eval_view){.corpus = &evaluation->corpus,
                              .own = evaluation->own,
                              .a = evaluation->a,
                              .b = evaluation->b,
                              .label = evaluation->label,
                              .pairs = evaluation->pairs,
                              .probability = answers->probability,
                              .same = answers->same,
                              .knn = answers->swept ? &answers->knn : NULL,
                              .variant = evaluation->variant,
                              .retrieval = evaluation->options->pool ? found : NULL,
                              .answer = evaluation->answer};
}

/* *TEXT (may be NULL) is the answer, LOOK (may be NULL) is shown it all. */
static film_status evaluate(const film_model *model, const char *path,
                            const film_eval_options *options, eval_look look, void *user,
                            char **text, film_error *error)
{
    film_status status = FILM_OK;
    struct evaluation evaluation = {
        .options = options, .path = path, .comm = comm_of(options->job)};
    struct model_answers answers = {.model = model};
    struct retrieval found = {0};
    char *printed = NULL;
    /* The figures are the first process's; without intervals they cost the others nothing. */
    evaluation.bootstrap = (struct bootstrap){evaluation.comm->rank == 0 ? options->bootstrap : 0,
                                              options->seed, options->threads, options->progress};
    TRY_ALLOC((evaluation.answer = json_object()) && (evaluation.ci = json_object()), error);
    TRY(prepare(&evaluation, &answers, error));
    TRY(measure(&evaluation, &answers, &found, error));
    if (look) {
        struct eval_view view = view_of(&evaluation, &answers, &found);
        TRY(look(user, &view, error));
    }
    if (text) {
        TRY_ALLOC(printed = json_dumps(evaluation.answer, JSON_REAL_PRECISION(12)), error);
        TRY_ALLOC(*text = mem_string(printed, strlen(printed)), error);
    }
done:
    free(printed);
    json_decref(evaluation.answer);
    json_decref(evaluation.ci);
    evaluation_free(&evaluation);
    retrieval_free(&found);
    model_answers_free(&answers);
    return status;
}

film_status eval_file(const film_model *model, const char *path, const film_eval_options *options,
                      char **json, film_error *error)
{
    *json = NULL;
    return evaluate(model, path, options, NULL, NULL, json, error);
}

film_status eval_and_look(const film_model *model, const char *path,
                          const film_eval_options *options, eval_look look, void *user,
                          film_error *error)
{
    return evaluate(model, path, options, look, user, NULL, error);
}
