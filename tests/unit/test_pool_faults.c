/* Every call of SQLite that an operation of a pool makes fails once, alone. The operation returns
 * an error with a message, or it is done; afterwards the pool is sound and has its old or its new
 * content. The linker puts the functions below in front of SQLite's (--wrap). */
#include "pools.h"

#include "film_review.h"

int __real_sqlite3_step(sqlite3_stmt *statement);
int __real_sqlite3_exec(sqlite3 *db, const char *sql,
                        int (*call)(void *user, int columns, char **values, char **names),
                        void *user, char **message);
int __real_sqlite3_prepare_v3(sqlite3 *db, const char *sql, int bytes, unsigned flags,
                              sqlite3_stmt **out, const char **tail);
int __wrap_sqlite3_step(sqlite3_stmt *statement);
int __wrap_sqlite3_exec(sqlite3 *db, const char *sql,
                        int (*call)(void *user, int columns, char **values, char **names),
                        void *user, char **message);
int __wrap_sqlite3_prepare_v3(sqlite3 *db, const char *sql, int bytes, unsigned flags,
                              sqlite3_stmt **out, const char **tail);

static film_error error;
static long calls, call_to_fail; /* from 1; 0: none */
static long calls_to_open;
static char template[300], path[300], other_model[300], table[300], words[300], exported[300];

static int this_one_fails(void)
{
    return ++calls == call_to_fail;
}

int __wrap_sqlite3_step(sqlite3_stmt *statement)
{
    return this_one_fails() ? SQLITE_IOERR_READ : __real_sqlite3_step(statement);
}

int __wrap_sqlite3_exec(sqlite3 *db, const char *sql,
                        int (*call)(void *user, int columns, char **values, char **names),
                        void *user, char **message)
{
    /* A ROLLBACK cannot fail: SQLite ends the transaction also where the disk fails. */
    if (strcmp(sql, "ROLLBACK") != 0 && this_one_fails()) return SQLITE_FULL;
    return __real_sqlite3_exec(db, sql, call, user, message);
}

int __wrap_sqlite3_prepare_v3(sqlite3 *db, const char *sql, int bytes, unsigned flags,
                              sqlite3_stmt **out, const char **tail)
{
    if (this_one_fails()) return *out = NULL, SQLITE_NOMEM;
    return __real_sqlite3_prepare_v3(db, sql, bytes, flags, out, tail);
}

/* ---- The operations ---- */

static film_status add(film_pool *pool)
{
    film_sentence rows[] = {sentence("a", "I lost a card"), sentence(NULL, "is it open today")};
    film_pool_add_options options = {.size = sizeof options, .threads = 1, .replace = 1};
    return film_pool_add(pool, rows, 2, &options, NULL, &error);
}

static film_status add_files(film_pool *pool)
{
    const char *name = table;
    film_pool_add_options options = {.size = sizeof options, .threads = 1};
    return film_pool_add_files(pool, &name, 1, &options, NULL, &error);
}

static film_status remove_two(film_pool *pool)
{
    film_text ids[] = {film_string("a"), film_string("e")};
    return film_pool_remove(pool, ids, 2, 0, NULL, &error);
}

static film_status label(film_pool *pool)
{
    film_pool_label_row rows[] = {{film_string("b"), film_string("a"), 0},
                                  {film_string("e"), film_string("d"), 1}};
    return film_pool_label_many(pool, rows, 2, "me", NULL, &error);
}

static film_status unlabel(film_pool *pool)
{
    film_pool_label_row row = {film_string("a"), film_string("b"), 1};
    return film_pool_unlabel(pool, &row, 1, NULL, &error);
}

static film_status export_all(film_pool *pool)
{
    film_status status = film_pool_export(pool, exported, FILM_FORMAT_AUTO, NULL, NULL, &error);
    if (status == FILM_OK)
        status = film_pool_export_labels(pool, exported, FILM_FORMAT_AUTO, NULL, &error);
    unlink(exported);
    return status;
}

static film_status know_words(film_pool *pool)
{
    char *text = NULL;
    film_status status = film_pool_store_words(pool, words, NULL, &error);
    if (status == FILM_OK) status = film_pool_words(pool, &text, &error);
    film_free(text);
    return status;
}

static film_status update(film_pool *pool)
{
    return film_pool_update(pool, other_model, 1, NULL, NULL, &error);
}

static int ignore_found(void *user, const film_found *found)
{
    (void)user;
    (void)found;
    return 0;
}

