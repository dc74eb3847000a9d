/* Tests film_review.h: labels that are removed, thresholds, edits of clusters, under every
 * failure of memory and with damaged settings. tests/cli/serve_view.sh compares with numpy. */
#include "pools.h"

#include <math.h>

static film_error error;
static film_pool *pool;
static const char *path;

static int start(void **state)
{
    (void)state;
    path = scratch("review.pool");
    pool = new_pool(path);
    add_one(pool, "a", "I lost my card");
    add_one(pool, "b", "my card is lost");
    add_one(pool, "c", "where is my parcel");
    add_one(pool, "d", "my parcel has not arrived, where is it");
    add_one(pool, "e", "can I pay in euro");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    film_pool_close(pool);
    remove_pool(path);
    return 0;
}

/* "a=b d!c " for the labels a, b: the same; c, d: different; in the order of film_pool_labels. */
static int append_label(void *user, const film_pool_label_row *label)
{
    char *out = user;
    size_t used = strlen(out);
    snprintf(out + used, 200 - used, "%.*s%c%.*s ", (int)label->a.length, label->a.bytes,
             label->same ? '=' : '!', (int)label->b.length, label->b.bytes);
    return 0;
}

static const char *labels(void)
{
    static char out[200];
    out[0] = 0;
    assert_ok(film_pool_labels(pool, append_label, out, &error));
    return out;
}

static film_status edit(film_cluster_action action, const char *ids, const char *rest)
{
    film_text list[8], others[8];
    film_cluster_edit wanted = {
        .size = sizeof wanted, .action = action, .ids = list, .rest = others};
    for (; *ids; ids++) list[wanted.count++] = (film_text){ids, 1};
    for (; *rest; rest++) others[wanted.rest_count++] = (film_text){rest, 1};
    return film_pool_edit_clusters(pool, &wanted, NULL, &error);
}

static void a_removed_label_is_gone_everywhere(void **state)
{
    (void)state;
    film_pool_label_row rows[] = {{film_string("b"), film_string("a"), 1},
                                  {film_string("c"), film_string("d"), 1}};
    film_pool_description about = {.size = sizeof about};
    uint64_t removed, before, after;
    assert_ok(film_pool_label_many(pool, rows, 2, "me", NULL, &error));
    assert_string_equal(labels(), "a=b c=d ");
    assert_ok(film_pool_changes(pool, &before, &error));
    assert_ok(film_pool_unlabel(pool, rows, 1, &removed, &error));
    assert_int_equal(removed, 1);
    assert_ok(film_pool_changes(pool, &after, &error));
    assert_int_equal(after, before + 1);
    assert_string_equal(labels(), "c=d ");
    assert_ok(film_pool_describe(pool, &about, &error));
    assert_int_equal(about.labels, 1);
    assert_int_equal(about.clusters, 1);
    assert_ok(film_pool_unlabel(pool, rows, 1, &removed, &error)); /* twice is harmless */
    assert_int_equal(removed, 0);
    rows[1].a = film_string("nobody");
    assert_int_equal(film_pool_unlabel(pool, rows, 2, &removed, &error), FILM_BAD_INPUT);
    assert_string_equal(labels(), "c=d "); /* all or nothing */
    assert_ok(film_pool_label_many(pool, rows, 1, "", NULL, &error));
    assert_string_equal(labels(), "a=b c=d "); /* the same label again is new */
}

