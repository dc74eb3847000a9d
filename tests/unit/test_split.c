/* Tests train/split: components stay whole, ratios hold. */
#include "testing.h"

static film_error error;

static size_t count_lines(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t lines = 0;
    for (int c; (c = getc(file)) != EOF;) lines += c == '\n';
    fclose(file);
    return lines;
}

/* A chain of rows per component: component c has questions c.0, c.1, ... */
static void write_components(const char *path, int components, int rows)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "label\tquestion1\tquestion2\n");
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < components; c++)
            fprintf(file, "%d\tQuestion c%d number n%d?\tquestion C%d  number n%d ?\n", i % 2, c, i,
                    c, i + 1);
    fclose(file);
}

static int part_of(const char *path, const char *word)
{
    char line[300];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    int found = 0;
    while (fgets(line, sizeof line, file)) found |= strstr(line, word) != NULL;
    fclose(file);
    return found;
}

static void components_stay_whole_and_the_ratio_holds(void **state)
{
    (void)state;
    const char *path = scratch("all.tsv"), *train = scratch("train.tsv"), *dev = scratch("dev.tsv");
    write_components(path, 100, 5);
    film_split_options options = {.size = sizeof options, .train_share = 0.8, .seed = 1};
    film_split_result result = {.size = sizeof result};
    assert_ok(film_split(path, train, dev, &options, &result, &error));
    assert_int_equal(result.train_rows, 400);
    assert_int_equal(result.dev_rows, 100);
    assert_int_equal(result.components, 100);
    assert_int_equal(result.largest_component, 5);
    assert_int_equal(count_lines(train), 401); /* both have the header */
    assert_int_equal(count_lines(dev), 101);
    for (int c = 0; c < 100; c++) {
        char word[20];
        snprintf(word, sizeof word, " c%d ", c);
        assert_int_equal(part_of(train, word) + part_of(dev, word), 1);
    }
    film_split_result again = {.size = sizeof again};
    options.seed = 2;
    const char *other = scratch("other.tsv"), *other_dev = scratch("other-dev.tsv");
    assert_ok(film_split(path, other, other_dev, &options, &again, &error));
    int differs = 0;
    for (int c = 0; c < 100; c++) {
        char word[20];
        snprintf(word, sizeof word, " c%d ", c);
        differs |= part_of(dev, word) != part_of(other_dev, word);
    }
    assert_true(differs); /* a different seed gives a different split */
    unlink(path), unlink(train), unlink(dev), unlink(other), unlink(other_dev);
}

static void what_cannot_be_split_is_refused(void **state)
{
    (void)state;
    const char *path = scratch("one.tsv"), *train = scratch("t.tsv"), *dev = scratch("d.tsv");
    film_split_options options = {.size = sizeof options, .train_share = 0.8, .seed = 1};
    film_split_result result = {.size = sizeof result};
    write_components(path, 1, 5);
    assert_int_equal(film_split(path, train, dev, &options, &result, &error), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "all rows are connected"));
    assert_int_not_equal(access(train, F_OK), 0);
    options.train_share = 1;
    assert_int_equal(film_split(path, train, dev, &options, &result, &error), FILM_USAGE);
    options.train_share = 0.5;
    assert_int_equal(film_split("-", train, dev, &options, &result, &error), FILM_USAGE);
    assert_int_equal(film_split(path, "/nowhere/t", dev, &options, &result, &error),
                     FILM_BAD_INPUT);
    write_components(path, 3, 5);
    assert_int_equal(film_split(path, train, "/nowhere/d", &options, &result, &error), FILM_IO);
    assert_int_not_equal(access(train, F_OK), 0);
    unlink(path);
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    const char *path = scratch("oom.tsv"), *train = scratch("t.tsv"), *dev = scratch("d.tsv");
    film_split_options options = {.size = sizeof options, .train_share = 0.8, .seed = 1};
    film_split_result result = {.size = sizeof result};
    write_components(path, 4, 3);
    survives_every_failure(film_split(path, train, dev, &options, &result, &error));
    assert_true(failures_survived > 15);
    unlink(path), unlink(train), unlink(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_stay_whole_and_the_ratio_holds),
        cmocka_unit_test(what_cannot_be_split_is_refused),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
