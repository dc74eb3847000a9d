/* The result of an evaluation as a struct and as JSON. Nothing is computed here. The order of the
 * keys is part of the interface of film eval --json. */
#include "eval/answer.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "eval/categories.h"
#include "learn/near_misses.h"
#include "eval/classes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The struct ---- */

film_figure *answer_figure(film_eval_result *result, enum measure measure)
{
    film_figure *const places[MEASURES] = {
        [MEASURE_ACCURACY] = &result->accuracy,
        [MEASURE_BEST_ACCURACY] = &result->best_accuracy,
        [MEASURE_LOG_LOSS] = &result->log_loss,
        [MEASURE_F1] = &result->f1,
        [MEASURE_PRECISION] = &result->precision,
        [MEASURE_RECALL] = &result->recall,
        [MEASURE_AUC] = &result->auc,
        [MEASURE_AVERAGE_PRECISION] = &result->average_precision,
        [MEASURE_ECE] = &result->ece,
        [MEASURE_BRIER] = &result->brier,
        [MEASURE_PEARSON] = &result->pearson,
        [MEASURE_SPEARMAN] = &result->spearman,
    };
    return places[measure];
}

film_eval_result answer_nothing(void)
{
    const film_figure none = {NAN, NAN, NAN};
    film_eval_result result = {.size = sizeof result,
                               .prior = NAN,
                               .threshold = NAN,
                               .best_threshold = NAN,
                               .triplet_accuracy = none,
                               .pearson_log_odds = NAN,
                               .category_accuracy = {none, none, none}};
    _Static_assert(CATEGORIES_DEPTHS == 3, "film_eval_result has room for three");
    for (int m = 0; m < MEASURES; m++) *answer_figure(&result, (enum measure)m) = none;
    return result;
}

film_status answer_init(film_eval_result *result, size_t points, film_error *error)
{
    struct answer_owned *owned = NULL;
    *result = answer_nothing();
    if (points <= (SIZE_MAX - sizeof *owned) / sizeof *owned->points)
        owned = mem_zeroed(1, sizeof *owned + points * sizeof *owned->points);
    result->owned = owned;
    return owned ? FILM_OK : status_no_memory(error);
}

void answer_confusion(film_eval_result *result, const float *label, const unsigned char *same,
                      size_t count)
{
    uint64_t *const cell[2][2] = {{&result->true_negatives, &result->false_negatives},
                                  {&result->false_positives, &result->true_positives}};
    for (size_t i = 0; i < count; i++) ++*cell[same[i] != 0][label[i] >= 0.5f];
}

void answer_thresholds(film_eval_result *result, const struct measures *measures, double used)
{
    static const double grid[] = {0.05, 0.1, 0.2, 0.3,  0.4,  0.5, 0.6,
                                  0.7,  0.8, 0.9, 0.95, 0.98, 0.99};
    const size_t steps = sizeof grid / sizeof *grid;
    _Static_assert(sizeof grid / sizeof *grid < ANSWER_THRESHOLDS, "room for one more");
    struct answer_owned *owned = result->owned;
    size_t count = 0;
    int given = 0; /* whether the threshold in use has its row */
    for (size_t step = 0; step <= steps; step++) {
        double next = step < steps ? grid[step] : INFINITY;
        int here = !given && used < next + 5e-4;
        if (here) owned->thresholds[count++] = (film_threshold_point){.threshold = used, .used = 1};
        given |= here;
        if (step < steps && !(here && used > next - 5e-4))
            owned->thresholds[count++] = (film_threshold_point){.threshold = next};
    }
    for (size_t i = 0; i < count; i++) {
        film_threshold_point *point = &owned->thresholds[i];
        struct measures_rates rates = measures_at(measures, point->threshold, result->prior);
        point->precision = rates.precision;
        point->recall = rates.recall;
        point->called_same = rates.called_same;
    }
    result->thresholds = owned->thresholds;
    result->threshold_count = count;
}

void answer_free(struct answer_owned *owned)
{
    if (owned) mem_free(owned->classes);
    mem_free(owned);
}

void answer_knn(film_eval_result *result, const struct knn *knn, film_knn variant)
{
    struct answer_owned *owned = result->owned;
    const struct knn_curve *curve = &knn->curve[variant];
    for (size_t i = 0; i < knn->points; i++) {
        const struct knn_point *point = &curve->points[i];
        owned->points[i] = (film_knn_point){.k = point->k,
                                            .true_positives = point->tp,
                                            .false_positives = point->fp,
                                            .true_negatives = point->tn,
                                            .false_negatives = point->fn,
                                            .cross_entropy = point->cross_entropy,
                                            .accuracy = point->accuracy,
                                            .true_positive_rate = point->tpr,
                                            .true_negative_rate = point->tnr,
                                            .false_positive_rate = point->fpr,
                                            .false_negative_rate = point->fnr};
    }
    result->knn = variant;
    result->knn_points = owned->points;
    result->knn_point_count = knn->points;
    result->best_k = curve->points[curve->best].k;
    result->elbow_k = curve->points[curve->elbow].k;
}