static film_status search(film_pool *pool)
{
    film_pool_where red = {film_string("colour"), film_string("red")};
    film_search_options options = {.size = sizeof options, .k = 2, .where = &red};
    options.answer = (film_answer_options){.size = sizeof options.answer, .threads = 1};
    film_text query = film_string("my card is lost");
    film_status status = film_pool_search(pool, query, &options, ignore_found, NULL, &error);
    options.where_count = 1;
    if (status == FILM_OK)
        status = film_pool_search(pool, query, &options, ignore_found, NULL, &error);
    return status;
}

static film_status dedup(film_pool *pool)
{
    film_dedup_options options = {.size = sizeof options};
    options.answer = (film_answer_options){.size = sizeof options.answer, .threads = 1};
    return film_pool_dedup(pool, &options, NULL, &error);
}

static int ignore_cluster(void *user, const film_pool_cluster *cluster)
{
    (void)user;
    (void)cluster;
    return 0;
}

static film_status list_clusters(film_pool *pool)
{
    film_pool_clusters_options options = {
        .size = sizeof options, .threshold = 0.5, .call = ignore_cluster};
    film_thresholds found = {.size = sizeof found};
    film_thresholds_options curve = {.size = sizeof curve, .budget = 0.5};
    options.answer = (film_answer_options){.size = sizeof options.answer, .threads = 1};
    curve.answer = options.answer;
    film_status status = film_pool_list_clusters(pool, &options, NULL, &error);
    if (status == FILM_OK) status = film_pool_thresholds(pool, &curve, &found, &error);
    return status;
}

static film_status edit_clusters(film_pool *pool, film_cluster_action action, size_t count)
{
    film_text ids[] = {film_string("a"), film_string("d")}, rest = film_string("c");
    film_cluster_edit edit = {.size = sizeof edit, .action = action, .ids = ids, .count = count};
    if (action == FILM_CLUSTER_SPLIT) edit.rest = &rest, edit.rest_count = 1;
    return film_pool_edit_clusters(pool, &edit, NULL, &error);
}

static film_status join(film_pool *pool)
{
    return edit_clusters(pool, FILM_CLUSTER_SAME, 2);
}

static film_status split(film_pool *pool)
{
    return edit_clusters(pool, FILM_CLUSTER_SPLIT, 2);
}

static film_status represent(film_pool *pool)
{
    return edit_clusters(pool, FILM_CLUSTER_REPRESENT, 1);
}

static int ignore_review(void *user, const film_review_pair *pair)
{
    (void)user;
    (void)pair;
    return 0;
}

static film_status review(film_pool *pool)
{
    film_review_estimate estimate = {.size = sizeof estimate};
    film_review_options options = {.size = sizeof options, .count = 2, .call = ignore_review};
    options.answer = (film_answer_options){.size = sizeof options.answer, .threads = 1};
    film_status status = film_pool_review(pool, &options, &error);
    if (status == FILM_OK) status = film_pool_review_estimate(pool, &estimate, &error);
    return status;
}

static film_status set_threshold(film_pool *pool)
{
    return film_pool_set_threshold(pool, 0.6, &error);
}

static film_status describe(film_pool *pool)
{
    char *json[2] = {NULL, NULL};
    film_status status = film_pool_describe_json(pool, &json[0], &error);
    if (status == FILM_OK) status = film_pool_models(pool, &json[1], &error);
    film_free(json[0]);
    film_free(json[1]);
    return status;
}

static film_status check(film_pool *pool)
{
    film_pool_check_options options = {.size = sizeof options, .threads = 1, .repair = 1};
    film_pool_checked checked = {.size = sizeof checked};
    return film_pool_check(pool, &options, &checked, &error);
}

/* ---- The test ---- */

static int append_label(void *user, const film_pool_label_row *row)
{
    char *out = user;
    size_t used = strlen(out);
    snprintf(out + used, 4000 - used, "%.*s%c%.*s ", (int)row->a.length, row->a.bytes,
             row->same ? '=' : '!', (int)row->b.length, row->b.bytes);
    return 0;
}

/* Sentences and labels of a pool that is sound, for comparison. */
static void read_content(char *out)
{
    film_pool *pool = NULL;
    film_pool_checked checked = {.size = sizeof checked};
    out[0] = '\0';
    assert_ok(film_pool_open(path, &pool, &error));
    assert_ok(film_pool_check(pool, NULL, &checked, &error));
    assert_int_equal(checked.problems, 0);
    assert_ok(film_pool_list(pool, NULL, append_sentence, out, &error));
    assert_ok(film_pool_labels(pool, append_label, out, &error));
    film_pool_close(pool);
}

