/* Tests packed models: the set of numbers against a plain list, rounding against its definition,
 * and damaged files with correct checksums, which are refused with a message. The arrays of a whole
 * model are compared with NumPy in tests/cli/pack.sh. */
#include "base/keyslots.h"
#include "base/rng.h"
#include "base/varint.h"
#include "embed/word_map.h"
#include "model/model.h"
#include "spoiled_model.h"

static char plain[300];

static int set_up(void **state)
{
    (void)state;
    film_train_options options;
    char words[300];
    strcpy(words, scratch("words.txt"));
    FILE *file = fopen(words, "w");
    assert_non_null(file);
    fputs("open ! close\ncard = plastic\nlost > misplaced\n", file);
    fclose(file);
    faq_options(&options);
    options.words = words;
    film_model *model = faq_train(&options);
    unlink(words);
    strcpy(good, scratch("packed.film"));
    strcpy(spoiled, scratch("spoiled.film"));
    strcpy(plain, scratch("plain.film"));
    assert_ok(film_save(model, plain, &error));
    assert_ok(film_pack(model, 4, good, &error));
    film_close(model);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(good);
    unlink(spoiled);
    unlink(plain);
    return 0;
}

/* ---- Parts ---- */

/* Is NUMBER one of the first COUNT of LIST? */
static int is_in(const uint64_t *list, size_t count, uint64_t number)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == number) return 1;
    return 0;
}

static void a_set_has_its_numbers_and_no_others(void **state)
{
    (void)state;
    enum { MOST = 700 };
    static uint64_t numbers[MOST];
    static uint32_t position[MOST];
    struct rng rng;
    rng_seed(&rng, 5);
    for (unsigned bits = 1; bits <= 64; bits += bits < 12 ? 1 : 4) {
        uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
        for (size_t count = 0; count <= MOST; count = 3 * count + 1) {
            struct keyset set;
            for (size_t i = 0; i < count; i++) /* neighbours, repetitions, and any number */
                numbers[i] = (i % 3 ? i * i / 2 : rng_next(&rng)) & mask;
            assert_ok(keyset_build(&set, numbers, count, bits, position, &error));
            for (size_t i = 0; i < count; i++) {
                assert_int_equal(keyset_find(&set, numbers[i]), position[i]);
                assert_true(keyset_at(&set, position[i]) == numbers[i]);
            }
            for (int i = 0; i < 300; i++) {
                uint64_t other = rng_next(&rng) & (i % 2 ? mask : mask & 1023);
                assert_int_equal(keyset_find(&set, other) != KEYSET_NONE,
                                 is_in(numbers, count, other));
            }
            if (bits < 64) assert_int_equal(keyset_find(&set, mask + 1), KEYSET_NONE);
            keyset_free(&set);
        }
    }
    assert_int_equal(keyset_bits(2), 1);
    assert_int_equal(keyset_bits(256), 8);
    assert_int_equal(keyset_bits(257), 9);
}

/* Slots give every number its value, and all others 0, as the list does: narrow and wide slots, and
 * buckets that overflow. A set with one crowded place is refused or right. */
