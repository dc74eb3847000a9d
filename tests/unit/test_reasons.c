/* Tests that a limited list of reasons is a prefix of the full list, whatever the weights. */
#include "testing.h"

#include "base/mem.h"
#include "base/rng.h"
#include "pair/reasons.h"

enum { COUNT = 500 };

static void fill(struct match *match, struct rng *rng, uint32_t different)
{
    static char names[COUNT];
    match->reason_count = 0;
    assert_true(mem_grow((void **)&match->reasons, &match->reasons_capacity, COUNT,
                         sizeof *match->reasons));
    while (match->reason_count < COUNT) {
        size_t i = match->reason_count++;
        match->reasons[i] =
            (film_reason){.text = names + i, /* distinguishes reasons of equal order */
                          .side = "\0ab"[rng_below(rng, 3)],
                          .start = rng_below(rng, 4),
                          .other_start = rng_below(rng, 2),
                          .weight = (double)rng_below(rng, different) - 0.5 * different};
    }
}

static void the_strongest_are_the_first_of_all(void **state)
{
    (void)state;
    static film_reason all[COUNT];
    const size_t wanted[] = {1, 2, 3, 10, 100, COUNT - 1, COUNT, COUNT + 1};
    struct match match = {.decision = NULL};
    struct rng rng;
    film_verdict verdict;
    rng_seed(&rng, 5);
    for (uint32_t different = 1; different < 1000; different = 3 * different + 1) { /* ties */
        fill(&match, &rng, different);
        memcpy(all, match.reasons, sizeof all);
        reasons_sort(all, COUNT);
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
            reasons_give(&match, wanted[i], &verdict);
            assert_int_equal(verdict.reason_count, wanted[i] < COUNT ? wanted[i] : COUNT);
            for (size_t r = 0; r < verdict.reason_count; r++)
                assert_ptr_equal(verdict.reasons[r].text, all[r].text);
        }
    }
    match_free(&match);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_strongest_are_the_first_of_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
