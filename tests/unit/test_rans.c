/* Tests entropy coding (base/rans.h) against what was coded and against Shannon's bound, and coded
 * tensors of a file against the tensors before; hostile bytes are refused with a message. */
#include "testing.h"

#include "base/rans.h"
#include "base/rng.h"
#include "base/safetensors.h"

#include <unistd.h>

static film_error error;

enum { MOST = 70000 };
static uint8_t values[8 * MOST], restored[8 * MOST], coded[4 * MOST];

/* Fills COUNT values of one of six distributions. */
static void draw_values(struct rng *rng, int kind, size_t count, size_t stride)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t any = rng_next(rng);
        long normal = lrint(20 * rng_normal(rng));
        const long value[] = {7,
                              (long)(any % 256),
                              normal,
                              any % 2000 == 0,
                              (long)(i % 3 * 100),
                              (long)rng_below(rng, 1 + any % 256)};
        values[i * stride] = (uint8_t)value[kind];
    }
}

static double entropy_bytes(size_t count, size_t stride)
{
    size_t seen[256] = {0};
    double bits = 0;
    for (size_t i = 0; i < count; i++) seen[values[i * stride]]++;
    for (int v = 0; v < 256; v++)
        if (seen[v]) bits -= (double)seen[v] * log2((double)seen[v] / (double)count);
    return bits / 8;
}

static void values_are_restored_from_few_bytes(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 3);
    for (int kind = 0; kind < 6; kind++)
        for (size_t count = 0; count <= MOST; count = 3 * count + 1) {
            size_t stride = 1 + count % 8;
            draw_values(&rng, kind, count, stride);
            size_t length = rans_encode(values, count, stride, coded);
            assert_true(length <= rans_bound(count));
            assert_true((double)length < 1.01 * entropy_bytes(count, stride) + 600);
            const uint8_t *at = coded;
            memset(restored, 1, sizeof restored);
            assert_true(rans_decode(&at, coded + length, restored, count, stride));
            assert_true(at == coded + length);
            for (size_t i = 0; i < count; i++)
                assert_int_equal(restored[i * stride], values[i * stride]);
            for (size_t i = 1; i < stride && count > 1; i++) assert_int_equal(restored[i], 1);
        }
}

/* A cut is found, and so is nearly every other change. Nothing outside the arrays is touched. */
static void damaged_bytes_are_refused(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    struct rng rng;
    int found = 0, changes = 0;
    rng_seed(&rng, 4);
    draw_values(&rng, 2, COUNT, 1);
    size_t length = rans_encode(values, COUNT, 1, coded);
    uint8_t *exact = malloc(length), *out = malloc(COUNT);
    for (size_t cut = 0; cut < length; cut++) {
        uint8_t *shorter = malloc(cut + 1);
        const uint8_t *at = shorter;
        memcpy(shorter, coded, cut);
        assert_false(rans_decode(&at, shorter + cut, out, COUNT, 1));
        free(shorter);
    }
    for (size_t i = 0; i < length; i++)
        for (int change = 1; change < 256; change += 27, changes++) {
            const uint8_t *at = exact;
            memcpy(exact, coded, length);
            exact[i] ^= (uint8_t)change;
            found += !rans_decode(&at, exact + length, out, COUNT, 1) || at != exact + length;
        }
    assert_true(found > changes * 9 / 10);
    free(exact);
    free(out);
}

/* ---- Tensors ---- */

enum { ROWS = 300, COLUMNS = 7, TENSORS = 4 };
static float floats[ROWS * COLUMNS];
static uint64_t wide[ROWS];
static int8_t narrow[ROWS][COLUMNS];
static uint8_t noise[40]; /* does not shrink: stays as it is */

static void list_tensors(struct safetensors_tensor *list)
{
    struct rng rng;
    rng_seed(&rng, 8);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) floats[i] = (float)rng_below(&rng, 4) / 4;
    for (size_t i = 0; i < ROWS; i++) {
        wide[i] = rng_next(&rng) >> 30;
        for (size_t j = 0; j < COLUMNS; j++) narrow[i][j] = (int8_t)(rng_normal(&rng) * 3);
    }
    for (size_t i = 0; i < sizeof noise; i++) noise[i] = (uint8_t)rng_next(&rng);
    list[0] =
        (struct safetensors_tensor){"floats", SAFETENSORS_F32, 1, {ROWS * COLUMNS}, floats, 0};
    list[1] = (struct safetensors_tensor){"wide", SAFETENSORS_U64, 1, {ROWS}, wide, 0};
    list[2] = (struct safetensors_tensor){"narrow", SAFETENSORS_I8, 2, {ROWS, COLUMNS}, narrow, 0};
    list[3] = (struct safetensors_tensor){"noise", SAFETENSORS_U8, 1, {sizeof noise}, noise, 0};
}

