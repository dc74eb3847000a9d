/* Tests learn/parent_fit: the weight of the model that training began from, on simulated pairs; and
 * the scores of pairs that repeat and share sentences (learn/labels). */
#include "faq_model.h"

#include "learn/parent_fit.h"

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

/* Equal pairs are scored once and in another order: each must have the verdict of its own. */
static void scores_are_those_of_single_pairs(void **state)
{
    (void)state;
    enum { COUNT = 400, SENTENCES = 24 };
    static uint32_t a[COUNT], b[COUNT];
    static float labels[COUNT], margins[COUNT], similarity[COUNT];
    struct labelled_pairs pairs = {.a = a, .b = b, .target = labels, .count = COUNT};
    const char *path = scratch("scored.tsv");
    film_table_options table = {.size = sizeof table};
    film_progress progress = {0};
    struct corpus corpus = {0};
    struct match match;
    struct rng rng;
    film_model *model = faq_shared();
    faq_sample(path);
    assert_ok(corpus_read(&corpus, &path, 1, &table, &progress, &error));
    unlink(path);
    rng_seed(&rng, 5);
    for (int i = 0; i < COUNT; i++) {
        a[i] = (uint32_t)rng_below(&rng, SENTENCES);
        b[i] = (uint32_t)rng_below(&rng, SENTENCES);
    }
    struct labels_scorer scorer = {&model->decision, {.full = 1, .memory = 1}, 2, similarity};
    assert_ok(labels_score(&corpus, &pairs, &scorer, margins, &error));
    assert_ok(match_init(&match, &model->decision, &scorer.rule, &error));
    for (int i = 0; i < COUNT; i++) {
        film_verdict one;
        assert_ok(match_score(&match, strtab_get(&corpus.sentences, a[i]),
                              strtab_get(&corpus.sentences, b[i]), &one, &error));
        assert_true(margins[i] == (float)one.log_odds);
        assert_true(similarity[i] == (float)one.similarity);
    }
    match_free(&match);
    corpus_free(&corpus);
    film_close(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_single_pairs),
        cmocka_unit_test(the_weight_is_that_of_the_labels),
        cmocka_unit_test(a_useless_model_has_no_weight),
        cmocka_unit_test(the_prior_fades),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
