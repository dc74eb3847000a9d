/* Tests base/union_find against relabelling. */
#include "testing.h"
#include "base/rng.h"
#include "base/union_find.h"

static film_error error;

static void sets_are_named_by_their_smallest_member(void **state)
{
    (void)state;
    struct union_find sets;
    assert_ok(union_find_init(&sets, 6, &error));
    assert_true(union_find_join(&sets, 5, 3));
    assert_true(union_find_join(&sets, 3, 1));
    assert_false(union_find_join(&sets, 1, 5));
    assert_int_equal(union_find_root(&sets, 5), 1);
    assert_int_equal(union_find_root(&sets, 3), 1);
    assert_int_equal(union_find_root(&sets, 4), 4);
    union_find_free(&sets);
    union_find_free(&sets);
}

/* Compares with repeated relabelling. */
static void joins_agree_with_relabelling(void **state)
{
    (void)state;
    enum { N = 300 };
    uint32_t label[N];
    struct union_find sets;
    struct rng rng;
    rng_seed(&rng, 7);
    assert_ok(union_find_init(&sets, N, &error));
    for (uint32_t i = 0; i < N; i++) label[i] = i;
    for (int step = 0; step < 250; step++) {
        uint32_t a = (uint32_t)rng_below(&rng, N), b = (uint32_t)rng_below(&rng, N);
        assert_int_equal(union_find_join(&sets, a, b), label[a] != label[b]);
        uint32_t low = label[a] < label[b] ? label[a] : label[b];
        uint32_t high = label[a] < label[b] ? label[b] : label[a];
        for (uint32_t i = 0; i < N; i++)
            if (label[i] == high) label[i] = low;
    }
    for (uint32_t i = 0; i < N; i++) assert_int_equal(union_find_root(&sets, i), label[i]);
    union_find_free(&sets);
}

static void no_memory_and_too_many_are_reported(void **state)
{
    (void)state;
    struct union_find sets;
    fail_allocation(0);
    assert_int_equal(union_find_init(&sets, 6, &error), FILM_NO_MEMORY);
    fail_allocation(-1);
    assert_int_equal(union_find_init(&sets, (size_t)UINT32_MAX + 1, &error), FILM_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_named_by_their_smallest_member),
        cmocka_unit_test(joins_agree_with_relabelling),
        cmocka_unit_test(no_memory_and_too_many_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
