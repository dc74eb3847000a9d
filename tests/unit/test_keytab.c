/* Tests base/keytab: order, growth, extreme keys. */
#include "testing.h"

#include "base/keytab.h"
#include "base/rng.h"

static film_error error;

/* Distinct keys similar to those of items: a few high bits, small ids below. */
static uint64_t key_at(uint32_t i)
{
    return (uint64_t)(1 + i % 10) << 59 | (uint64_t)(i / 10) << 29 | i % 7;
}

static void build(struct keytab *table, uint32_t count)
{
    uint32_t number;
    assert_ok(keytab_init(table, &error));
    for (uint32_t i = 0; i < count; i++) {
        assert_ok(keytab_add(table, key_at(i), &number, &error));
        assert_int_equal(number, i);
    }
}

static void keys_are_numbered_in_the_order_they_come(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    struct keytab table;
    uint32_t number;
    build(&table, COUNT);
    assert_int_equal(table.count, COUNT);
    assert_true(table.slot_mask + 1 ==
                262144); /* at most three quarters full, 131072 are too few */
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(keytab_find(&table, key_at(i)), i);
        assert_int_equal(keytab_find(&table, key_at(i) + 8), KEYTAB_NONE);
    }
    for (uint32_t i = 0; i < COUNT; i += 97) { /* adding again changes nothing */
        assert_ok(keytab_add(&table, key_at(i), &number, &error));
        assert_int_equal(number, i);
    }
    assert_int_equal(table.count, COUNT);
    keytab_free(&table);
    keytab_free(&table);
}

static void growing_keeps_every_key(void **state)
{
    (void)state;
    struct keytab table;
    uint32_t number;
    assert_ok(keytab_init(&table, &error));
    for (uint32_t i = 0; i < 1200; i++) { /* checked at every size: no resize loses a key */
        assert_ok(keytab_add(&table, key_at(i), &number, &error));
        for (uint32_t j = 0; j <= i; j += 1 + i / 64)
            assert_int_equal(keytab_find(&table, key_at(j)), j);
        assert_int_equal(keytab_find(&table, key_at(i + 1)), KEYTAB_NONE);
        assert_true(4 * (uint64_t)(i + 1) <= 3 * (table.slot_mask + 1));
        if (i == 46) assert_int_equal(table.slot_mask, 63); /* 4 * 47 <= 3 * 63 < 4 * 48 */
        if (i == 47) assert_int_equal(table.slot_mask, 127);
    }
    keytab_free(&table);
}

/* Files store both arrays unchanged, so unused entries must be initialised. */
static void empty_slots_have_number_zero(void **state)
{
    (void)state;
    struct keytab table;
    build(&table, 500);
    size_t empty = 0;
    for (uint64_t slot = 0; slot <= table.slot_mask; slot++) {
        if (table.keys[slot]) continue;
        assert_int_equal(table.number[slot], 0);
        empty++;
    }
    assert_int_equal(empty, table.slot_mask + 1 - 500);
    keytab_free(&table);
}

static void extreme_keys_are_keys_like_any_other(void **state)
{
    (void)state;
    static const uint64_t keys[] = {1, UINT64_MAX, (uint64_t)1 << 63, UINT32_MAX};
    struct keytab table;
    uint32_t number;
    assert_ok(keytab_init(&table, &error));
    for (uint32_t i = 0; i < 4; i++) assert_ok(keytab_add(&table, keys[i], &number, &error));
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(keytab_find(&table, keys[i]), i);
    keytab_free(&table);
}

static void key_zero_is_refused_and_never_found(void **state)
{
    (void)state;
    struct keytab table, nothing = {0};
    uint32_t number = 77;
    build(&table, 20);
    assert_int_equal(keytab_find(&table, 0), KEYTAB_NONE);
    assert_int_equal(keytab_add(&table, 0, &number, &error), FILM_USAGE);
    assert_int_equal(table.count, 20);
    assert_int_equal(keytab_find(&table, 0), KEYTAB_NONE);
    keytab_free(&table);
    assert_int_equal(keytab_find(&nothing, 5), KEYTAB_NONE);
    assert_true(keytab_slot(&nothing, 5) == KEYTAB_NO_SLOT);
}