/* Writes the tensors coded, with ABOUT instead of their description if it is not NULL. */
static film_status write_coded(const char *path, const char *about)
{
    struct safetensors_tensor list[TENSORS];
    struct coded_tensors coding;
    const char *key = SAFETENSORS_CODED;
    list_tensors(list);
    film_status status = safetensors_encode(list, TENSORS, &coding, &error);
    if (status == FILM_OK) {
        const char *value = about ? about : coding.about;
        status = safetensors_write(path, list, TENSORS, &key, &value, 1, &error);
    }
    coded_tensors_free(&coding);
    return status;
}

static film_status write_and_open(const char *path, struct safetensors **file)
{
    film_status status = write_coded(path, NULL);
    *file = NULL;
    return status == FILM_OK ? safetensors_open(path, file, &error) : status;
}

static film_status write_open_close(const char *path)
{
    struct safetensors *file;
    film_status status = write_and_open(path, &file);
    safetensors_close(file);
    return status;
}

static void coded_tensors_are_the_same_when_opened(void **state)
{
    (void)state;
    struct safetensors *file;
    struct safetensors_tensor list[TENSORS];
    char path[300];
    strcpy(path, scratch("coded.film"));
    assert_ok(write_and_open(path, &file));
    list_tensors(list);
    for (int t = 0; t < TENSORS; t++) {
        const struct safetensors_tensor *found;
        assert_ok(safetensors_require(file, list[t].name, list[t].type, list[t].dims, list[t].shape,
                                      &found, &error));
        assert_memory_equal(found->data, list[t].data, found->bytes);
        assert_int_equal((uintptr_t)found->data % safetensors_type_size(found->type), 0);
    }
    const char *about = safetensors_metadata(file, SAFETENSORS_CODED);
    assert_string_equal(about, "{\"floats\":{\"dtype\":\"F32\",\"shape\":[2100]},"
                               "\"wide\":{\"dtype\":\"U64\",\"shape\":[300]},"
                               "\"narrow\":{\"dtype\":\"I8\",\"shape\":[300,7]}}");
    safetensors_close(file);
    assert_ok(safetensors_open(path, &file, &error));
    safetensors_close(file);
    survives_every_failure(write_open_close(path));
    unlink(path);
}

static void hostile_descriptions_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *about, *message;
    } cases[] = {
        {"{", "invalid JSON"},
        {"{\"gone\":{\"dtype\":\"U8\",\"shape\":[1]}}", "coded tensor gone is missing"},
        {"{\"wide\":3}", "dtype is not a string"},
        {"{\"wide\":{\"dtype\":\"U9\",\"shape\":[300]}}", "unknown dtype"},
        {"{\"wide\":{\"dtype\":\"U64\",\"shape\":300}}", "shape is not an array"},
        {"{\"wide\":{\"dtype\":\"U64\",\"shape\":[299]}}", "tensor wide: invalid coded bytes"},
        {"{\"wide\":{\"dtype\":\"U64\",\"shape\":[301]}}", "tensor wide: invalid coded bytes"},
        {"{\"wide\":{\"dtype\":\"U64\",\"shape\":[0]}}", "tensor wide: invalid coded bytes"},
        {"{\"wide\":{\"dtype\":\"U64\",\"shape\":[4000000000000]}}", "invalid coded bytes"},
        {"{\"noise\":{\"dtype\":\"U8\",\"shape\":[50]}}", "tensor noise: invalid coded bytes"}};
    char path[300];
    strcpy(path, scratch("hostile.film"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct safetensors *file = NULL;
        assert_ok(write_coded(path, cases[i].about));
        assert_int_equal(safetensors_open(path, &file, &error), FILM_BAD_INPUT);
        if (!strstr(error.message, cases[i].message)) fail_msg("%s", error.message);
        assert_null(file);
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_restored_from_few_bytes),
        cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(coded_tensors_are_the_same_when_opened),
        cmocka_unit_test(hostile_descriptions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