static void origins_keep_the_probability(void **state)
{
    (void)state;
    char origin[FILM_REVIEW_ORIGIN];
    film_review_pair pair = {.probability = 0.83117, .same = 1, .random = 1}, read;
    film_review_origin(&pair, origin);
    assert_string_equal(origin, "review random same 0.8312");
    assert_true(film_review_read_origin(film_string(origin), &read));
    assert_true(read.random && read.same && read.probability == 0.8312);
    pair = (film_review_pair){.probability = 1};
    film_review_origin(&pair, origin);
    assert_string_equal(origin, "review chosen different 1.0000");
    const char *others[] = {"",
                            "http",
                            "review",
                            "review random same ",
                            "review random different",
                            "review random same 0.831",
                            "review random same 1.8312",
                            "review random same 0.83x2",
                            "review random sameness"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(film_review_read_origin(film_string(others[i]), &read));
}

static void edits_become_labels(void **state)
{
    (void)state;
    assert_ok(edit(FILM_CLUSTER_SAME, "abc", ""));
    assert_string_equal(labels(), "a=b a=c ");
    assert_ok(edit(FILM_CLUSTER_SPLIT, "c", "ab"));
    assert_string_equal(labels(), "a=b a!c b!c ");
    assert_ok(edit(FILM_CLUSTER_SAME, "bac", "")); /* overrules a!c, which is not in the star */
    assert_string_equal(labels(), "a=b a=c b=c ");
    assert_ok(edit(FILM_CLUSTER_SAME, "abc", "")); /* nothing new */
    assert_string_equal(labels(), "a=b a=c b=c ");
    assert_int_equal(edit(FILM_CLUSTER_SPLIT, "a", "a"), FILM_USAGE);
    assert_int_equal(edit(FILM_CLUSTER_REPRESENT, "ab", ""), FILM_USAGE);
    assert_int_equal(edit(FILM_CLUSTER_ACTION_COUNT, "ab", ""), FILM_USAGE);
    assert_string_equal(labels(), "a=b a=c b=c ");
}

static void write_setting(const char *name, const char *value)
{
    sqlite3 *database = NULL;
    char *sql = sqlite3_mprintf("INSERT OR REPLACE INTO setting VALUES (%Q, %Q)", name, value);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_free(sql);
    sqlite3_close(database);
}

static void settings_may_hold_anything(void **state)
{
    (void)state;
    film_pool_clusters_options all = {.size = sizeof all, .threshold = 0.5};
    write_setting("representative:x", "y");
    write_setting("representative:0000000000000000001", "-7");
    assert_ok(film_pool_list_clusters(pool, &all, NULL, &error));
    write_setting("threshold", "nan");
    film_dedup_options dedup = {.size = sizeof dedup};
    assert_int_equal(film_pool_dedup(pool, &dedup, NULL, &error), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "invalid threshold"));
}

static int count_calls(void *user, const film_pool_cluster *cluster)
{
    (void)cluster;
    ++*(int *)user;
    return 0;
}

static int count_progress(void *user, const char *stage, double done, double total)
{
    (void)stage;
    (void)done;
    (void)total;
    ++*(int *)user;
    return 0;
}

/* Returns whether listing the clusters compared sentences. */
static int lists_anew(double threshold, film_cluster_order order)
{
    int steps = 0, calls = 0;
    film_pool_clusters_options list = {.size = sizeof list,
                                       .threshold = threshold,
                                       .order = order,
                                       .progress = {count_progress, &steps, NULL},
                                       .call = count_calls,
                                       .user = &calls};
    assert_ok(film_pool_list_clusters(pool, &list, NULL, &error));
    assert_true(calls > 0);
    return steps > 0;
}

static void clusters_are_kept_until_the_pool_changes(void **state)
{
    (void)state;
    film_pool *other = NULL;
    assert_ok(edit(FILM_CLUSTER_SAME, "ab", ""));
    assert_true(lists_anew(0.5, FILM_CLUSTERS_BY_SIZE));
    assert_false(lists_anew(0.5, FILM_CLUSTERS_BY_SIZE));
    assert_false(lists_anew(0.5, FILM_CLUSTERS_BY_DOUBT));
    assert_true(lists_anew(0.6, FILM_CLUSTERS_BY_DOUBT));
    assert_ok(edit(FILM_CLUSTER_SAME, "cd", ""));
    assert_true(lists_anew(0.6, FILM_CLUSTERS_BY_DOUBT));
    assert_ok(film_pool_open(path, &other, &error)); /* as another process */
    add_one(other, "f", "where is my card");
    film_pool_close(other);
    assert_true(lists_anew(0.6, FILM_CLUSTERS_BY_DOUBT));
    assert_false(lists_anew(0.6, FILM_CLUSTERS_BY_DOUBT));
}