static void slots_have_the_values_of_a_set(void **state)
{
    (void)state;
    enum { MOST = 30000 };
    static uint64_t numbers[MOST];
    static uint32_t position[MOST];
    static int8_t values[MOST];
    struct rng rng;
    rng_seed(&rng, 6);
    for (unsigned bits = 16; bits <= 56; bits += 8)
        for (size_t count = 0; count <= MOST; count = 5 * count + 1) {
            struct keyset set;
            uint64_t mask = ((uint64_t)1 << bits) - 1;
            for (size_t i = 0; i < count; i++) numbers[i] = rng_next(&rng) & mask;
            assert_ok(keyset_build(&set, numbers, count, bits, position, &error));
            for (size_t i = 0; i < count; i++)
                values[position[i]] = (int8_t)(numbers[i] % 255 - 127);
            struct keyslots *slots = keyslots_new(&set, values);
            assert_non_null(slots);
            for (size_t i = 0; i < count; i++)
                assert_int_equal(keyslots_value(slots, keyslots_fetch(slots, numbers[i])),
                                 (int8_t)(numbers[i] % 255 - 127));
            for (int i = 0; i < 300; i++) {
                uint64_t other = rng_next(&rng) & mask;
                if (!is_in(numbers, count, other))
                    assert_int_equal(keyslots_value(slots, keyslots_fetch(slots, other)), 0);
            }
            keyslots_free(slots);
            keyset_free(&set);
        }
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

/* ---- Models ---- */

static const char *const tensors[] = {"L.codes",
                                      "L.scales",
                                      "evidence.feature",
                                      "evidence.feature_scale",
                                      "evidence.phrases.rest",
                                      "evidence.phrases.sizes",
                                      "evidence.phrases.weight",
                                      "evidence.scale",
                                      "evidence.words.rest",
                                      "evidence.words.sizes",
                                      "evidence.words.weight",
                                      "memory.apart.rest",
                                      "memory.apart.sizes",
                                      "memory.cluster",
                                      "memory.known.rest",
                                      "memory.known.sizes",
                                      "word.lengths"};
enum { TENSORS = sizeof tensors / sizeof *tensors };

static void a_tensor_that_is_missing_or_wrong_is_named(void **state)
{
    (void)state;
    for (int t = 0; t < TENSORS; t++)
        for (int way = 0; way < 3; way++) {
            struct spoil spoil;
            char part[20] = ""; /* the message may name the tensor that this one does not fit */
            strncat(part, tensors[t], strcspn(tensors[t], "."));
            assert_true(spoil_open(&spoil, good));
            struct safetensors_tensor *tensor = spoil_find(&spoil, tensors[t]);
            assert_non_null(tensor);
            if (way == 0) { /* missing; without `scale` the evidence is read as unpacked */
                free((void *)tensor->data);
                *tensor = spoil.tensor[--spoil.count];
            } else if (way == 1) {
                tensor->type = safetensors_type_size(tensor->type) == 1 ? SAFETENSORS_BOOL
                               : tensor->type == SAFETENSORS_F32        ? SAFETENSORS_I32
                                                                        : SAFETENSORS_F16;
            } else {
                tensor->shape[tensor->dims - 1]--;
            }
            expect(&spoil, tensors[t], part);
            spoil_close(&spoil);
        }
}

static void unsorted_or_hostile_values_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *message;
        int byte; /* -1: reverse the values */
    } cases[] = {{"evidence.words.rest", "is not in ascending order", -1},
                 {"evidence.words.rest", "is not in ascending order", 255},
                 {"evidence.words.sizes", "do not cover", 255},
                 {"memory.known.rest", "is not in ascending order", 255},
                 {"memory.known.sizes", "do not cover", 0},
                 {"word.lengths", "lengths do not cover all bytes", 255},
                 {"word.lengths", "lengths do not cover all bytes", 0},
                 {"word.bytes", "occurs twice", 'a'},
                 {"relations.packed", "invalid bytes after word", 255},
                 {"relations.packed", "invalid bytes after word", 0},
                 {"L.scales", "is negative", 0xbf},
                 {"L.scales", "is not a finite number", 255},
                 {"evidence.scale", "is not a finite number", 0x7f},
                 {"evidence.feature_scale", "is not a finite number", 0x7f}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spoil spoil;
        assert_true(spoil_open(&spoil, good));
        struct safetensors_tensor *tensor = spoil_find(&spoil, cases[i].name);
        assert_non_null(tensor);
        uint8_t *bytes = (uint8_t *)(uintptr_t)tensor->data;
        if (cases[i].byte >= 0) memset(bytes, cases[i].byte, tensor->bytes);
        for (uint64_t b = 0; cases[i].byte < 0 && b < tensor->bytes / 2; b++) {
            uint8_t first = bytes[b];
            bytes[b] = bytes[tensor->bytes - 1 - b];
            bytes[tensor->bytes - 1 - b] = first;
        }
        /* A lone byte 0x7f is a NaN only where the exponent is full. */
        for (uint64_t b = 3; cases[i].byte == 0x7f && b < tensor->bytes; b += 4)
            bytes[b - 1] = 0xff;
        expect(&spoil, cases[i].name, cases[i].message);
        spoil_close(&spoil);
    }
    static const char *const any[] = {"L.codes", "evidence.feature", "evidence.words.weight",
                                      "memory.cluster", "evidence.phrases.weight"};
    for (size_t i = 0; i < sizeof any / sizeof *any; i++)
        for (int byte = 0; byte < 256; byte += 51) { /* whatever they are, they can be used */
            struct spoil spoil;
            assert_true(spoil_open(&spoil, good));
            struct safetensors_tensor *tensor = spoil_find(&spoil, any[i]);
            memset((void *)(uintptr_t)tensor->data, byte, tensor->bytes);
            expect(&spoil, any[i], NULL);
            spoil_close(&spoil);
        }
}

