/* Tests base/writer: jansson reads the JSON back unchanged. */
#include "testing.h"

#include "base/rng.h"
#include "base/writer.h"

#include <jansson.h>

static film_error error;

static char *finish(struct writer *to)
{
    char *json = NULL;
    size_t length = 0;
    assert_ok(writer_finish(to, &json, &length, &error));
    assert_int_equal(strlen(json), length);
    return json;
}

static void commas_are_between_values_only(void **state)
{
    (void)state;
    struct writer to = {0};
    writer_open(&to, '{');
    writer_key(&to, "a");
    writer_open(&to, '[');
    writer_count(&to, 0);
    writer_count(&to, 18446744073709551615u);
    writer_open(&to, '[');
    writer_close(&to, ']');
    writer_null(&to);
    writer_close(&to, ']');
    writer_key(&to, "b");
    writer_truth(&to, 1);
    writer_key(&to, "c");
    writer_truth(&to, 0);
    writer_close(&to, '}');
    char *json = finish(&to);
    assert_string_equal(json,
                        "{\"a\": [0, 18446744073709551615, [], null], \"b\": true, \"c\": false}");
    film_free(json);
}

/* Every character below 128, and some above, read back by another library. */
static void any_text_reads_back_as_itself(void **state)
{
    (void)state;
    char text[140];
    size_t length = 0;
    for (int c = 1; c < 128; c++) text[length++] = (char)c;
    memcpy(text + length, "\xc3\xa4\xf0\x9f\x98\x80", 6);
    length += 6;
    struct writer to = {0};
    writer_open(&to, '[');
    writer_text(&to, (film_text){text, length});
    writer_text(&to, (film_text){"a\0b", 3});
    writer_text(&to, (film_text){NULL, 0});
    writer_close(&to, ']');
    char *json = finish(&to);
    json_t *list = json_loads(json, JSON_ALLOW_NUL, NULL);
    assert_non_null(list);
    assert_int_equal(json_string_length(json_array_get(list, 0)), length);
    assert_memory_equal(json_string_value(json_array_get(list, 0)), text, length);
    assert_int_equal(json_string_length(json_array_get(list, 1)), 3);
    assert_int_equal(json_string_length(json_array_get(list, 2)), 0);
    json_decref(list);
    film_free(json);
}

static void numbers_read_back_exactly_and_weights_to_twelve_decimals(void **state)
{
    (void)state;
    static const double values[] = {0,
                                    -0.0,
                                    1,
                                    -1,
                                    0.1,
                                    1e-13,
                                    4.9e-13,
                                    5.1e-13,
                                    123.456,
                                    -0.000001,
                                    1e5,
                                    999999.999999999,
                                    1e6,
                                    -1e300,
                                    5e-324,
                                    1.0 / 3,
                                    0.999999999999999};
    enum { VALUES = sizeof values / sizeof *values };
    struct writer to = {0};
    writer_open(&to, '[');
    for (int i = 0; i < VALUES; i++) {
        writer_number(&to, values[i]);
        writer_weight(&to, values[i]);
    }
    writer_number(&to, INFINITY);
    writer_weight(&to, NAN);
    writer_close(&to, ']');
    char *json = finish(&to);
    json_t *list = json_loads(json, 0, NULL);
    assert_int_equal(json_array_size(list), 2 * VALUES + 2);
    for (size_t i = 0; i < VALUES; i++) {
        assert_true(json_is_real(json_array_get(list, 2 * i)));
        assert_true(json_is_real(json_array_get(list, 2 * i + 1)));
        assert_true(json_real_value(json_array_get(list, 2 * i)) == values[i]);
        assert_close(json_real_value(json_array_get(list, 2 * i + 1)), values[i],
                     5.1e-13 + 1e-16 * fabs(values[i]));
    }
    assert_true(json_is_null(json_array_get(list, 2 * VALUES)));
    assert_true(json_is_null(json_array_get(list, 2 * VALUES + 1)));
    json_decref(list);
    film_free(json);
}

/* Compares with printf, an independent implementation. */
static void digits_are_those_of_printf(void **state)
{
    (void)state;
    struct rng rng;
    struct writer to = {0};
    rng_seed(&rng, 3);
    for (int i = 0; i < 1000000; i++) {
        char expected[120];
        size_t count = (size_t)(rng_next(&rng) >> rng_below(&rng, 64));
        double weight = rng_normal(&rng) * pow(10, (double)rng_below(&rng, 18) - 13);
        unsigned long long scaled = (unsigned long long)(fabs(weight) * 1e12 + 0.5);
        int length = snprintf(expected, sizeof expected, "[%zu, %s%llu.%012llu", count,
                              weight < 0 && scaled ? "-" : "", scaled / 1000000000000u,
                              scaled % 1000000000000u);
        while (expected[length - 1] == '0' && expected[length - 2] != '.') length--;
        expected[length++] = ']';
        to.length = 0;
        to.comma = 0;
        writer_open(&to, '[');
        writer_count(&to, count);
        writer_weight(&to, weight);
        writer_close(&to, ']');
        if (to.length != (size_t)length || memcmp(to.bytes, expected, to.length) != 0)
            fail_msg("%.17g: %.*s, not %.*s", weight, (int)to.length, to.bytes, length, expected);
    }
    for (int i = 0; i < 300000; i++) { /* also short ones, whose last digits are ties or zeros */
        double number = rng_normal(&rng) * pow(10, (double)rng_below(&rng, 10) - 5);
        if (i % 4 == 0)
            number = (double)rng_below(&rng, 100000) / (double)(1u << rng_below(&rng, 28));
        char expected[40];
        int length = snprintf(expected, sizeof expected, "%.17g", number);
        if (!strpbrk(expected, ".e")) length += snprintf(expected + length, 4, ".0");
        to.length = 0;
        to.comma = 0;
        writer_number(&to, number);
        if (to.length != (size_t)length || memcmp(to.bytes, expected, to.length) != 0)
            fail_msg("%.*s, not %s", (int)to.length, to.bytes, expected);
        length = snprintf(expected, sizeof expected, "%.7g", number);
        to.length = 0;
        to.comma = 0;
        writer_rounded(&to, number, 7);
        if (to.length != (size_t)length || memcmp(to.bytes, expected, to.length) != 0)
            fail_msg("%.*s, not %s", (int)to.length, to.bytes, expected);
    }
    film_free(finish(&to));
}

