/* Two models on the same rows: against itself, swapped, and with a difference of known spread. */
#include "testing.h"
#include "base/rng.h"
#include "eval/against.h"

enum { ROWS = 600 };

static film_error error;
static double probability[2][ROWS];
static unsigned char same[2][ROWS];
static float label[ROWS];

/* Both see the label through noise, the second through more. */
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

static json_t *compare(int first, int second, int graded, size_t resamples)
{
    json_t *out = NULL;
    struct bootstrap bootstrap = {.resamples = resamples, .seed = 3, .threads = 2};
    const struct against_side side[2] = {{"one", probability[first], same[first]},
                                         {"two", probability[second], same[second]}};
    assert_ok(against_compare(side, label, ROWS, graded, &bootstrap, &out, &error));
    return out;
}

static double number(const json_t *object, const char *figure, const char *key)
{
    const json_t *value = json_object_get(json_object_get(object, figure), key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static double bound(const json_t *object, const char *figure, size_t which)
{
    const json_t *interval = json_object_get(json_object_get(object, figure), "ci");
    assert_int_equal(json_array_size(interval), 2);
    return json_number_value(json_array_get(interval, which));
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

static const char *const of_pairs[] = {"accuracy", "f1", "log_loss", "auc", "brier"};
static const char *const of_scores[] = {"pearson", "spearman"};

static void a_model_does_not_differ_from_itself(void **state)
{
    (void)state;
    for (int graded = 0; graded < 2; graded++) {
        make_rows(5, 2, graded);
        json_t *object = compare(1, 1, graded, 200);
        for (int i = 0; i < (graded ? 2 : 5); i++) {
            const char *name = graded ? of_scores[i] : of_pairs[i];
            assert_close(number(object, name, "difference"), 0, 0);
            assert_close(bound(object, name, 0), 0, 0);
            assert_close(bound(object, name, 1), 0, 0);
        }
        if (!graded) assert_close(number(object, "mcnemar", "p"), 1, 0);
        assert_true(json_is_null(json_object_get(object, "better")));
        assert_non_null(strstr(text(object, "sentence"), "no difference can be told"));
        json_decref(object);
    }
}

static void swapping_the_models_turns_the_signs(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        int graded = seed % 2;
        make_rows(seed, 1 + 0.2 * (double)seed, graded);
        json_t *there = compare(0, 1, graded, 100), *back = compare(1, 0, graded, 100);
        for (int i = 0; i < (graded ? 2 : 5); i++) {
            const char *name = graded ? of_scores[i] : of_pairs[i];
            assert_close(number(there, name, "first"), number(back, name, "second"), 0);
            assert_close(number(there, name, "difference"), -number(back, name, "difference"), 0);
            for (size_t side = 0; side < 2; side++)
                assert_close(bound(there, name, side), -bound(back, name, 1 - side), 1e-12);
        }
        if (!graded) {
            assert_close(number(there, "mcnemar", "b"), number(back, "mcnemar", "c"), 0);
            assert_close(number(there, "mcnemar", "p"), number(back, "mcnemar", "p"), 0);
        }
        const char *winner = text(there, "better");
        assert_string_equal(text(back, "better"), strcmp(winner, "first") == 0    ? "second"
                                                  : strcmp(winner, "second") == 0 ? "first"
                                                                                  : "");
        json_decref(there);
        json_decref(back);
    }
}

/* The difference of two shares on the same rows has the variance (b + c - (b - c)^2 / n) / n^2; if
 * the resamples were not the same for both, it would be wider by half. */
static void the_interval_is_that_of_paired_rows(void **state)
{
    (void)state;
    make_rows(9, 2.5, 0);
    json_t *object = compare(0, 1, 0, 2000);
    double b = number(object, "mcnemar", "b"), c = number(object, "mcnemar", "c");
    double spread = sqrt(b + c - (b - c) * (b - c) / ROWS) / ROWS;
    double difference = number(object, "accuracy", "difference");
    assert_close(difference, (b - c) / ROWS, 1e-12);
    assert_close(bound(object, "accuracy", 0), difference - 1.96 * spread, 0.25 * spread);
    assert_close(bound(object, "accuracy", 1), difference + 1.96 * spread, 0.25 * spread);
    assert_string_equal(text(object, "better"), "first");
    assert_non_null(strstr(text(object, "sentence"), "one is better by "));
    json_decref(object);
}

/* Two models of equal worth: in some 5 of 100 files one seems better. */
static void chance_is_seldom_taken_for_a_difference(void **state)
{
    (void)state;
    int told = 0;
    for (uint64_t seed = 100; seed < 200; seed++) {
        make_rows(seed, 1, 0);
        for (int s = 0; s < 2; s++) /* both now err */
            for (int i = 0; i < ROWS; i++) same[s][i] = probability[s][i] >= 0.65;
        json_t *object = compare(0, 1, 0, 200);
        told += !json_is_null(json_object_get(object, "better"));
        json_decref(object);
    }
    assert_in_range(told, 0, 10);
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    make_rows(4, 2, 0);
    struct bootstrap bootstrap = {.resamples = 2, .seed = 3, .threads = 1};
    const struct against_side side[2] = {{"one", probability[0], same[0]},
                                         {"two", probability[1], same[1]}};
    film_status status = FILM_NO_MEMORY;
    json_t *out = NULL;
    long at = 0;
    for (; at < 1000 && status != FILM_OK; at++) {
        fail_allocation(at);
        status = against_compare(side, label, ROWS, 0, &bootstrap, &out, &error);
        fail_allocation(-1);
        assert_true(status == FILM_OK || (status == FILM_NO_MEMORY && !out));
    }
    assert_int_equal(status, FILM_OK);
    assert_true(at > 10);
    json_decref(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_does_not_differ_from_itself),
        cmocka_unit_test(swapping_the_models_turns_the_signs),
        cmocka_unit_test(the_interval_is_that_of_paired_rows),
        cmocka_unit_test(chance_is_seldom_taken_for_a_difference),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests_name("against", tests, NULL, NULL);
}