/* Runs the operation on a copy of the pool. */
static film_status run_on_copy(film_status (*operation)(film_pool *pool))
{
    film_pool *pool = NULL;
    static char bytes[1 << 21];
    FILE *in = fopen(template, "rb");
    assert_non_null(in);
    size_t size = fread(bytes, 1, sizeof bytes, in);
    assert_true(size < sizeof bytes);
    fclose(in);
    remove_pool(path);
    write_file(path, bytes, size);
    calls = 0;
    film_status status = film_pool_open(path, &pool, &error);
    if (!call_to_fail) calls_to_open = calls;
    if (status == FILM_OK) status = operation(pool);
    film_pool_close(pool);
    return status;
}

static void a_failed_call_is_an_error_and_loses_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        film_status (*call)(film_pool *pool);
        int changes;
    } operations[] = {{"add", add, 1},
                      {"add files", add_files, 1},
                      {"remove", remove_two, 1},
                      {"label", label, 1},
                      {"unlabel", unlabel, 1},
                      {"export", export_all, 0},
                      {"words", know_words, 0},
                      {"update", update, 0},
                      {"search", search, 0},
                      {"dedup", dedup, 0},
                      {"lists", list_clusters, 0},
                      {"join", join, 1},
                      {"split", split, 1},
                      {"represent", represent, 0},
                      {"review", review, 0},
                      {"threshold", set_threshold, 0},
                      {"describe", describe, 0},
                      {"check", check, 0}};
    static char before[4000], after[4000], found[4000];
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        const char *name = operations[i].name;
        call_to_fail = 0;
        assert_ok(run_on_copy(check));
        read_content(before);
        film_status status = run_on_copy(operations[i].call);
        if (status != FILM_OK) fail_msg("%s: %s", name, error.message);
        long total = calls;
        read_content(after);
        assert_int_equal(strcmp(before, after) != 0, operations[i].changes);
        /* Opening fails in the first operation only; it is the same in all of them. */
        for (long at = i ? calls_to_open + 1 : 1; at <= total; at += at < 60 ? 1 : at / 12) {
            call_to_fail = at;
            error.message[0] = '\0';
            status = run_on_copy(operations[i].call);
            call_to_fail = 0;
            if (status != FILM_OK && !error.message[0]) fail_msg("%s, %ld: no message", name, at);
            film_error kept = error;
            read_content(found);
            if (strcmp(found, after) != 0 && (status == FILM_OK || strcmp(found, before) != 0))
                fail_msg("%s, call %ld of %ld: %d %s: %s", name, at, total, (int)status,
                         kept.message, found);
        }
    }
}

static void set_path(char *out, const char *name)
{
    snprintf(out, 300, "%s", scratch(name));
}

int main(void)
{
    set_path(template, "template.pool");
    set_path(path, "faults.pool");
    set_path(other_model, "other.film");
    set_path(table, "rows.csv");
    set_path(words, "words.txt");
    set_path(exported, "out.csv");
    save_model(other_model, FILM_METHOD_SVD);
    film_pool *pool = new_pool(template);
    film_sentence red = sentence("a", "I lost my card");
    red.more = film_string("{\"colour\":\"red\"}");
    assert_ok(film_pool_add(pool, &red, 1, NULL, NULL, &error));
    add_one(pool, "b", "my card is lost");
    add_one(pool, "c", "where is my parcel");
    add_one(pool, "d", "my parcel has not arrived, where is it");
    add_one(pool, "e", "can I pay in euro");
    assert_ok(film_pool_label(pool, film_string("a"), film_string("b"), 1, NULL, &error));
    assert_ok(edit_clusters(pool, FILM_CLUSTER_SPLIT, 1));
    film_pool_close(pool);
    write_file(table, "id,text,colour\n7,my parcel,blue\n8,lost,red\n", 42);
    write_file(words, "card = ticket\n", 14);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_call_is_an_error_and_loses_nothing)};
    int failed = cmocka_run_group_tests_name("pool faults", tests, NULL, NULL);
    const char *made[] = {other_model, table, words, exported};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) unlink(made[i]);
    remove_pool(template);
    remove_pool(path);
    return failed;
}
