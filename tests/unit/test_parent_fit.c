/* Tests learn/parent_fit: the weight of the model that training began from, on simulated pairs. */
#include "testing.h"

#include "base/rng.h"
#include "learn/parent_fit.h"

static film_error error;

enum { N = 2000 };
static float margin[N], score[N], target[N];

/* Log-odds = OWN * a normal number + OTHER * another; both are given, as margin and as score. */
static void simulate(double own, double other, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    for (int i = 0; i < N; i++) {
        margin[i] = (float)rng_normal(&rng);
        score[i] = (float)rng_normal(&rng);
        double p = calibrate_probability(own * (double)margin[i] + other * (double)score[i]);
        target[i] = rng_uniform(&rng) < p;
    }
}

static double weight_of(size_t count, double unit)
{
    struct parent_pairs pairs = {margin, score, target, count};
    double weight = -1;
    assert_ok(parent_weigh(&pairs, unit, &weight, &error));
    return weight;
}

static void the_weight_is_that_of_the_labels(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        simulate(2, 2, seed);
        assert_in_range(weight_of(N, 1) * 100, 75, 150);
        simulate(3, 0.75, seed);
        assert_in_range(weight_of(N, 1) * 1000, 125, 500);
        /* In other units of the margin the relation is the same. */
        for (int i = 0; i < N; i++) margin[i] /= 16;
        assert_in_range(weight_of(N, 1.0 / 16) * 16000, 125, 500);
    }
}

static void a_useless_model_has_no_weight(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        simulate(2, 0, seed);
        assert_true(weight_of(N, 1) <= 0.125);
        simulate(2, -1, seed); /* it contradicts the labels */
        assert_true(weight_of(N, 1) == 0);
    }
}

/* The prior alone decides without labels, nearly alone with ten, and not at all with 2,000. */
static void the_prior_fades(void **state)
{
    (void)state;
    simulate(2, -1, 1);
    assert_true(weight_of(0, 1) == PARENT_USUAL);
    assert_true(weight_of(9, 1) == PARENT_USUAL); /* too few of one label */
    size_t positive[20] = {0};
    for (int seed = 0; seed < 20; seed++) {
        simulate(2, 0, (uint64_t)seed + 10);
        positive[seed] = weight_of(30, 1) > 0;
    }
    size_t kept = 0;
    for (int seed = 0; seed < 20; seed++) kept += positive[seed];
    assert_true(kept >= 15); /* 30 labels cannot show that it is useless */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_weight_is_that_of_the_labels),
        cmocka_unit_test(a_useless_model_has_no_weight),
        cmocka_unit_test(the_prior_fades),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
