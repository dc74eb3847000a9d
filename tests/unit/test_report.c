/* Tests film_report as a library call: the data in its page, hostile text, cancelling, memory. What
 * the page draws of it, tests/e2e/page_report.mjs tests. */
#include "faq_model.h"
#include "report/parts.h"

static film_model *model;
static char eval_path[300], page_path[300], systems_path[300];

/* The page at PATH; the caller frees it. */
static char *read_page(void)
{
    FILE *file = fopen(page_path, "rb");
    assert_non_null(file);
    char *bytes = malloc(4 << 20);
    size_t size = fread(bytes, 1, (4 << 20) - 1, file);
    assert_true(size < (4 << 20) - 1); /* a few megabytes at most */
    bytes[size] = 0;
    fclose(file);
    return bytes;
}

/* The data in the page; the caller drops the reference. */
static json_t *read_data(void)
{
    static const char begin[] = "<script type=\"application/json\" id=\"page-data\">\n";
    char *page = read_page(), *data = strstr(page, begin);
    assert_non_null(data);
    data += strlen(begin);
    char *end = strstr(data, "</script>");
    assert_non_null(end);
    json_t *parsed = json_loadb(data, (size_t)(end - data), JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(parsed);
    free(page);
    return parsed;
}

/* The member at a path of keys, "data.eval.pairs"; numbers are places in a list. */
static json_t *at(json_t *value, const char *path)
{
    char key[40];
    while (value && *path) {
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        value = json_is_array(value) ? json_array_get(value, strtoul(key, NULL, 10))
                                     : json_object_get(value, key);
        path += length + (path[length] == '.');
    }
    return value;
}

static void write_systems(const char *text)
{
    FILE *file = fopen(systems_path, "w");
    fputs(text, file);
    fclose(file);
}

static int set_up(void **state)
{
    (void)state;
    model = faq_shared();
    strcpy(eval_path, scratch("eval.tsv"));
    strcpy(page_path, scratch("page.html"));
    strcpy(systems_path, scratch("systems.csv"));
    write_systems("system,model,log_loss\nthis,own.film,0.4\n\"<b>, &\",x.film,0.5\n");
    FILE *file = fopen(eval_path, "w");
    fprintf(file, "label\tquestion1\tquestion2\n");
    for (size_t i = 0; i < 120; i++)
        fprintf(file, "%d\t%s\t%s\n", faq[5 * i].label, faq[5 * i].a, faq[5 * i].b);
    fclose(file);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    film_close(model);
    unlink(eval_path);
    unlink(page_path);
    unlink(systems_path);
    return 0;
}

static void it_holds_what_it_was_given(void **state)
{
    (void)state;
    film_report_options options = {.size = sizeof options};
    assert_ok(film_report(model, NULL, page_path, &error));
    json_t *data = read_data();
    assert_true(json_is_null(at(data, "eval")));
    assert_true(json_is_null(at(data, "files.eval")));
    assert_int_equal(json_object_size(at(data, "quality")), 0);
    json_decref(data);
    const char *train[] = {eval_path};
    options.eval = eval_path;
    options.train = train;
    options.train_count = 1;
    options.name = "a</script><b>.film";
    assert_ok(film_report(model, &options, page_path, &error));
    data = read_data();
    const char *const parts[] = {"quality.pairs.50.3",           "mistakes.3.count",
                                 "reasons.totals.words.weight",  "eval.knn.54.tpr",
                                 "shapes.curves.0.y.1",          "shapes.heats.0.values.0",
                                 "map.sentences.points.0.3",     "map.words.points.0.3",
                                 "figures.ranking.history.0.1",  "data.eval.audit.auc",
                                 "data.train.audit.by_common.5", "data.leaks.pairs",
                                 "dimensions.largest.59.2",      "dimensions.list.5.words.23.1"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!at(data, parts[i])) fail_msg("no %s", parts[i]);
    assert_string_equal(json_string_value(at(data, "name")), options.name);
    assert_string_equal(json_string_value(at(data, "files.eval")), strrchr(eval_path, '/') + 1);
    assert_int_equal(json_integer_value(at(data, "data.leaks.pairs")), 120);
    json_decref(data);
}

static void other_systems_are_listed_too(void **state)
{
    (void)state;
    film_report_options options = {.size = sizeof options};
    options.name = "own.film";
    options.compare = systems_path;
    assert_ok(film_report(model, &options, page_path, &error));
    json_t *data = read_data();
    assert_true(json_is_true(at(data, "others.0.own")));
    assert_false(json_is_true(at(data, "others.1.own")));
    assert_string_equal(json_string_value(at(data, "others.1.name")), "<b>, &");
    assert_float_equal(json_real_value(at(data, "others.1.log_loss")), 0.5, 0);
    assert_true(json_is_null(at(data, "others.1.training_seconds")));
    json_decref(data);
}

/* However a text may look, it cannot end the element that holds the data. */
static void no_text_ends_the_data(void **state)
{
    (void)state;
    film_report_options options = {.size = sizeof options};
    options.name = "</script><script>alert(1)</script><!--";
    assert_ok(film_report(model, &options, page_path, &error));
    char *page = read_page();
    size_t scripts = 0;
    for (const char *found = page; (found = strstr(found, "</script")); found++) scripts++;
    assert_int_equal(scripts, 2); /* the data and the script */
    assert_null(strstr(page, "<script>alert"));
    assert_null(strstr(page, "<!--"));
    free(page);
}

static void texts_are_cut_and_valid(void **state)
{
    (void)state;
    static const struct {
        const char *text, *kept;
        size_t most;
    } cases[] = {{"a\xffz", "a\xEF\xBF\xBDz", 240},
                 {"cut \xc3", "cut \xEF\xBF\xBD", 240},
                 {"\xc0\xaf", "\xEF\xBF\xBD\xEF\xBF\xBD", 240},                 /* overlong */
                 {"\xed\xa0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", 240}, /* a surrogate */
                 {"\xf0\x9f\x98\x80 \xd7\x90", "\xf0\x9f\x98\x80 \xd7\x90", 240},
                 {"\xc3\xa4\xc3\xb6\xc3\xbc", "\xE2\x80\xA6", 1},
                 {"\xc3\xa4\xc3\xb6\xc3\xbc", "\xc3\xa4\xE2\x80\xA6", 3},
                 {"\xc3\xa4\xc3\xb6\xc3\xbc", "\xc3\xa4\xc3\xb6\xc3\xbc", 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        film_text text = {cases[i].text, strlen(cases[i].text)};
        json_t *kept = text_json(text, cases[i].most);
        assert_string_equal(json_string_value(kept), cases[i].kept);
        json_decref(kept);
    }
}

static void one_thread_writes_the_same_page(void **state)
{
    (void)state;
    film_report_options options = {.size = sizeof options};
    options.eval = eval_path;
    char *page[2];
    for (int i = 0; i < 2; i++) {
        options.threads = 1 + i;
        assert_ok(film_report(model, &options, page_path, &error));
        page[i] = read_page();
    }
    assert_string_equal(page[0], page[1]);
    free(page[0]);
    free(page[1]);
}

static int stop_after(void *user, const char *phase, double done, double total)
{
    (void)phase, (void)done, (void)total;
    int *left = user;
    return (*left)-- <= 0;
}

static void stopping_leaves_no_page(void **state)
{
    (void)state;
    film_report_options options = {.size = sizeof options};
    options.eval = eval_path;
    unlink(page_path);
    film_status status = FILM_CANCELLED;
    int stopped = 0;
    /* The number of reports depends on timing: first try every one, then in growing steps. */
    for (int after = 0; status == FILM_CANCELLED; after += 1 + after / 4) {
        int left = after;
        options.progress = (film_progress){stop_after, &left, NULL};
        status = film_report(model, &options, page_path, &error);
        stopped += status == FILM_CANCELLED;
        if (status == FILM_CANCELLED) assert_int_equal(access(page_path, F_OK), -1);
    }
    assert_int_equal(status, FILM_OK);
    assert_true(stopped > 3);
}

/* Allocations number 0, 1, 2, 4, 8, ...: all of them would take minutes. */
static void without_memory_it_reports_it(void **state)
{
    (void)state;
    film_report_options options = {.size = sizeof options};
    options.eval = eval_path;
    options.compare = systems_path;
    options.threads = 1;
    survives_failures_of_training(FILM_OK, film_report(model, &options, page_path, &error));
    assert_true(failures_survived > 500);
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    film_report_options options = {.size = sizeof options};
    assert_int_equal(film_report(NULL, NULL, page_path, &error), FILM_USAGE);
    assert_int_equal(film_report(model, NULL, NULL, &error), FILM_USAGE);
    options.pool = eval_path;
    assert_int_equal(film_report(model, &options, page_path, &error), FILM_USAGE);
    options.pool = NULL;
    options.eval = "/nonexistent/file.tsv";
    assert_int_equal(film_report(model, &options, page_path, &error), FILM_IO);
    options.eval = NULL;
    assert_int_equal(film_report(model, &options, "/nonexistent/page.html", &error), FILM_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_holds_what_it_was_given),
        cmocka_unit_test(other_systems_are_listed_too),
        cmocka_unit_test(no_text_ends_the_data),
        cmocka_unit_test(texts_are_cut_and_valid),
        cmocka_unit_test(one_thread_writes_the_same_page),
        cmocka_unit_test(stopping_leaves_no_page),
        cmocka_unit_test(without_memory_it_reports_it),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests_name("report", tests, set_up, tear_down);
}
