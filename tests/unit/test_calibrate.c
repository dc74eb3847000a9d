/* Tests pair/calibrate: the fit against its gradient, the threshold against trying all. */
#include "testing.h"

#include "base/rng.h"
#include "learn/calibrate_fit.h"

static film_error error;

static void the_line_is_where_the_gradient_vanishes(void **state)
{
    (void)state;
    enum { N = 4000 };
    static float x[N], target[N];
    struct rng rng;
    rng_seed(&rng, 3);
    double positives = 0;
    for (int i = 0; i < N; i++) {
        x[i] = (float)rng_uniform(&rng);
        double p = calibrate_probability(6 * (double)x[i] - 1); /* true line, unbalanced classes */
        target[i] = rng_uniform(&rng) < p;
        positives += (double)target[i];
    }
    struct calibration line;
    assert_ok(calibrate_fit(x, target, N, &line, &error));
    /* Finite differences of the class-balanced loss, computed here. */
    double loss[3][2];
    for (int which = 0; which < 2; which++)
        for (int step = 0; step < 3; step++) {
            double h = (step - 1) * 1e-4, total = 0;
            double scale = line.scale + (which == 0 ? h : 0),
                   bias = line.bias + (which == 1 ? h : 0);
            for (int i = 0; i < N; i++) {
                double p = calibrate_probability(scale * (double)x[i] + bias);
                total -= target[i] > 0.5f ? 0.5 / positives * log(p)
                                          : 0.5 / (N - positives) * log(1 - p);
            }
            loss[step][which] = total;
        }
    for (int which = 0; which < 2; which++) {
        assert_close((loss[2][which] - loss[0][which]) / 2e-4, 0, 1e-5);
        assert_true(loss[1][which] <= loss[0][which] + 1e-9);
        assert_true(loss[1][which] <= loss[2][which] + 1e-9);
    }
}

/* The class-balanced loss of a line with an offset, computed here. */
static double loss_beside(const float *x, const float *offset, const float *target, size_t count,
                          double scale, double bias)
{
    double positives = 0, total = 0;
    for (size_t i = 0; i < count; i++) positives += (double)target[i];
    for (size_t i = 0; i < count; i++) {
        double p = calibrate_probability(scale * (double)x[i] + bias + (double)offset[i]);
        total -= target[i] > 0.5f ? 0.5 / positives * log(p)
                                  : 0.5 / ((double)count - positives) * log(1 - p);
    }
    return total;
}

static void beside_an_offset_the_line_fits_what_it_leaves_open(void **state)
{
    (void)state;
    enum { N = 4000 };
    static float x[N], target[N], offset[N];
    struct rng rng;
    struct calibration beside, alone, again;
    rng_seed(&rng, 4);
    for (int i = 0; i < N; i++) {
        x[i] = (float)rng_uniform(&rng);
        offset[i] = i % 3 ? 0 : i % 2 ? 2.0f : -2.0f; /* a third of the pairs is in memory */
        double p = calibrate_probability(5 * (double)x[i] - 2.5 + (double)offset[i]);
        target[i] = rng_uniform(&rng) < p;
    }
    assert_ok(calibrate_fit_beside(x, offset, target, N, &beside, &error));
    for (int which = 0; which < 2; which++) { /* the gradient vanishes */
        double h = 1e-4, scale = which ? 0 : h, bias = which ? h : 0;
        double less = loss_beside(x, offset, target, N, beside.scale - scale, beside.bias - bias);
        double more = loss_beside(x, offset, target, N, beside.scale + scale, beside.bias + bias);
        assert_close((more - less) / (2 * h), 0, 1e-5);
    }
    assert_close(beside.scale, 5, 0.5); /* the line the labels were drawn from */
    assert_close(beside.bias, -2.5, 0.35);
    assert_ok(calibrate_fit(x, target, N, &alone, &error));
    assert_true(alone.scale < beside.scale - 0.3);    /* without it the offset is noise */
    assert_true(alone.threshold == beside.threshold); /* which ignores the offset */
    assert_ok(calibrate_fit_beside(x, NULL, target, N, &again, &error));
    assert_memory_equal(&again, &alone, sizeof alone);
    for (int i = 0; i < N; i++) offset[i] = 0;
    assert_ok(calibrate_fit_beside(x, offset, target, N, &again, &error));
    assert_memory_equal(&again, &alone, sizeof alone);
    for (int i = 0; i < N; i++) offset[i] = 1.5f; /* the same for all: a bias */
    assert_ok(calibrate_fit_beside(x, offset, target, N, &again, &error));
    assert_close(again.scale, alone.scale, 1e-6);
    assert_close(again.bias, alone.bias - 1.5, 1e-6);
}

static void a_decisive_offset_leaves_the_line_finite(void **state)
{
    (void)state;
    float x[4] = {0.1f, 0.9f, 0.2f, 0.8f}, target[4] = {0, 0, 1, 1};
    float offset[4] = {-50, -50, 50, 50}, wrong[4] = {50, 50, -50, -50};
    struct calibration line;
    assert_ok(calibrate_fit_beside(x, offset, target, 4, &line, &error));
    assert_true(isfinite(line.scale) && isfinite(line.bias) && line.scale > 0);
    assert_ok(calibrate_fit_beside(x, wrong, target, 4, &line, &error));
    assert_true(isfinite(line.scale) && isfinite(line.bias) && line.scale > 0);
}

