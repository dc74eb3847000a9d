/* Tests what a model stores in few bytes, and the tables that are made of it: the values of numbers
 * against a plain list, small numbers, and the rows of the map against their definition. */
#include "base/keyslots.h"
#include "base/rng.h"
#include "base/varint.h"
#include "embed/word_map.h"
#include "model/model.h"
#include "spoiled_model.h"

static int set_up(void **state)
{
    (void)state;
    film_model *model = faq_shared();
    strcpy(good, scratch("rounded.film"));
    strcpy(spoiled, scratch("again.film"));
    assert_ok(film_save(model, good, &error));
    film_close(model);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(good);
    unlink(spoiled);
    return 0;
}

/* Is NUMBER one of the first COUNT of LIST? */
static int is_in(const uint64_t *list, size_t count, uint64_t number)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == number) return 1;
    return 0;
}

static int8_t value_of_number(uint64_t number)
{
    return (int8_t)(number % 255 - 127); /* one of 255 is 0: it is not stored */
}

/* Slots give every number its value, and all others 0, as the list does: narrow and wide slots, and
 * buckets that overflow. */
static void slots_have_the_values_of_a_list(void **state)
{
    (void)state;
    enum { MOST = 30000 };
    static uint64_t numbers[MOST];
    static int8_t values[MOST];
    struct rng rng;
    rng_seed(&rng, 6);
    for (unsigned bits = 1; bits <= KEYSLOTS_MOST_BITS; bits += bits < 12 ? 1 : 4)
        for (size_t most = 0; most <= MOST; most = 5 * most + 1) {
            uint64_t mask = keyslots_mask(bits), listed = 0, sum = 0, number;
            size_t count = most <= mask ? most : (size_t)mask;
            for (size_t i = 0; i < count; i++) { /* neighbours, or odd multiples: all differ */
                numbers[i] = i * (bits % 2 ? 1 : 0x9e3779b97f4a7c15u) & mask;
                values[i] = value_of_number(numbers[i]);
            }
            struct keyslots *slots = keyslots_new(bits, count);
            assert_non_null(slots);
            assert_int_equal(keyslots_put(slots, numbers, values, count), count);
            for (size_t i = 0; i < count; i++) {
                assert_int_equal(keyslots_value(slots, keyslots_fetch(slots, numbers[i])),
                                 values[i]);
                sum += values[i] ? numbers[i] : 0;
            }
            for (int i = 0; i < 300; i++) {
                uint64_t other = rng_next(&rng) & mask;
                if (!is_in(numbers, count, other))
                    assert_int_equal(keyslots_value(slots, keyslots_fetch(slots, other)), 0);
            }
            for (size_t place = 0; place < slots->places; place++) {
                int value = keyslots_at(slots, place, &number);
                if (value) assert_int_equal(value, value_of_number(number));
                listed += value ? number : 0;
            }
            assert_true(listed == sum);
            keyslots_free(slots);
        }
    assert_int_equal(keyslots_bits(2), 1);
    assert_int_equal(keyslots_bits(256), 8);
    assert_int_equal(keyslots_bits(257), 9);
}

/* Numbers whose buckets have no room are refused, and what was stored stays. */
static void a_full_place_takes_no_more(void **state)
{
    (void)state;
    enum { COUNT = 10 };
    struct keyslots *slots = keyslots_new(KEYSLOTS_MOST_BITS, COUNT);
    uint64_t numbers[1000];
    int8_t values[1000];
    size_t found = 0;
    /* All of one bucket: the upper bits of the mixed numbers are 0. */
    for (uint64_t number = 0; found < 1000; number++)
        if (keyslots_mix(slots->bits, number) >> slots->shift == 0) {
            numbers[found] = number;
            values[found++] = 1;
        }
    size_t stored = keyslots_put(slots, numbers, values, found);
    assert_true(stored >= 100 && stored < found);
    for (size_t i = 0; i < found; i++)
        assert_int_equal(keyslots_value(slots, keyslots_fetch(slots, numbers[i])), i < stored);
    keyslots_free(slots);
}

static void small_numbers_take_few_bytes(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint8_t bytes[VARINT_MOST];
        size_t length = varint_put(bytes, numbers[i]);
        const uint8_t *at = bytes;
        uint32_t number;
        assert_true(varint_get(&at, bytes + length, &number) && number == numbers[i]);
        assert_true(at == bytes + length);
        at = bytes;
        assert_false(varint_get(&at, bytes + length - 1, &number)); /* cut off */
    }
    const uint8_t large[] = {255, 255, 255, 255, 16}, *at = large; /* 33 bits */
    uint32_t number;
    assert_false(varint_get(&at, large + sizeof large, &number));
}

