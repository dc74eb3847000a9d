/* Tests base/topk against sorting. */
#include "testing.h"

#include "base/rng.h"
#include "base/topk.h"

struct entry {
    float score;
    uint32_t id;
};

static int better_first(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static void it_keeps_what_sorting_puts_first(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 5);
    for (int round = 0; round < 2000; round++) {
        struct entry all[60];
        float score[20];
        uint32_t id[20];
        size_t count = rng_below(&rng, 60), limit = rng_below(&rng, 20);
        struct topk top = topk_over(score, id, limit);
        for (size_t i = 0; i < count; i++) { /* few distinct scores: many ties */
            all[i] = (struct entry){(float)rng_below(&rng, 6) - 2, (uint32_t)i};
            struct entry *other = &all[rng_below(&rng, i + 1)], swap = all[i];
            all[i] = *other;
            *other = swap;
        }
        for (size_t i = 0; i < count; i++) topk_offer(&top, all[i].score, all[i].id);
        topk_finish(&top);
        qsort(all, count, sizeof *all, better_first);
        assert_int_equal(top.count, count < limit ? count : limit);
        for (size_t i = 0; i < top.count; i++) {
            assert_int_equal(id[i], all[i].id);
            assert_true(score[i] == all[i].score);
        }
    }
}

static void equal_scores_keep_the_lower_ids(void **state)
{
    (void)state;
    float score[3];
    uint32_t id[3];
    struct topk top = topk_over(score, id, 3);
    for (uint32_t i = 10; i-- > 0;) topk_offer(&top, 1.0f, i);
    topk_finish(&top);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(id[i], i);
}

static void a_limit_of_zero_keeps_nothing(void **state)
{
    (void)state;
    struct topk top = topk_over(NULL, NULL, 0);
    topk_offer(&top, 1.0f, 1);
    topk_finish(&top);
    assert_int_equal(top.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_keeps_what_sorting_puts_first),
        cmocka_unit_test(equal_scores_keep_the_lower_ids),
        cmocka_unit_test(a_limit_of_zero_keeps_nothing),
    };
    return cmocka_run_group_tests_name("topk", tests, NULL, NULL);
}