/* ---- JSON ---- */

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* [low, high], or null when there is no interval. */
static json_t *interval(double low, double high)
{
    return isfinite(low) ? json_pack("[f, f]", low, high) : json_null();
}

static void put_interval(json_t *ci, const char *name, const film_figure *figure)
{
    if (isfinite(figure->low)) jsonfile_put(ci, name, interval(figure->low, figure->high));
}

static json_t *operating_object(const film_operating_point *chosen)
{
    const struct operating_point point = {.threshold = chosen->threshold,
                                          .reached = chosen->reached,
                                          .accuracy = chosen->accuracy,
                                          .precision = chosen->precision,
                                          .recall = chosen->recall,
                                          .f1 = chosen->f1,
                                          .low = chosen->low,
                                          .high = chosen->high,
                                          .pairs = (size_t)chosen->pairs};
    json_t *object = decision_threshold_json(&chosen->wanted, &point, chosen->prior);
    if (chosen->near_misses.pairs || chosen->near_misses.labelled)
        jsonfile_put(object, "near_misses", near_misses_json(&chosen->near_misses));
    return object;
}

static json_t *mcnemar_object(const film_comparison *against)
{
    return json_pack(
        "{s:I, s:I, s:s, s:o, s:f}", "b", (json_int_t)against->only_first_right, "c",
        (json_int_t)against->only_second_right, "test",
        against->mcnemar_exact ? "exact binomial" : "chi-square with continuity correction",
        "statistic", number_or_null(against->mcnemar_statistic), "p", against->mcnemar_p);
}

static json_t *difference_object(const film_difference *figure)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "first", number_or_null(figure->first), "second",
                     number_or_null(figure->second), "difference",
                     number_or_null(figure->difference), "ci", interval(figure->low, figure->high));
}

static json_t *against_object(const film_comparison *against, int graded)
{
    const struct {
        const char *name;
        const film_difference *figure;
        int graded;
    } figures[] = {{"accuracy", &against->accuracy, 0},
                   {"log_loss", &against->log_loss, 0},
                   {"f1", &against->f1, 0},
                   {"auc", &against->auc, 0},
                   {"brier", &against->brier, 0},
                   {"pearson", &against->pearson, 1},
                   {"spearman", &against->spearman, 1}};
    json_t *object = json_pack("{s:s, s:s}", "first", against->first, "second", against->second);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (figures[i].graded == graded)
            jsonfile_put(object, figures[i].name, difference_object(figures[i].figure));
    jsonfile_put(object, "mcnemar", graded ? json_null() : mcnemar_object(against));
    jsonfile_put(object, "better",
                 against->better ? json_string(against->better > 0 ? "first" : "second")
                                 : json_null());
    jsonfile_put(object, "sentence", json_string(against->sentence));
    return object;
}

static json_t *point_object(const film_knn_point *point)
{
    return json_pack(
        "{s:I, s:f, s:f, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I}", "k", (json_int_t)point->k,
        "cross_entropy", point->cross_entropy, "accuracy", point->accuracy, "tpr",
        number_or_null(point->true_positive_rate), "tnr", number_or_null(point->true_negative_rate),
        "fpr", number_or_null(point->false_positive_rate), "fnr",
        number_or_null(point->false_negative_rate), "tp", (json_int_t)point->true_positives, "fp",
        (json_int_t)point->false_positives, "tn", (json_int_t)point->true_negatives, "fn",
        (json_int_t)point->false_negatives);
}

static void put_knn(json_t *answer, const film_eval_result *result)
{
    int swept = result->knn_point_count > 0;
    json_t *points = json_array();
    for (size_t i = 0; i < result->knn_point_count; i++)
        jsonfile_append(points, point_object(&result->knn_points[i]));
    jsonfile_put(answer, "knn", points);
    jsonfile_put(answer, "best_k", swept ? json_integer((json_int_t)result->best_k) : json_null());
    jsonfile_put(answer, "elbow_k",
                 swept ? json_integer((json_int_t)result->elbow_k) : json_null());
    jsonfile_put(answer, "knn_variant",
                 swept ? json_string(film_knn_name(result->knn)) : json_null());
}

