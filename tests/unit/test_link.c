/* Tests how film_link and film_link_files end early: stopped, misused, without memory.
 * test_dedup.c has what they find. */
#include "pools.h"

#include "film_dedup.h"

enum { RECORDS = 6 };
static film_error error;
static film_model *model;
static film_record a[RECORDS], b[RECORDS];
static char path_a[300], path_b[300];

static int start(void **state)
{
    (void)state;
    static const char *const texts[] = {"I lost my card", "where is my parcel",
                                        "can I pay in euro"};
    static const char rows_a[] = "id\ttext\tcolour\n1\tI lost my card\tred\n2\twhere is it\t\n";
    static const char rows_b[] = "id\ttext\n3\tmy card is lost\n4\tI lost my card\n";
    const char *path = scratch("link.film");
    save_model(path, FILM_METHOD_SVD);
    assert_ok(film_open(path, &model, &error));
    unlink(path);
    for (size_t i = 0; i < RECORDS; i++) {
        a[i].text = film_string(texts[i % 3]);
        b[i].text = film_string(texts[i / 2]);
    }
    snprintf(path_a, sizeof path_a, "%s", scratch("a.tsv"));
    snprintf(path_b, sizeof path_b, "%s", scratch("b.tsv"));
    write_file(path_a, rows_a, strlen(rows_a));
    write_file(path_b, rows_b, strlen(rows_b));
    return 0;
}

static int stop(void **state)
{
    (void)state;
    film_close(model);
    unlink(path_a);
    unlink(path_b);
    return 0;
}

/* Stops at the match *USER counts down to. */
static int count_down(void *user, const film_link_match *match)
{
    (void)match;
    return --*(int *)user == 0;
}

static int cancel(void *user, const char *phase, double done, double total)
{
    (void)user;
    (void)phase;
    return done > total / 2;
}

static void check_columns(void *user, int file, const film_text *names, size_t count)
{
    (void)user;
    assert_int_equal(count, file == 0);
    if (count) assert_memory_equal(names[0].bytes, "colour", 6);
}

static film_status link_with(const film_link_options *options)
{
    return film_link(model, a, RECORDS, b, RECORDS, options, NULL, &error);
}

static void a_call_can_be_stopped(void **state)
{
    (void)state;
    int left = 2;
    film_link_options options = {.size = sizeof options, .match = count_down, .user = &left};
    assert_int_equal(link_with(&options), FILM_CANCELLED);
    assert_int_equal(left, 0);
    options = (film_link_options){.size = sizeof options, .progress = {.call = cancel}};
    assert_int_equal(link_with(&options), FILM_CANCELLED);
    assert_int_equal(film_link_files(model, path_a, path_b, &options, NULL, &error),
                     FILM_CANCELLED);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    film_link_options options = {.size = sizeof options, .threshold = 1.5};
    assert_int_equal(link_with(&options), FILM_USAGE);
    assert_int_equal(film_link(NULL, a, 1, b, 1, NULL, NULL, &error), FILM_USAGE);
    assert_int_equal(film_link(model, NULL, 1, b, 1, NULL, NULL, &error), FILM_USAGE);
    assert_int_equal(film_link(model, a, 1, NULL, 1, NULL, NULL, &error), FILM_USAGE);
    assert_int_equal(film_link_files(NULL, path_a, path_b, NULL, NULL, &error), FILM_USAGE);
    assert_int_equal(film_link_files(model, path_a, NULL, NULL, NULL, &error), FILM_USAGE);
    assert_int_equal(film_link_files(model, NULL, path_b, NULL, NULL, &error), FILM_USAGE);
    assert_int_equal(film_link_files(model, "-", "-", NULL, NULL, &error), FILM_USAGE);
    assert_int_equal(film_link_files(model, path_a, "/nowhere", NULL, NULL, &error), FILM_IO);
    assert_int_equal(film_link_files(model, "/nowhere", path_b, NULL, NULL, &error), FILM_IO);
}

static void nothing_matches_nothing(void **state)
{
    (void)state;
    int left = 100;
    film_link_options options = {.size = sizeof options, .match = count_down, .user = &left};
    assert_ok(film_link(model, a, RECORDS, NULL, 0, &options, NULL, &error));
    assert_int_equal(left, 100 - RECORDS); /* each without a match */
    assert_ok(film_link(model, NULL, 0, b, RECORDS, &options, NULL, &error));
    assert_int_equal(left, 100 - RECORDS);
    assert_ok(film_link(model, a, RECORDS, b, RECORDS, NULL, NULL, &error)); /* no call */
}

static film_status link_both_ways(void)
{
    int left = 100;
    film_link_options options = {.size = sizeof options,
                                 .most = 2,
                                 .match = count_down,
                                 .user = &left,
                                 .columns = check_columns};
    options.answer = (film_answer_options){.size = sizeof options.answer, .threads = 1};
    film_status status = link_with(&options);
    options.most = 1;
    options.unique = 1;
    if (status == FILM_OK) status = film_link_files(model, path_a, path_b, &options, NULL, &error);
    return status;
}

static void memory_that_runs_out_is_reported(void **state)
{
    (void)state;
    survives_every_failure(link_both_ways());
    assert_true(failures_survived > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_call_can_be_stopped),
                                       cmocka_unit_test(nonsense_is_refused),
                                       cmocka_unit_test(nothing_matches_nothing),
                                       cmocka_unit_test(memory_that_runs_out_is_reported)};
    return cmocka_run_group_tests_name("link", tests, start, stop);
}