/* The usual idiom of a function that writes JSON: TRY, and one exit that frees. */
static film_status write_much(char **json)
{
    film_status status = FILM_OK;
    struct writer to = {0};
    writer_open(&to, '[');
    for (int i = 0; i < 2000; i++) writer_text(&to, film_string("some text"));
    writer_close(&to, ']');
    TRY(writer_finish(&to, json, NULL, &error));
done:
    writer_free(&to);
    return status;
}

static film_status write_and_drop(void)
{
    char *json = (char *)"untouched";
    film_status status = write_much(&json);
    if (status != FILM_OK) assert_null(json);
    film_free(json);
    return status;
}

static void out_of_memory_is_reported_at_the_end(void **state)
{
    (void)state;
    survives_every_failure(write_and_drop());
    assert_true(failures_survived > 4); /* it grew from nothing to 26,000 bytes by doubling */
}

/* The number of allocated blocks: a double free makes it negative. */
static long blocks;
static void *counting_malloc(void *user, size_t size)
{
    (void)user;
    blocks++;
    return malloc(size);
}
static void *counting_realloc(void *user, void *memory, size_t size)
{
    enum { ENOUGH = 4096 };
    (void)user;
    if (size > ENOUGH) return NULL; /* the writer fails while it holds a block */
    blocks += !memory;
    return realloc(memory, size);
}
static void counting_free(void *user, void *memory)
{
    (void)user;
    blocks -= memory != NULL;
    if (blocks >= 0) free(memory);
}

static void a_writer_that_failed_frees_once(void **state)
{
    (void)state;
    film_allocator allocator = {counting_malloc, counting_realloc, counting_free, NULL};
    char *json = NULL;
    blocks = 0;
    film_set_allocator(&allocator);
    film_status status = write_much(&json);
    film_set_allocator(NULL);
    assert_int_equal(status, FILM_NO_MEMORY);
    assert_null(json);
    assert_int_equal(blocks, 0); /* -1: freed twice, 1: not freed */
}

static void a_finished_writer_is_empty_and_serves_again(void **state)
{
    (void)state;
    struct writer to = {0};
    for (int i = 0; i < 2; i++) {
        char *json = NULL;
        size_t length = 0;
        writer_count(&to, 7);
        assert_ok(writer_finish(&to, &json, &length, &error));
        assert_string_equal(json, "7");
        assert_int_equal(length, 1);
        assert_null(to.bytes);
        writer_free(&to); /* must not free the returned buffer */
        assert_string_equal(json, "7");
        film_free(json);
    }
}

/* The server's way to escape a long text: chunks may end anywhere, also inside a character. */
static void text_is_escaped_the_same_in_chunks(void **state)
{
    (void)state;
    static const char text[] = "a \"b\" \\ \n\t\x01\x1f\x7f \xc3\xa4\xe4\xb8\xad";
    char whole[FILM_JSON_ESCAPED * sizeof text], parts[FILM_JSON_ESCAPED * sizeof text];
    size_t length = film_json_escape(film_string(text), whole), used = 0;
    assert_int_equal(length, strlen("a \\\"b\\\" \\\\ \\n\\t\\u0001\\u001f\x7f ") + 5);
    for (size_t at = 0; at < sizeof text - 1; at++)
        used += film_json_escape((film_text){text + at, 1}, parts + used);
    assert_int_equal(used, length);
    assert_memory_equal(parts, whole, length);
    assert_int_equal(film_json_escape((film_text){"", 0}, whole), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_are_between_values_only),
        cmocka_unit_test(any_text_reads_back_as_itself),
        cmocka_unit_test(numbers_read_back_exactly_and_weights_to_twelve_decimals),
        cmocka_unit_test(digits_are_those_of_printf),
        cmocka_unit_test(a_writer_that_failed_frees_once),
        cmocka_unit_test(out_of_memory_is_reported_at_the_end),
        cmocka_unit_test(a_finished_writer_is_empty_and_serves_again),
        cmocka_unit_test(text_is_escaped_the_same_in_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
