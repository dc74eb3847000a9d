/* Tests eval/mcnemar against values of SciPy. */
#include "testing.h"

#include "eval/mcnemar.h"

/* Printed by tests/golden/mcnemar_scipy.py --values. */
static void p_is_that_of_scipy(void **state)
{
    (void)state;
    static const struct {
        size_t b, c;
        int exact;
        double statistic, p;
    } known[] = {
        {0, 0, 1, NAN, 1.0},
        {1, 0, 1, NAN, 1.0},
        {5, 0, 1, NAN, 0.0625},
        {0, 6, 1, NAN, 0.03125},
        {3, 9, 1, NAN, 0.14599609375},
        {10, 10, 1, NAN, 1.0},
        {12, 30, 1, NAN, 0.007915897334896727},
        {94, 360, 1, NAN, 9.737661019449547e-38},
        {400, 600, 1, NAN, 2.728464156065976e-10},
        {499, 501, 1, NAN, 0.9747749818216398},
        {500, 501, 0, 0.0, 1.0},
        {480, 560, 0, 6.000961538461539, 0.014298083798964153},
        {1000, 1200, 0, 18.000454545454545, 2.2085222894420412e-05},
        {5000, 5000, 0, 0.0, 1.0},
        {700, 400, 0, 81.27363636363637, 1.965309225766758e-19},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct mcnemar test = mcnemar_test(known[i].b, known[i].c);
        assert_int_equal(test.b, known[i].b);
        assert_int_equal(test.c, known[i].c);
        assert_int_equal(test.exact, known[i].exact);
        assert_close(test.p, known[i].p, 1e-9 * known[i].p);
        if (test.exact)
            assert_true(isnan(test.statistic));
        else
            assert_close(test.statistic, known[i].statistic, 1e-9);
    }
}

static void the_two_models_may_be_swapped(void **state)
{
    (void)state;
    for (size_t b = 0; b < 60; b++)
        for (size_t c = 0; c < 60; c++) assert_close(mcnemar_test(b, c).p, mcnemar_test(c, b).p, 0);
    assert_close(mcnemar_test(900, 300).p, mcnemar_test(300, 900).p, 0);
}

/* There is no jump where one test replaces the other: one more row for either model moves p down or
 * up. */
static void both_tests_agree_where_they_meet(void **state)
{
    (void)state;
    for (size_t b = 440; b < 500; b += 5) {
        size_t c = MCNEMAR_EXACT_MOST - b;
        assert_true(mcnemar_test(b, c + 1).p < mcnemar_test(b, c).p);
        assert_true(mcnemar_test(b + 1, c).p > mcnemar_test(b, c).p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p_is_that_of_scipy),
        cmocka_unit_test(the_two_models_may_be_swapped),
        cmocka_unit_test(both_tests_agree_where_they_meet),
    };
    return cmocka_run_group_tests_name("mcnemar", tests, NULL, NULL);
}