static void a_mapped_table_equals_the_built_one(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    struct keytab built, mapped;
    struct rng rng;
    rng_seed(&rng, 3);
    build(&built, COUNT);
    uint64_t slots = built.slot_mask + 1;
    uint64_t *keys = malloc(slots * sizeof *keys); /* exact sizes: ASan sees overruns */
    uint32_t *number = malloc(slots * sizeof *number);
    memcpy(keys, built.keys, slots * sizeof *keys);
    memcpy(number, built.number, slots * sizeof *number);
    assert_ok(keytab_map(&mapped, keys, number, slots, COUNT, "model", &error));
    for (uint32_t i = 0; i < 2 * COUNT; i++) {
        uint64_t other = rng_next(&rng), slot = keytab_slot(&mapped, key_at(i));
        assert_true(slot == keytab_slot(&built, key_at(i)));
        assert_int_equal(slot != KEYTAB_NO_SLOT, i < COUNT);
        if (i < COUNT) assert_true(keys[slot] == key_at(i) && number[slot] == i);
        assert_int_equal(keytab_find(&mapped, key_at(i)), i < COUNT ? i : KEYTAB_NONE);
        assert_int_equal(keytab_find(&mapped, other), keytab_find(&built, other));
    }
    keytab_free(&mapped); /* does not free the arrays */
    assert_memory_equal(keys, built.keys, slots * sizeof *keys);
    free(keys);
    free(number);
    keytab_free(&built);
}

/* Values may be stored by slot. Probing from the first slot to the key's meets no empty slot. */
static void keys_have_slots(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    struct keytab built, mapped;
    size_t at_once = 0;
    build(&built, COUNT);
    assert_ok(
        keytab_map(&mapped, built.keys, built.number, built.slot_mask + 1, COUNT, "model", &error));
    for (uint32_t i = 0; i < COUNT; i++) {
        uint64_t first = keytab_first_slot(&mapped, key_at(i)),
                 slot = keytab_slot(&mapped, key_at(i));
        assert_true(first <= mapped.slot_mask && slot <= mapped.slot_mask);
        at_once += first == slot;
        for (uint64_t s = first; s != slot; s = (s + 1) & mapped.slot_mask)
            assert_true(mapped.keys[s] != 0 && mapped.keys[s] != key_at(i));
        assert_true(mapped.keys[slot] == key_at(i));
        assert_true(keytab_slot(&mapped, key_at(i + COUNT)) == KEYTAB_NO_SLOT);
    }
    assert_true(keytab_slot(&mapped, 0) == KEYTAB_NO_SLOT);
    assert_true(at_once > COUNT / 2); /* keys are spread */
    keytab_free(&mapped);
    keytab_free(&built);
}

static void wrong_slot_counts_are_refused(void **state)
{
    (void)state;
    static const uint64_t bad[][2] = {{0, 0}, {7, 1},          {12, 2}, {8, 8},
                                      {8, 9}, {8, UINT64_MAX}, {1, 1},  {UINT64_MAX, 1}};
    uint64_t keys[8] = {0};
    uint32_t number[8] = {0};
    struct keytab table;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(keytab_map(&table, keys, number, bad[i][0], bad[i][1], "x.film", &error),
                         FILM_BAD_INPUT);
        assert_non_null(strstr(error.message, "x.film"));
        assert_int_equal(keytab_find(&table, 5), KEYTAB_NONE); /* empty, not half made */
    }
    assert_int_equal(keytab_map(&table, keys, number, (uint64_t)1 << 40, KEYTAB_NONE, "x", &error),
                     FILM_BAD_INPUT); /* a number must never read as "none" */
    assert_ok(keytab_map(&table, keys, number, 1, 0, "x", &error));
    assert_int_equal(keytab_find(&table, 5), KEYTAB_NONE);
}

static void hostile_arrays_are_walked_once_and_never_believed(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 11);
    for (uint64_t slots = 1; slots <= 1024; slots *= 2) {
        uint64_t *keys = malloc(slots * sizeof *keys);
        uint32_t *number = malloc(slots * sizeof *number);
        struct keytab table;
        for (uint64_t i = 0; i < slots; i++) { /* no empty slot: probing must still end */
            keys[i] = 1 + rng_below(&rng, 2 * slots);
            number[i] = (uint32_t)rng_next(&rng);
        }
        assert_ok(keytab_map(&table, keys, number, slots, slots / 2, "x", &error));
        for (uint64_t key = 0; key < 4 * slots; key++) {
            uint32_t found = keytab_find(&table, key);
            uint64_t slot = keytab_slot(&table, key);
            assert_true(found == KEYTAB_NONE || found < table.count);
            assert_true(slot == KEYTAB_NO_SLOT || (slot < slots && keys[slot] == key));
        }
        for (uint64_t i = 0; i < slots; i++) number[i] = table.count; /* just out of range */
        for (uint64_t key = 0; key < 4 * slots; key++)
            assert_int_equal(keytab_find(&table, key), KEYTAB_NONE);
        free(keys);
        free(number);
    }
}