static void put_decisions(json_t *answer, const film_eval_result *result)
{
    json_t *points = json_array();
    uint64_t decisions = result->true_positives + result->false_positives + result->true_negatives +
                         result->false_negatives;
    for (size_t i = 0; i < result->threshold_count; i++) {
        const film_threshold_point *point = &result->thresholds[i];
        jsonfile_append(points,
                        json_pack("{s:f, s:o, s:o, s:o, s:b}", "threshold", point->threshold,
                                  "precision", number_or_null(point->precision), "recall",
                                  number_or_null(point->recall), "called_same",
                                  number_or_null(point->called_same), "used", point->used));
    }
    jsonfile_put(answer, "confusion",
                 decisions
                     ? json_pack("{s:I, s:I, s:I, s:I}", "tp", (json_int_t)result->true_positives,
                                 "fp", (json_int_t)result->false_positives, "tn",
                                 (json_int_t)result->true_negatives, "fn",
                                 (json_int_t)result->false_negatives)
                     : json_null());
    jsonfile_put(answer, "thresholds", points);
}

static json_t *retrieval_object(const film_retrieval *found)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:I}", "r1", number_or_null(found->recall_1), "r10",
                     number_or_null(found->recall_10), "r36", number_or_null(found->recall_36),
                     "mrr", number_or_null(found->mean_reciprocal_rank), "queries",
                     (json_int_t)found->queries, "pool", (json_int_t)found->pool);
}

/* {"1": share, "5": ..., "10": ...}, and the same for the intervals. */
static void put_categories(json_t *answer, json_t *ci, const film_eval_result *result)
{
    json_t *shares = json_object(), *intervals = json_object();
    for (int d = 0; d < CATEGORIES_DEPTHS; d++) {
        char name[24];
        snprintf(name, sizeof name, "%zu", categories_depth[d]);
        jsonfile_put(shares, name, number_or_null(result->category_accuracy[d].value));
        put_interval(intervals, name, &result->category_accuracy[d]);
    }
    jsonfile_put(answer, "category_accuracy", shares);
    if (json_object_size(intervals)) json_object_set(ci, "category_accuracy", intervals);
    json_decref(intervals);
}

/* Adds what was measured, and how. */
static void put_about(json_t *answer, const film_eval_result *result)
{
    static const char *const kinds[FILM_LABELS_COUNT] = {"auto",   "none",     "pairs",
                                                         "scores", "triplets", "categories"};
    jsonfile_put(answer, "rows", json_integer((json_int_t)result->rows));
    jsonfile_put(answer, "labels", json_string(kinds[result->labels]));
    jsonfile_put(answer, "sentences", json_integer((json_int_t)result->sentences));
    jsonfile_put(answer, "skipped", json_integer((json_int_t)result->skipped));
    jsonfile_put(answer, "decision", json_string(film_eval_decision_name(result->decision)));
    jsonfile_put(answer, "prior", number_or_null(result->prior));
    jsonfile_put(answer, "threshold", number_or_null(result->threshold));
}

json_t *answer_object(const film_eval_result *result)
{
    film_eval_result copy = *result;
    int graded = result->labels == FILM_LABELS_SCORES;
    int categories = result->labels == FILM_LABELS_CATEGORIES;
    json_t *answer = json_object(), *ci = json_object();
    put_about(answer, result);
    for (int m = 0; m < MEASURES; m++) {
        const film_figure *figure = answer_figure(&copy, (enum measure)m);
        jsonfile_put(answer, measure_name((enum measure)m), number_or_null(figure->value));
        put_interval(ci, measure_name((enum measure)m), figure);
    }
    jsonfile_put(answer, "best_threshold", number_or_null(result->best_threshold));
    put_decisions(answer, result);
    jsonfile_put(answer, "triplet_accuracy", number_or_null(result->triplet_accuracy.value));
    put_interval(ci, "triplet_accuracy", &result->triplet_accuracy);
    jsonfile_put(answer, "category_accuracy", json_null());
    if (categories) put_categories(answer, ci, result);
    if (categories) classes_put(answer, result->classes);
    jsonfile_put(answer, "operating",
                 result->operating ? operating_object(result->operating) : json_null());
    jsonfile_put(answer, "against",
                 result->against ? against_object(result->against, graded) : json_null());
    if (!categories)
        jsonfile_put(answer, "pearson_log_odds", number_or_null(result->pearson_log_odds));
    put_knn(answer, result);
    jsonfile_put(answer, "retrieval",
                 result->retrieval ? retrieval_object(result->retrieval) : json_null());
    if (jsonfile_put(answer, "ci", ci) != 0) {
        json_decref(answer);
        answer = NULL;
    }
    return answer;
}