static void the_threshold_equals_trying_all(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 5);
    for (int round = 0; round < 200; round++) {
        float x[30], target[30];
        size_t n = 2 + rng_below(&rng, 28), positives = 0;
        for (size_t i = 0; i < n; i++) {
            x[i] = (float)rng_below(&rng, 8) / 8; /* many ties */
            target[i] = (float)rng_below(&rng, 2);
            positives += target[i] > 0.5f;
        }
        double threshold, accuracy, best = 0;
        assert_ok(calibrate_threshold(x, target, n, &threshold, &accuracy, &error));
        for (int cut = 0; cut <= 9; cut++) {
            double right = 0, wrong = 0, t = (cut - 0.5) / 8;
            for (size_t i = 0; i < n; i++)
                if ((double)x[i] >= t) *(target[i] > 0.5f ? &right : &wrong) += 1;
            double negatives = (double)(n - positives);
            double value = 0.5 * (positives ? right / (double)positives : 1) +
                           0.5 * (negatives > 0 ? 1 - wrong / negatives : 1);
            best = fmax(best, value);
        }
        assert_close(accuracy, best, 1e-12);
        double right = 0, wrong = 0;
        for (size_t i = 0; i < n; i++)
            if ((double)x[i] >= threshold) *(target[i] > 0.5f ? &right : &wrong) += 1;
        double negatives = (double)(n - positives);
        assert_close(0.5 * (positives ? right / (double)positives : 1) +
                         0.5 * (negatives > 0 ? 1 - wrong / negatives : 1),
                     best, 1e-12);
    }
}

static void extreme_inputs_give_finite_results(void **state)
{
    (void)state;
    struct calibration line;
    float x[4] = {0.1f, 0.2f, 0.8f, 0.9f}, apart[4] = {0, 0, 1, 1}, same[4] = {1, 1, 1, 1};
    assert_ok(calibrate_fit(x, apart, 4, &line, &error)); /* separable */
    assert_true(isfinite(line.scale) && isfinite(line.bias) && line.scale > 0);
    assert_true(line.threshold > 0.2 && line.threshold < 0.8);
    assert_ok(calibrate_fit(x, same, 4, &line, &error)); /* one class */
    assert_true(isfinite(line.scale) && isfinite(line.bias));
    float equal[4] = {0.5f, 0.5f, 0.5f, 0.5f};
    assert_ok(calibrate_fit(equal, apart, 4, &line, &error)); /* no information */
    assert_true(isfinite(line.scale) && isfinite(line.bias));
    assert_close(calibrate_probability(-800), 0, 0);
    assert_close(calibrate_probability(800), 1, 0);
    assert_close(calibrate_probability(0), 0.5, 0);
}

static void the_line_never_falls(void **state)
{
    (void)state;
    float x[4] = {0.1f, 0.2f, 0.8f, 0.9f}, target[4] = {1, 1, 0, 0};
    struct calibration line;
    assert_ok(calibrate_fit(x, target, 4, &line, &error));
    assert_true(line.scale > 0);
    assert_close(line.scale * line.threshold + line.bias, 0, 1e-9);
}

static void without_labels_one_random_pair_in_a_thousand_passes(void **state)
{
    (void)state;
    static float x[20000];
    struct rng rng;
    rng_seed(&rng, 9);
    for (int i = 0; i < 20000; i++) x[i] = (float)rng_uniform(&rng);
    struct calibration line;
    assert_ok(calibrate_blind(x, 20000, &line, &error));
    int passed = 0;
    for (int i = 0; i < 20000; i++) passed += (double)x[i] >= line.threshold;
    assert_in_range(passed, 10, 30);
    assert_close(line.scale * line.threshold + line.bias, 0, 1e-12);
    assert_ok(calibrate_blind(x, 0, &line, &error));
    assert_close(line.threshold, 0.5, 0);
}

static void the_probability_is_that_of_long_doubles_and_rises(void **state)
{
    (void)state;
    double before = 0;
    for (double x = -745; x < 40; x += 0.0011) {
        double p = calibrate_probability(x), wanted = (double)(1 / (1 + expl(-(long double)x)));
        assert_true(fabs(p - wanted) <= 3 * (nextafter(wanted, 2) - wanted));
        assert_true(p >= before);
        before = p;
    }
    assert_true(calibrate_probability(0) == 0.5 && calibrate_probability(HUGE_VAL) == 1 &&
                calibrate_probability(-HUGE_VAL) == 0 && isnan(calibrate_probability(NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_is_where_the_gradient_vanishes),
        cmocka_unit_test(beside_an_offset_the_line_fits_what_it_leaves_open),
        cmocka_unit_test(a_decisive_offset_leaves_the_line_finite),
        cmocka_unit_test(the_threshold_equals_trying_all),
        cmocka_unit_test(extreme_inputs_give_finite_results),
        cmocka_unit_test(the_line_never_falls),
        cmocka_unit_test(without_labels_one_random_pair_in_a_thousand_passes),
        cmocka_unit_test(the_probability_is_that_of_long_doubles_and_rises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
