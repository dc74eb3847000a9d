/* Writes the figures of an evaluation as JSON; undefined numbers are null. Computes none. */
#include "eval/answer.h"

#include <math.h>

json_t *answer_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *answer_interval(const double interval[2])
{
    return isfinite(interval[0]) ? json_pack("[f, f]", interval[0], interval[1]) : json_null();
}

void answer_measures(json_t *answer, const double value[MEASURES])
{
    for (int m = 0; m < MEASURES; m++)
        json_object_set_new(answer, measure_name((enum measure)m), answer_number(value[m]));
}

void answer_intervals(json_t *ci, const double interval[MEASURES][2])
{
    for (int m = 0; m < MEASURES; m++)
        if (isfinite(interval[m][0]))
            json_object_set_new(ci, measure_name((enum measure)m), answer_interval(interval[m]));
}

static json_t *point_object(const struct knn_point *point)
{
    return json_pack(
        "{s:I, s:f, s:f, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I}", "k", (json_int_t)point->k,
        "cross_entropy", point->cross_entropy, "accuracy", point->accuracy, "tpr",
        answer_number(point->tpr), "tnr", answer_number(point->tnr), "fpr",
        answer_number(point->fpr), "fnr", answer_number(point->fnr), "tp", (json_int_t)point->tp,
        "fp", (json_int_t)point->fp, "tn", (json_int_t)point->tn, "fn", (json_int_t)point->fn);
}

void answer_knn(json_t *answer, const struct knn *knn, enum knn_variant variant)
{
    json_t *points = json_array(), *best = json_null(), *elbow = json_null();
    if (knn) {
        const struct knn_curve *curve = &knn->curve[variant];
        for (size_t i = 0; i < knn->points; i++)
            json_array_append_new(points, point_object(&curve->points[i]));
        best = json_integer((json_int_t)curve->points[curve->best].k);
        elbow = json_integer((json_int_t)curve->points[curve->elbow].k);
    }
    json_object_set_new(answer, "knn", points);
    json_object_set_new(answer, "best_k", best);
    json_object_set_new(answer, "elbow_k", elbow);
    json_object_set_new(answer, "knn_variant",
                        knn ? json_string(knn_variant_name(variant)) : json_null());
}

json_t *answer_operating(const film_operating *wanted, const struct operating_point *point)
{
    int has_target = wanted->criterion == FILM_PRECISION || wanted->criterion == FILM_RECALL;
    return json_pack(
        "{s:s, s:o, s:f, s:b, s:f, s:o, s:o, s:f}", "criterion", operating_name(wanted->criterion),
        "target", answer_number(has_target ? wanted->target : NAN), "threshold", point->threshold,
        "reached", point->reached, "accuracy", point->accuracy, "precision",
        answer_number(point->precision), "recall", answer_number(point->recall), "f1", point->f1);
}

json_t *answer_retrieval(const struct retrieval *retrieval)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:I}", "r1", answer_number(retrieval->r1), "r10",
                     answer_number(retrieval->r10), "r36", answer_number(retrieval->r36), "mrr",
                     answer_number(retrieval->mrr), "queries", (json_int_t)retrieval->queries,
                     "pool", (json_int_t)retrieval->pool);
}