/* Every operation on codes equals the same on the values that the codes stand for. */
static void codes_are_their_values(void **state)
{
    (void)state;
    enum { ROWS = 3, MOST_DIM = 99 };
    struct rng rng;
    rng_seed(&rng, 9);
    for (size_t dim = 1; dim <= MOST_DIM; dim += dim < 20 ? 3 : 11)
        for (int most = 7; most <= 127; most += 120) {
            float row[ROWS][MOST_DIM], scales[ROWS], sum[MOST_DIM];
            int8_t codes[ROWS * MOST_DIM];
            struct word_map map = {.codes = codes, .scales = scales};
            for (int r = 0; r < ROWS; r++) {
                float largest = 0;
                for (size_t i = 0; i < dim; i++) {
                    row[r][i] = r == 2 ? 0 : (float)rng_uniform(&rng) - 0.5f;
                    largest = fmaxf(largest, fabsf(row[r][i]));
                }
                word_map_round(row[r], dim, most, codes + (size_t)r * dim, &scales[r]);
                assert_true(fabsf(scales[r] * (float)most - largest) <= 1e-6f * largest);
            }
            double product = 0, toward = 0;
            for (size_t i = 0; i < dim; i++) {
                float a = word_map_value(&map, 0, i, dim), b = word_map_value(&map, 1, i, dim);
                assert_true(fabsf(a - row[0][i]) <= 0.5001f * scales[0]);
                assert_true(word_map_value(&map, 2, i, dim) == 0);
                sum[i] = 1;
                product += (double)a * (double)b;
                toward += (double)a * (double)row[1][i];
            }
            word_map_add(&map, 0, 2.5f, sum, dim);
            for (size_t i = 0; i < dim; i++)
                assert_true(fabsf(sum[i] - 1 - 2.5f * word_map_value(&map, 0, i, dim)) < 1e-6f);
            assert_true(fabs(word_map_product(&map, 0, 1, dim) - product) < 1e-6);
            assert_true(fabs(word_map_toward(&map, 0, row[1], dim) - toward) < 1e-5);
            /* The sum of many rows, more than are added at a time. */
            enum { MANY = 150 };
            uint32_t ids[MANY];
            float values[MANY], all[MOST_DIM];
            double wanted[MOST_DIM] = {0};
            for (uint32_t i = 0; i < MANY; i++) {
                ids[i] = i % 3;
                values[i] = (float)rng_uniform(&rng);
                for (size_t d = 0; d < dim; d++)
                    wanted[d] += (double)values[i] * (double)word_map_value(&map, ids[i], d, dim);
            }
            word_map_sum(&map, ids, values, MANY, all, dim);
            for (size_t d = 0; d < dim; d++) assert_true(fabs(wanted[d] - (double)all[d]) < 1e-4);
            float again[MOST_DIM];
            word_map_row(&map, 1, again, dim);
            for (size_t i = 0; i < dim; i++)
                assert_true(again[i] == word_map_value(&map, 1, i, dim));
        }
}

static int same_bytes(const char *a, const char *b)
{
    FILE *one = fopen(a, "rb"), *two = fopen(b, "rb");
    int x, y;
    assert_true(one && two);
    do {
        x = getc(one);
        y = getc(two);
    } while (x == y && x != EOF);
    fclose(one);
    fclose(two);
    return x == y;
}

static void a_model_is_saved_as_it_was_opened(void **state)
{
    (void)state;
    film_model *model;
    assert_ok(film_open(good, &model, &error));
    assert_ok(film_save(model, spoiled, &error));
    film_close(model);
    assert_true(same_bytes(good, spoiled));
}

static film_status open_and_save(void)
{
    film_model *model = NULL;
    film_status status = film_open(good, &model, &error);
    if (status == FILM_OK) status = film_save(model, spoiled, &error);
    film_close(model);
    return status;
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    survives_every_failure(open_and_save());
    assert_true(failures_survived > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_have_the_values_of_a_list),
        cmocka_unit_test(a_full_place_takes_no_more),
        cmocka_unit_test(small_numbers_take_few_bytes),
        cmocka_unit_test(codes_are_their_values),
        cmocka_unit_test(a_model_is_saved_as_it_was_opened),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
