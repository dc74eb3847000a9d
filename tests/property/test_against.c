/* Tests two models on the same rows: a model against itself, swapped, and with a known
 * difference. */
#include "testing.h"
#include "base/rng.h"
#include "eval/against.h"

enum { ROWS = 600 };

static film_error error;
static double probability[2][ROWS];
static unsigned char same[2][ROWS];
static float label[ROWS];

/* Both see the label through noise, the second through more noise. */
static void make_rows(uint64_t seed, double noise, int graded)
{
    struct rng rng;
    rng_seed(&rng, seed);
    for (int i = 0; i < ROWS; i++) {
        label[i] = graded ? (float)rng_uniform(&rng) * 5 : (float)rng_below(&rng, 2);
        double truth = graded ? (double)label[i] / 5 : (double)label[i];
        for (int s = 0; s < 2; s++) {
            double width = s ? noise : 1;
            probability[s][i] = (truth + width * rng_uniform(&rng)) / (1 + width);
            same[s][i] = probability[s][i] >= 0.5;
        }
    }
}

/* A comparison with its sentence. */
struct compared {
    film_comparison figures;
    char sentence[AGAINST_SENTENCE];
};

static struct compared compare(int first, int second, int graded, size_t resamples)
{
    static struct compared out; /* static, because a pointer to the sentence is returned */
    struct bootstrap bootstrap = {.resamples = resamples, .seed = 3, .threads = 2};
    const struct against_side side[2] = {{"one", probability[first], same[first]},
                                         {"two", probability[second], same[second]}};
    assert_ok(against_compare(side, &(struct against_rows){label, ROWS, graded}, &bootstrap,
                              &out.figures, out.sentence, &error));
    assert_ptr_equal(out.figures.sentence, out.sentence);
    return out;
}

/* The differences that exist for this kind of labels are numbers, the others are not. */
static size_t figures_of(const film_comparison *found, int graded, const film_difference *out[5])
{
    const film_difference *pairs[] = {&found->accuracy, &found->f1, &found->log_loss, &found->auc,
                                      &found->brier};
    const film_difference *scores[] = {&found->pearson, &found->spearman};
    const film_difference *const *other = graded ? pairs : scores;
    for (int i = 0; i < (graded ? 5 : 2); i++)
        assert_true(isnan(other[i]->first) && isnan(other[i]->difference) && isnan(other[i]->low));
    memcpy(out, graded ? scores : pairs, graded ? sizeof scores : sizeof pairs);
    return graded ? 2 : 5;
}

static void a_model_does_not_differ_from_itself(void **state)
{
    (void)state;
    for (int graded = 0; graded < 2; graded++) {
        make_rows(5, 2, graded);
        struct compared found = compare(1, 1, graded, 200);
        const film_difference *figures[5];
        size_t count = figures_of(&found.figures, graded, figures);
        for (size_t i = 0; i < count; i++) {
            assert_close(figures[i]->difference, 0, 0);
            assert_close(figures[i]->low, 0, 0);
            assert_close(figures[i]->high, 0, 0);
        }
        if (graded)
            assert_true(isnan(found.figures.mcnemar_p));
        else
            assert_close(found.figures.mcnemar_p, 1, 0);
        assert_int_equal(found.figures.better, 0);
        assert_non_null(strstr(found.sentence, "no significant difference"));
    }
}

static void swapping_the_models_turns_the_signs(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        int graded = seed % 2;
        make_rows(seed, 1 + 0.2 * (double)seed, graded);
        struct compared there = compare(0, 1, graded, 100), back = compare(1, 0, graded, 100);
        const film_difference *forth[5], *reversed[5];
        size_t count = figures_of(&there.figures, graded, forth);
        figures_of(&back.figures, graded, reversed);
        for (size_t i = 0; i < count; i++) {
            assert_close(forth[i]->first, reversed[i]->second, 0);
            assert_close(forth[i]->difference, -reversed[i]->difference, 0);
            assert_close(forth[i]->low, -reversed[i]->high, 1e-12);
            assert_close(forth[i]->high, -reversed[i]->low, 1e-12);
        }
        if (!graded) {
            assert_int_equal(there.figures.only_first_right, back.figures.only_second_right);
            assert_close(there.figures.mcnemar_p, back.figures.mcnemar_p, 0);
        }
        assert_int_equal(there.figures.better, -back.figures.better);
    }
}

/* The difference of two proportions on the same rows has the variance (b + c - (b - c)^2 / n) /
 * n^2. With different resamples for the two models it would be wider by half. */
static void the_interval_is_that_of_paired_rows(void **state)
{
    (void)state;
    make_rows(9, 2.5, 0);
    struct compared found = compare(0, 1, 0, 2000);
    const film_difference *accuracy = &found.figures.accuracy;
    double b = (double)found.figures.only_first_right, c = (double)found.figures.only_second_right;
    double spread = sqrt(b + c - (b - c) * (b - c) / ROWS) / ROWS;
    assert_close(accuracy->difference, (b - c) / ROWS, 1e-12);
    assert_close(accuracy->low, accuracy->difference - 1.96 * spread, 0.25 * spread);
    assert_close(accuracy->high, accuracy->difference + 1.96 * spread, 0.25 * spread);
    assert_int_equal(found.figures.better, 1);
    assert_non_null(strstr(found.sentence, "one is better by "));
}

/* Two equally good models: in about 5 of 100 files one seems better. */
static void chance_is_seldom_taken_for_a_difference(void **state)
{
    (void)state;
    int told = 0;
    for (uint64_t seed = 100; seed < 200; seed++) {
        make_rows(seed, 1, 0);
        for (int s = 0; s < 2; s++) /* both make errors */
            for (int i = 0; i < ROWS; i++) same[s][i] = probability[s][i] >= 0.65;
        told += compare(0, 1, 0, 200).figures.better != 0;
    }
    assert_in_range(told, 0, 10);
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    (void)state;
    make_rows(4, 2, 0);
    struct bootstrap bootstrap = {.resamples = 2, .seed = 3, .threads = 1};
    const struct against_side side[2] = {{"one", probability[0], same[0]},
                                         {"two", probability[1], same[1]}};
    struct compared out;
    survives_every_failure(against_compare(side, &(struct against_rows){label, ROWS, 0}, &bootstrap,
                                           &out.figures, out.sentence, &error));
    assert_true(failures_survived > 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_does_not_differ_from_itself),
        cmocka_unit_test(swapping_the_models_turns_the_signs),
        cmocka_unit_test(the_interval_is_that_of_paired_rows),
        cmocka_unit_test(chance_is_seldom_taken_for_a_difference),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests_name("against", tests, NULL, NULL);
}
