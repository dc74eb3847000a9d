/* Tests base/topk and sort_array against sorting by the definition. */
#include "testing.h"

#include "base/mem.h"
#include "base/rng.h"
#include "base/sort.h"
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

struct item {
    uint8_t key, order[2], more[8];
};

static int by_key(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    return a->key - b->key;
}

static void *refuse(void *user, size_t size)
{
    (void)user, (void)size;
    return NULL;
}

/* Few keys: nearly all elements have equals. ROOM: whether there is memory. */
static void sorts_stably(size_t count, int room, struct rng *rng)
{
    film_allocator none = {.allocate = refuse};
    struct item *items = test_calloc(count, sizeof *items);
    for (size_t i = 0; i < count; i++)
        items[i] = (struct item){.key = (uint8_t)rng_below(rng, 5),
                                 .order = {(uint8_t)(i >> 8), (uint8_t)i}};
    if (!room) film_set_allocator(&none);
    sort_array(items, count, sizeof *items, by_key);
    if (!room) film_set_allocator(NULL);
    for (size_t i = 1; i < count; i++)
        assert_true(memcmp(&items[i - 1], &items[i], 3) < 0); /* key, then the order before */
    test_free(items);
}

static void equal_elements_stay_in_order_with_and_without_memory(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 6);
    for (size_t count = 0; count < 300; count++)
        for (int room = 0; room < 2; room++) sorts_stably(count, room, &rng);
    sorts_stably(20000, 0, &rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_keeps_what_sorting_puts_first),
        cmocka_unit_test(equal_scores_keep_the_lower_ids),
        cmocka_unit_test(a_limit_of_zero_keeps_nothing),
        cmocka_unit_test(equal_elements_stay_in_order_with_and_without_memory),
    };
    return cmocka_run_group_tests_name("topk", tests, NULL, NULL);
}