/* The list of a file: each distance to the key before, minus 1, in 7 bits per byte. */
static void a_list_of_keys_gives_their_order(void **state)
{
    (void)state;
    static const uint64_t keys[] = {1000000, 5, 1, UINT64_MAX - 1, 133, 134};
    static const uint8_t wanted[] = {1, 3, 127, 0, 0xb9, 0x83, 0x3d};
    static const uint32_t order[] = {2, 1, 4, 5, 0, 3};
    struct keytab table, again;
    uint32_t number, numbers[6];
    uint8_t *bytes;
    uint64_t size;
    assert_ok(keytab_init(&table, &error));
    for (size_t i = 0; i < 6; i++) assert_ok(keytab_add(&table, keys[i], &number, &error));
    assert_ok(keytab_write(&table, &bytes, &size, numbers, &error));
    assert_true(size > sizeof wanted);
    assert_memory_equal(bytes, wanted, sizeof wanted);
    assert_memory_equal(numbers, order, sizeof order);
    film_text list = {(const char *)bytes, (size_t)size};
    for (int known = 0; known < 2; known++) {
        assert_ok(keytab_open(&again, list, known ? 6 : KEYTAB_ANY, "keys", &error));
        assert_int_equal(again.count, 6);
        for (uint32_t i = 0; i < 6; i++) assert_int_equal(keytab_find(&again, keys[order[i]]), i);
        assert_int_equal(keytab_find(&again, 7), KEYTAB_NONE);
        keytab_free(&again);
    }
    film_free(bytes);
    keytab_free(&table);
}

static void damaged_lists_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        uint64_t count;
    } cases[] = {{"\0", 1, 1},                                      /* key 0 */
                 {"\1\1", 2, 1},                                    /* more */
                 {"\1\1", 2, 3},                                    /* fewer */
                 {"\1\200", 2, 2},                                  /* cut off */
                 {"\377\377\377\377\377\377\377\377\377\2", 10, 1}, /* beyond 64 bits */
                 {"\377\377\377\377\377\377\377\377\377\1", 10, 1}, /* 2^64 - 1 */
                 {"\5\372\377\377\377\377\377\377\377\377\1", 11, 2},
                 {"", 0, UINT64_C(1) << 60}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct keytab table;
        film_text list = {cases[i].bytes, cases[i].size};
        assert_int_equal(keytab_open(&table, list, cases[i].count, "m.film: keys", &error),
                         FILM_BAD_INPUT);
        assert_non_null(strstr(error.message, "m.film: keys: key "));
        assert_int_equal(keytab_find(&table, 1), KEYTAB_NONE);
    }
}

static void no_memory_is_reported_and_the_table_stays_as_it_was(void **state)
{
    (void)state;
    int failures = 0;
    for (long at = 0;; at++) {
        struct keytab table;
        uint32_t number, i = 0;
        fail_allocation(at);
        film_status status = keytab_init(&table, &error);
        for (; i < 300 && status == FILM_OK; i++)
            status = keytab_add(&table, key_at(i), &number, &error);
        fail_allocation(-1);
        if (status != FILM_OK) { /* earlier keys are still there, and adding continues */
            assert_int_equal(status, FILM_NO_MEMORY);
            for (uint32_t j = 0; i && j + 1 < i; j++)
                assert_int_equal(keytab_find(&table, key_at(j)), j);
            if (i) assert_ok(keytab_add(&table, key_at(i - 1), &number, &error));
            if (i) assert_int_equal(number, i - 1);
            failures++;
        }
        keytab_free(&table);
        if (status == FILM_OK) break;
    }
    assert_true(failures >= 8); /* two arrays of 64, 128, 256, 512 (and more) slots */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_numbered_in_the_order_they_come),
        cmocka_unit_test(growing_keeps_every_key),
        cmocka_unit_test(empty_slots_have_number_zero),
        cmocka_unit_test(extreme_keys_are_keys_like_any_other),
        cmocka_unit_test(key_zero_is_refused_and_never_found),
        cmocka_unit_test(a_mapped_table_equals_the_built_one),
        cmocka_unit_test(keys_have_slots),
        cmocka_unit_test(a_list_of_keys_gives_their_order),
        cmocka_unit_test(damaged_lists_are_refused),
        cmocka_unit_test(wrong_slot_counts_are_refused),
        cmocka_unit_test(hostile_arrays_are_walked_once_and_never_believed),
        cmocka_unit_test(no_memory_is_reported_and_the_table_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
