/* Tests eval/measures on cases computed by hand. tests/golden compares with scikit-learn. */
#include "testing.h"

#include "base/rng.h"
#include "eval/bootstrap.h"

static film_error error;
enum { ALL = (1 << MEASURES) - 1 };

static void compute(unsigned set, const double *score, const float *label, size_t count,
                    double value[MEASURES], double *threshold)
{
    struct measures measures;
    double ranks[200];
    assert_ok(measures_init(&measures, set, score, label, NULL, count, &error));
    measures_compute(&measures, NULL, ranks, value);
    if (threshold) *threshold = measures_best_threshold(&measures);
    measures_free(&measures);
}

static void figures_of_a_case_done_by_hand(void **state)
{
    (void)state;
    const double score[] = {0.9, 0.8, 0.8, 0.3, 0.6};
    const float label[] = {1, 0, 1, 0, 1};
    double value[MEASURES], threshold;
    compute(ALL, score, label, 5, value, &threshold);
    assert_close(value[MEASURE_ACCURACY], 0.8, 1e-12);
    assert_close(value[MEASURE_BEST_ACCURACY], 0.8, 1e-12);
    assert_close(value[MEASURE_F1], 6.0 / 7, 1e-12);
    /* Positives against negatives: .9 beats both, .8 ties one and beats one, .6 beats one. */
    assert_close(value[MEASURE_AUC], (2 + 1.5 + 1) / 6, 1e-12);
    assert_close(value[MEASURE_AVERAGE_PRECISION], (1.0 + 2.0 / 3 + 3.0 / 4) / 3, 1e-12);
    assert_close(value[MEASURE_LOG_LOSS],
                 -(log(0.9) + log(0.2) + log(0.8) + log(0.7) + log(0.6)) / 5, 1e-12);
    assert_close(value[MEASURE_ECE], (0.1 + 0.6 + 0.3 + 0.4) / 5, 1e-12);
    assert_close(threshold, 0.45, 1e-12);
}

static void one_class_alone_leaves_ranking_undefined(void **state)
{
    (void)state;
    const double score[] = {0.2, 0.7};
    const float same[] = {1, 1}, different[] = {0, 0};
    double value[MEASURES], threshold;
    compute(ALL, score, same, 2, value, &threshold);
    assert_true(isnan(value[MEASURE_AUC]) && isnan(value[MEASURE_PEARSON]));
    assert_close(value[MEASURE_AVERAGE_PRECISION], 1, 0);
    assert_close(value[MEASURE_BEST_ACCURACY], 1, 0);
    assert_close(threshold, 0.2, 0);
    compute(ALL, score, different, 2, value, &threshold);
    assert_true(isnan(value[MEASURE_AVERAGE_PRECISION]) && isnan(value[MEASURE_SPEARMAN]));
    assert_close(value[MEASURE_F1], 0, 0);
    assert_true(threshold > 0.7);
}

static void certain_and_wrong_is_clipped(void **state)
{
    (void)state;
    const double score[] = {0.0, 1.0};
    const float label[] = {1, 0};
    double value[MEASURES];
    compute(ALL, score, label, 2, value, NULL);
    assert_close(value[MEASURE_LOG_LOSS], 34.5, 0.1);
}

static void nothing_outside_the_set_is_given(void **state)
{
    (void)state;
    const double score[] = {1, 2, 3};
    const float label[] = {0, 3, 2};
    double value[MEASURES];
    compute(MEASURES_OF_SCORES, score, label, 3, value, NULL);
    assert_close(value[MEASURE_SPEARMAN], 0.5, 1e-12);
    assert_true(isnan(value[MEASURE_ACCURACY]) && isnan(value[MEASURE_AUC]));
}

/* Resampling rows must give the same as weights, for every measure, and the best threshold the best
 * accuracy. */