static film_status look_and_edit(void)
{
    film_thresholds found = {.size = sizeof found};
    film_thresholds_options curve = {.size = sizeof curve, .budget = 0.5, .answer = {.threads = 1}};
    curve.answer.size = sizeof curve.answer;
    int calls = 0;
    film_pool_clusters_options list = {.size = sizeof list,
                                       .threshold = 0.5,
                                       .answer = curve.answer,
                                       .call = count_calls,
                                       .user = &calls};
    film_status status = film_pool_thresholds(pool, &curve, &found, &error);
    if (status == FILM_OK) status = film_pool_list_clusters(pool, &list, NULL, &error);
    if (status == FILM_OK) status = edit(FILM_CLUSTER_SPLIT, "ab", "cd");
    if (status == FILM_OK) status = edit(FILM_CLUSTER_REPRESENT, "a", "");
    return status;
}

static void memory_that_runs_out_is_reported(void **state)
{
    (void)state;
    char origin[FILM_REVIEW_ORIGIN];
    film_review_pair pair = {.probability = 0.7, .same = 1, .random = 1};
    film_review_origin(&pair, origin);
    assert_ok(film_pool_label(pool, film_string("a"), film_string("e"), 0, origin, &error));
    assert_ok(look_and_edit()); /* loads the model */
    survives_every_failure(look_and_edit());
    assert_true(failures_survived > 100);
}

/* The verdict of the pool's model on a pair, with this prior (0: 0.5). */
static film_verdict verdict_with(double prior, const film_model **model)
{
    film_context *context = NULL;
    film_verdict verdict;
    film_answer_options options = {.size = sizeof options, .prior = prior};
    assert_ok(film_pool_model(pool, model, &error));
    assert_ok(film_context_new(*model, &context, &error));
    assert_ok(film_context_set(context, &options, &error));
    assert_ok(film_match(context, film_string("where is my card"), film_string("I lost my card"),
                         &verdict, &error));
    film_context_free(context);
    return verdict;
}

static void a_threshold_decides_and_survives(void **state)
{
    (void)state;
    const film_model *model = NULL, *later = NULL;
    double bad[] = {-0.1, 1, 1.5, 0.00001};
    /* The model of this test is very sure; a prior moves the probability to 0.5. */
    double prior = 1 / (1 + exp(verdict_with(0, &model).log_odds));
    assert_true(fabs(verdict_with(prior, &model).probability - 0.5) < 1e-6);
    assert_false(film_pool_outdated(pool, model));
    assert_ok(film_pool_set_threshold(pool, 0.51, &error));
    assert_true(film_pool_outdated(pool, model));
    assert_false(verdict_with(prior, &later).same);
    assert_ptr_not_equal(model, later);
    assert_ok(film_pool_set_threshold(pool, 0.49, &error));
    assert_true(verdict_with(prior, &later).same);
    assert_ok(film_pool_set_threshold(pool, 0.9999, &error));
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(film_pool_set_threshold(pool, bad[i], &error), FILM_USAGE);
    film_pool_close(pool);
    assert_ok(film_pool_open(path, &pool, &error));
    film_pool_description about = {.size = sizeof about};
    assert_ok(film_pool_describe(pool, &about, &error));
    assert_true(about.threshold == 0.9999);
    assert_ok(film_pool_set_threshold(pool, 0, &error));
    assert_ok(film_pool_describe(pool, &about, &error));
    assert_true(about.threshold == 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(a_removed_label_is_gone_everywhere),
                                       TEST(origins_keep_the_probability),
                                       TEST(edits_become_labels),
                                       TEST(settings_may_hold_anything),
                                       TEST(clusters_are_kept_until_the_pool_changes),
                                       TEST(memory_that_runs_out_is_reported),
                                       TEST(a_threshold_decides_and_survives)};
    return cmocka_run_group_tests_name("pool review", tests, NULL, NULL);
}