/* Earlier versions stored two values per byte: of every feature (FINE 0), or of all but words. */
static void open_halves_of(size_t fine)
{
    struct spoil spoil;
    assert_true(spoil_open(&spoil, good));
    struct safetensors_tensor *codes = spoil_find(&spoil, "L.codes");
    size_t rows = codes->shape[0], dim = codes->shape[1], stride = (dim + 1) / 2;
    struct safetensors_tensor *words = &spoil.tensor[spoil.count];
    *words = *codes; /* the first rows */
    words->name = "L.words";
    words->shape[0] = fine;
    spoil.count += fine > 0;
    codes->type = SAFETENSORS_U8;
    codes->shape[0] = rows - fine;
    codes->shape[1] = stride;
    uint8_t *halves = malloc((rows - fine) * stride);
    memset(halves, 0x2e, (rows - fine) * stride); /* 6 in the lower dimensions, -6 in the upper */
    codes->data = halves;
    int8_t first = *(const int8_t *)words->data;
    assert_ok(spoil_write(&spoil, spoiled, &error));
    if (!fine) free((void *)(uintptr_t)words->data);
    spoil_close(&spoil);
    film_model *model;
    assert_ok(film_open(spoiled, &model, &error));
    const struct word_map *map = &model->encoder.map;
    uint32_t coarse = (uint32_t)fine;
    assert_true(word_map_value(map, 0, 0, dim) == map->scales[0] * (float)(fine ? first : 6));
    assert_true(word_map_value(map, coarse, 0, dim) == 6 * map->scales[coarse]);
    assert_true(word_map_value(map, coarse, dim - 1, dim) == -6 * map->scales[coarse]);
    ask(model);
    film_close(model);
}

static void files_of_earlier_versions_open(void **state)
{
    (void)state;
    film_model *model;
    assert_ok(film_open(good, &model, &error));
    size_t words = model->features.first[GROUP_WORD + 1];
    film_close(model);
    open_halves_of(0);
    open_halves_of(words);
}

static void settings_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *old, *new, *message;
    } cases[] = {{"\"bits\":4", "\"bits\":5", "packed: a value is out of range"},
                 {"\"bits\":4", "\"bots\":4", "packed"},
                 {"\"packed\"", "\"picked\"", "does not fit the format version"},
                 {"\"dim\":", "\"dim\":9", "L.codes"},
                 {"\"dim\":", "\"dim\":0,\"x\":", "invalid dimension"},
                 {"\"dim\":", "\"dim\":-1,\"x\":", "packed: a value is out of range"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spoil spoil;
        char settings[20000];
        assert_true(spoil_open(&spoil, good));
        size_t at = 0;
        while (strcmp(spoil.key[at], "settings") != 0) at++;
        const char *text = spoil.value[at], *found = strstr(text, cases[i].old);
        assert_non_null(found);
        snprintf(settings, sizeof settings, "%.*s%s%s", (int)(found - text), text, cases[i].new,
                 found + strlen(cases[i].old));
        spoil.value[at] = settings;
        expect(&spoil, cases[i].new, cases[i].message);
        spoil_close(&spoil);
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

static void a_packed_model_is_saved_as_it_is(void **state)
{
    (void)state;
    film_model *model;
    assert_ok(film_open(good, &model, &error));
    assert_ok(film_save(model, spoiled, &error));
    assert_true(same_bytes(good, spoiled));
    assert_ok(film_pack(model, 4, spoiled, &error));
    assert_true(same_bytes(good, spoiled));
    assert_int_equal(film_pack(model, 8, spoiled, &error), FILM_USAGE);
    assert_non_null(strstr(error.message, "it cannot have more"));
    assert_int_equal(film_pack(model, 5, spoiled, &error), FILM_USAGE);
    film_close(model);
    assert_ok(film_open(plain, &model, &error)); /* by way of 8 bits */
    assert_ok(film_pack(model, 8, spoiled, &error));
    film_close(model);
    assert_ok(film_open(spoiled, &model, &error));
    assert_ok(film_pack(model, 4, plain, &error));
    ask(model);
    film_close(model);
    assert_ok(film_open(plain, &model, &error));
    ask(model);
    film_close(model);
}

static film_status pack_and_match(void)
{
    film_model *model = NULL;
    film_context *context = NULL;
    film_verdict verdict;
    film_status status = film_open(plain, &model, &error);
    if (status == FILM_OK) status = film_pack(model, 8, spoiled, &error);
    film_close(model);
    model = NULL;
    if (status == FILM_OK) status = film_open(spoiled, &model, &error);
    if (status == FILM_OK) status = film_context_new(model, &context, &error);
    if (status == FILM_OK)
        status =
            film_match(context, film_string(faq[0].a), film_string(faq[0].b), &verdict, &error);
    film_context_free(context);
    film_close(model);
    return status;
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    survives_every_failure(pack_and_match());
    assert_true(failures_survived > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_has_its_numbers_and_no_others),
        cmocka_unit_test(slots_have_the_values_of_a_set),
        cmocka_unit_test(small_numbers_take_few_bytes),
        cmocka_unit_test(codes_are_their_values),
        cmocka_unit_test(a_tensor_that_is_missing_or_wrong_is_named),
        cmocka_unit_test(unsorted_or_hostile_values_are_refused),
        cmocka_unit_test(files_of_earlier_versions_open),
        cmocka_unit_test(settings_that_do_not_fit_are_refused),
        cmocka_unit_test(no_memory_is_reported),
        cmocka_unit_test(a_packed_model_is_saved_as_it_is),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