static void weights_are_repeated_rows(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 8);
    for (int round = 0; round < 300; round++) {
        double score[30], many[200], ranks[200], expected[MEASURES], got[MEASURES], threshold;
        float label[30], many_label[200];
        uint32_t weight[30], sorted_weight[30];
        size_t count = 1 + rng_below(&rng, 30), total = 0;
        for (size_t i = 0; i < count; i++) {
            score[i] = (double)rng_below(&rng, 9) / 8;
            label[i] = (float)rng_below(&rng, 2);
            weight[i] = (uint32_t)rng_below(&rng, 4);
            for (uint32_t r = 0; r < weight[i]; r++) {
                many[total] = score[i];
                many_label[total++] = label[i];
            }
        }
        if (!total) continue;
        struct measures measures;
        assert_ok(measures_init(&measures, ALL, score, label, NULL, count, &error));
        /* Weights are in sorted order; equal scores keep their order. */
        size_t at = 0;
        for (int s = 0; s < 9; s++)
            for (size_t i = 0; i < count; i++)
                if (score[i] == s / 8.0) sorted_weight[at++] = weight[i];
        measures_compute(&measures, sorted_weight, ranks, got);
        measures_free(&measures);
        compute(ALL, many, many_label, total, expected, &threshold);
        for (int m = 0; m < MEASURES; m++) {
            assert_int_equal(isnan(got[m]), isnan(expected[m]));
            if (!isnan(got[m])) assert_close(got[m], expected[m], 1e-12);
        }
        double right = 0;
        for (size_t i = 0; i < total; i++) right += (many[i] >= threshold) == (many_label[i] == 1);
        assert_close(right / (double)total, expected[MEASURE_BEST_ACCURACY], 1e-12);
    }
}

enum { ROWS = 400 };
static void make_rows(double *score, float *label)
{
    struct rng rng;
    rng_seed(&rng, 77);
    for (int i = 0; i < ROWS; i++) {
        label[i] = (float)rng_below(&rng, 2);
        score[i] = 0.5 * rng_uniform(&rng) + 0.4 * (double)label[i];
    }
}

static void intervals_do_not_depend_on_the_threads_but_on_the_seed(void **state)
{
    (void)state;
    double score[ROWS], first[MEASURES][2], interval[MEASURES][2], value[MEASURES], ranks[ROWS];
    float label[ROWS];
    struct measures measures;
    make_rows(score, label);
    assert_ok(measures_init(&measures, ALL, score, label, NULL, ROWS, &error));
    measures_compute(&measures, NULL, ranks, value);
    struct bootstrap bootstrap = {200, 1, 1, {NULL, NULL}};
    assert_ok(bootstrap_measures(&bootstrap, &measures, first, &error));
    for (int threads = 2; threads <= 4; threads += 2) {
        bootstrap.threads = threads;
        assert_ok(bootstrap_measures(&bootstrap, &measures, interval, &error));
        assert_memory_equal(interval, first, sizeof first);
    }
    bootstrap.seed = 2;
    assert_ok(bootstrap_measures(&bootstrap, &measures, interval, &error));
    assert_memory_not_equal(interval, first, sizeof first);
    for (int m = 0; m < MEASURES; m++)
        if (m != MEASURE_BEST_ACCURACY && m != MEASURE_ECE) /* these two are biased upwards */
            assert_true(first[m][0] <= value[m] && value[m] <= first[m][1]);
    measures_free(&measures);
}

/* The interval of a proportion has a known width: 2 * 1.96 * sqrt(p (1 - p) / n). */
static void the_interval_of_a_share_has_the_right_width(void **state)
{
    (void)state;
    unsigned char right[1000];
    double interval[2];
    for (int i = 0; i < 1000; i++) right[i] = i % 4 == 0;
    struct bootstrap bootstrap = {4000, 3, 2, {NULL, NULL}};
    assert_ok(bootstrap_share(&bootstrap, right, 1000, interval, &error));
    assert_close(interval[1] - interval[0], 2 * 1.96 * sqrt(0.25 * 0.75 / 1000), 0.004);
    bootstrap.resamples = 0;
    assert_ok(bootstrap_share(&bootstrap, right, 1000, interval, &error));
    assert_true(isnan(interval[0]));
}

static film_status everything(const double *score, const float *label)
{
    struct measures measures;
    double interval[MEASURES][2];
    film_status status = measures_init(&measures, ALL, score, label, NULL, ROWS, &error);
    if (status != FILM_OK) return status;
    struct bootstrap bootstrap = {4, 1, 1, {NULL, NULL}};
    status = bootstrap_measures(&bootstrap, &measures, interval, &error);
    measures_free(&measures);
    return status;
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    (void)state;
    double score[ROWS];
    float label[ROWS];
    make_rows(score, label);
    survives_every_failure(everything(score, label));
    assert_true(failures_survived > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_of_a_case_done_by_hand),
        cmocka_unit_test(one_class_alone_leaves_ranking_undefined),
        cmocka_unit_test(certain_and_wrong_is_clipped),
        cmocka_unit_test(nothing_outside_the_set_is_given),
        cmocka_unit_test(weights_are_repeated_rows),
        cmocka_unit_test(intervals_do_not_depend_on_the_threads_but_on_the_seed),
        cmocka_unit_test(the_interval_of_a_share_has_the_right_width),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests_name("measures", tests, NULL, NULL);
}
