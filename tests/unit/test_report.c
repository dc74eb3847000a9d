/* Tests film_report as a library call: every kind of model and file, hostile text, cancelling,
 * memory. */
#include "faq_model.h"
#include "report/labels.h"

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

static void it_shows_what_it_was_given(void **state)
{
    (void)state;
    film_report_options options = {.size = sizeof options};
    assert_ok(film_report(model, NULL, page_path, &error));
    char *page = read_page();
    assert_non_null(strstr(page, "This needs a labelled evaluation file"));
    assert_null(strstr(page, "id=\"roc\""));
    free(page);
    const char *train[] = {eval_path};
    options.eval = eval_path;
    options.train = train;
    options.train_count = 1;
    options.name = "a<b>.film";
    assert_ok(film_report(model, &options, page_path, &error));
    page = read_page();
    const char *const parts[] = {"id=\"roc\"",           "id=\"precision-recall\"",
                                 "id=\"calibration\"",   "id=\"log-loss\"",
                                 "id=\"confusion\"",     "id=\"knn-rates\"",
                                 "id=\"shape-1\"",       "id=\"shape-two-1\"",
                                 "id=\"map-sentences\"", "id=\"map-words\"",
                                 "id=\"training-loss\"", "id=\"training-gradient\"",
                                 "id=\"audit-eval\"",    "id=\"audit-train\"",
                                 "a&lt;b&gt;.film",      "pairs of the training data"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(page, parts[i])) fail_msg("no %s", parts[i]);
    assert_null(strstr(page, "a<b>"));
    free(page);
}

static void other_systems_are_listed_too(void **state)
{
    (void)state;
    film_report_options options = {.size = sizeof options};
    options.name = "own.film";
    options.compare = systems_path;
    assert_ok(film_report(model, &options, page_path, &error));
    char *page = read_page();
    assert_non_null(strstr(page, "<tr class=\"this\"><td><bdi>this</bdi>"));
    assert_non_null(strstr(page, "<bdi>&lt;b&gt;, &amp;</bdi>"));
    assert_null(strstr(page, "<b>, "));
    assert_non_null(strstr(page, "id=\"others-log-loss\""));
    assert_null(strstr(page, "id=\"others-training\""));
    free(page);
}

/* The training history as a model file has it, drawn by the section alone. */
static void training_histories_are_drawn(void **state)
{
    (void)state;
    static const struct {
        const char *figures, *ids[4], *values;
    } cases[] = {
        {"{\"film\": {\"iterations\": 3, \"history_columns\": [\"hinge\", \"satisfied\", "
         "\"gradient\"],"
         " \"history\": [[0.9, 0.25, 2], [0.5, 0.5, 0.1], [0.25, 0.75, 0.01]]}}",
         {"training-hinge", "training-satisfied", "training-gradient", "Figure 2 of the paper"},
         "hinge%20loss,1,0.9"},
        {"{\"network\": {\"steps\": 40, \"history_columns\": [\"epoch\", \"loss\"],"
         " \"history\": [[0.5, 3], [1, 1.5]]}}",
         {"training-loss", "network", "epoch", "training-loss.csv"},
         "loss,0.5,3"}};
    static const film_model bare;
    for (size_t i = 0; i < 2; i++) {
        json_t *figures = json_loads(cases[i].figures, 0, NULL);
        struct report report = {.model = &bare, .about = json_pack("{s:o}", "figures", figures)};
        assert_ok(training_section(&report, &error));
        markup_raw(&report.body, "");
        markup_bytes(&report.body, "", 1);
        for (size_t j = 0; j < 4; j++)
            if (!strstr(report.body.bytes, cases[i].ids[j])) fail_msg("no %s", cases[i].ids[j]);
        if (!strstr(report.body.bytes, cases[i].values)) fail_msg("no %s", cases[i].values);
        /* The paper's value is a line of its own, in the units of the plot. */
        assert_int_equal(strstr(report.body.bytes, "0.00562") != NULL, i == 0);
        json_decref(report.about);
        markup_free(&report.body);
        markup_free(&report.contents);
    }
}

/* A model that answers categories lists them in its evaluation; the worst come first. */
static void categories_of_the_model_are_sorted(void **state)
{
    (void)state;
    struct report report = {.model = NULL};
    struct corpus corpus = {.labels = FILM_LABELS_CATEGORIES};
    json_t *answer = json_loads(
        "{\"classes\": [{\"category\": \"good\", \"rows\": 5, \"precision\": 1, \"recall\": 0.8, "
        "\"f1\": 0.9},"
        " {\"category\": \"<bad>\", \"rows\": 4, \"precision\": 0.5, \"recall\": 0.25, \"f1\": "
        "0.33},"
        " {\"category\": \"absent\", \"rows\": 0, \"precision\": 0, \"recall\": 0, \"f1\": 0}],"
        " \"confusions\": [{\"category\": \"<bad>\", \"answered\": \"good\", \"rows\": 3}]}",
        0, NULL);
    struct eval_view view = {.corpus = &corpus, .answer = answer};
    assert_ok(labels_of_categories(&report, &view, &error));
    markup_bytes(&report.body, "", 1);
    const char *bad = strstr(report.body.bytes, "<bdi>&lt;bad&gt;</bdi>");
    assert_non_null(bad);
    assert_non_null(strstr(bad,
                           ">4</td><td class=\"figure\">50 %</td><td class=\"figure\">25 %</td>"
                           "<td><bdi>good</bdi> <small>(3)</small>"));
    assert_non_null(strstr(bad, "<td><bdi>good</bdi></td>"));
    assert_null(strstr(report.body.bytes, "absent"));
    json_decref(answer);
    markup_free(&report.body);
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
        cmocka_unit_test(it_shows_what_it_was_given),
        cmocka_unit_test(other_systems_are_listed_too),
        cmocka_unit_test(training_histories_are_drawn),
        cmocka_unit_test(categories_of_the_model_are_sorted),
        cmocka_unit_test(one_thread_writes_the_same_page),
        cmocka_unit_test(stopping_leaves_no_page),
        cmocka_unit_test(without_memory_it_reports_it),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests_name("report", tests, set_up, tear_down);
}
