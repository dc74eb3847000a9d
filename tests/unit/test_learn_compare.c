/* Tests learn_compare: the figures of two models on the same labels. Expected values by numpy. */
#include "testing.h"

#include "pool/learn_compare.h"

#include <math.h>

static void assert_figure(double value, double wanted)
{
    if (fabs(value - wanted) > 1e-9) fail_msg("%.12g is not %.12g", value, wanted);
}

static void the_exact_test_of_mcnemar(void **state)
{
    (void)state;
    assert_figure(learn_mcnemar(30, 10), 0.0022214337732293643);
    assert_figure(learn_mcnemar(0, 5), 0.0625);
    assert_figure(learn_mcnemar(3, 3), 1);
    assert_figure(learn_mcnemar(0, 0), 1);
}

/* In the middle range 2 of 8 pairs are random, so each counts a quarter; above, 4 of 4. */
static void labels_count_by_their_chance_of_being_asked(void **state)
{
    (void)state;
    struct compared_label labels[12] = {{1, 0.5, 1, 1},  {1, 0.5, 0, 1},  {0, 0.5, 1, 1},
                                        {0, 0.5, 1, 1},  {0, 0.5, 0, 1},  {0, 0.5, 0, 1},
                                        {0, 0.5, 1, 0},  {0, 0.5, 0, 0},  {1, 0.95, 1, 1},
                                        {1, 0.95, 1, 1}, {1, 0.95, 1, 1}, {1, 0.95, 1, 0}};
    film_learned out = {.size = sizeof out};
    learn_compare(labels, 12, &out);
    assert_figure(out.old_accuracy, 5.0 / 6);
    assert_figure(out.new_accuracy, 0.75);
    assert_figure(out.difference, -1.0 / 12);
    assert_figure(out.difference_low, -0.4396896888257532);
    assert_figure(out.difference_high, 0.3063563554924198);
    assert_figure(out.new_low, 0.40927543031016883);
    assert_figure(out.new_high, 0.9285207872478909);
    assert_figure(out.p, 1);
    /* Without random pairs all count the same. */
    for (int i = 0; i < 12; i++) labels[i].random = 0;
    learn_compare(labels, 12, &out);
    assert_figure(out.old_accuracy, 8.0 / 12);
    assert_figure(out.new_accuracy, 9.0 / 12);
    learn_compare(labels, 0, &out);
    assert_figure(out.difference_low, -out.difference_high);
    assert_figure(out.p, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_test_of_mcnemar),
        cmocka_unit_test(labels_count_by_their_chance_of_being_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
