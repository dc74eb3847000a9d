/* Tests damaged pools, foreign databases and lack of memory: a message, never a crash; and what can
 * be recomputed is. */
#include "pools.h"

#include "store/store.h"

static film_error error;

/* ---- SQLite's own memory ---- */

static sqlite3_mem_methods standard;
static long sqlite_left = -1; /* allocations until it fails; -1: never */

static void *scarce_malloc(int size)
{
    return sqlite_left >= 0 && sqlite_left-- <= 0 ? (sqlite_left = 0, NULL)
                                                  : standard.xMalloc(size);
}
static void *scarce_realloc(void *memory, int size)
{
    return sqlite_left >= 0 && sqlite_left-- <= 0 ? (sqlite_left = 0, NULL)
                                                  : standard.xRealloc(memory, size);
}

/* ---- Opening ---- */

static const char *pool_of_three(const char *name)
{
    const char *path = scratch(name);
    film_pool *pool = new_pool(path);
    add_one(pool, "a", "I lost my card");
    add_one(pool, "b", "where is my parcel");
    add_one(pool, "c", "can I pay in euro");
    assert_ok(film_pool_label(pool, film_string("a"), film_string("b"), 0, NULL, &error));
    film_pool_close(pool);
    return path;
}

static void expect_refused(const char *path, const char *message)
{
    film_pool *pool = NULL;
    film_status status = film_pool_open(path, &pool, &error);
    if (status == FILM_OK) {
        const film_model *model;
        status = film_pool_model(pool, &model, &error);
    }
    assert_int_equal(status, FILM_BAD_INPUT);
    if (!strstr(error.message, message)) fail_msg("%s", error.message);
    film_pool_close(pool);
}

static void what_is_not_a_pool_is_refused(void **state)
{
    (void)state;
    const char *path = scratch("not.pool");
    film_pool *pool = NULL;
    remove_pool(path);
    assert_int_equal(film_pool_open(path, &pool, &error), FILM_IO);
    assert_null(pool);
    write_file(path, "some text that is no database, and long enough to be looked at\n", 63);
    expect_refused(path, "is not a pool; create one first");
    write_file(path, "", 0);
    expect_refused(path, "is not a pool; create one first");
    unlink(path);
    run_sql(path, "CREATE TABLE t (x)");
    expect_refused(path, "is not a pool; create one first");
    run_sql(path, "PRAGMA application_id = 1179208781; PRAGMA user_version = 2");
    expect_refused(path, "its tables are not the tables of a pool");
    run_sql(path, "PRAGMA user_version = -3");
    expect_refused(path, "is a pool of version -3; this program reads version 2");
    remove_pool(path);
    assert_int_equal(film_pool_open("/tmp", &pool, &error), FILM_IO);
    assert_string_equal(error.message, "/tmp is a directory, not a file");
}

static void changed_pools_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *message;
    } cases[] = {
        {"PRAGMA user_version = 99", "is a pool of version 99; this program reads version 2"},
        {"PRAGMA user_version = 1", "is a pool of version 1; this program reads version 2"},
        {"PRAGMA application_id = 7", "is not a pool"},
        {"DROP TABLE label", "its tables are not the tables of a pool"},
        {"CREATE TABLE more (x)", "its tables are not the tables of a pool"},
        {"CREATE TRIGGER t AFTER INSERT ON sentence BEGIN DELETE FROM label; END",
         "its tables are not the tables of a pool"},
        {"DELETE FROM setting WHERE name = 'dim'", "the vector length is 0"},
        {"UPDATE setting SET value = -1 WHERE name = 'dim'", "invalid vector length -1"},
        {"UPDATE setting SET value = 6 WHERE name = 'dim'", "the vector length is 6"},
        {"DELETE FROM model", "wrong size"},
        {"UPDATE model SET bytes = substr(bytes, 1, length(bytes) - 1)", "wrong size"},
        {"UPDATE model SET chunk = 5", "missing chunk"},
        {"UPDATE setting SET value = 1e15 WHERE name = 'model_size'", "wrong size"},
        {"UPDATE model SET bytes = zeroblob(length(bytes))", "checksum mismatch"},
        {"UPDATE setting SET value = 'x' WHERE name = 'model_checksum'", "checksum mismatch"},
        {"DELETE FROM setting", "wrong size"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = pool_of_three("changed.pool");
        run_sql(path, cases[i].sql);
        expect_refused(path, cases[i].message);
        remove_pool(path);
    }
}

/* Any byte may be wrong: opened or refused, listed or refused, but no crash and no endless loop. */
static void damaged_bytes_never_crash(void **state)
{
    (void)state;
    const char *path = pool_of_three("bytes.pool"), *copy = scratch("copy.pool");
    static unsigned char bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size > 10000 && size < sizeof bytes);
    uint32_t random = 12345;
    for (int round = 0; round < 150; round++) {
        static unsigned char damaged[sizeof bytes];
        memcpy(damaged, bytes, size);
        size_t length = size;
        for (int i = 0; i < 1 + round % 30; i++) {
            random = random * 1664525 + 1013904223;
            size_t at = (random >> 4) % (round % 3 ? size : 200); /* often in the header */
            damaged[at] = (unsigned char)(random >> 24);
        }
        if (round % 7 == 0) length = (random >> 3) % size;
        remove_pool(copy);
        write_file(copy, (const char *)damaged, length);
        film_pool *pool = NULL;
        film_pool_checked checked = {.size = sizeof checked};
        char out[4000] = "";
        if (film_pool_open(copy, &pool, &error) == FILM_OK) {
            film_sentence more = sentence("new", "where is my card");
            film_pool_list(pool, NULL, append_sentence, out, &error);
            film_pool_check(pool,
                            &(film_pool_check_options){.size = sizeof(film_pool_check_options),
                                                       .full = 1,
                                                       .repair = round % 2},
                            &checked, &error);
            film_pool_add(pool, &more, 1, NULL, NULL, &error);
        } else {
            assert_true(strlen(error.message) > 0);
        }
        film_pool_close(pool);
    }
    remove_pool(copy);
    remove_pool(path);
}

/* ---- Checking and repairing ---- */

static char lines[2000];

static void append_line(void *user, const char *line)
{
    (void)user;
    size_t used = strlen(lines);
    snprintf(lines + used, sizeof lines - used, "%s;", line);
}

static film_pool_checked check(const char *path, int full, int repair)
{
    film_pool *pool = NULL;
    film_pool_checked checked = {.size = sizeof checked};
    film_pool_check_options options = {
        .size = sizeof options, .full = full, .repair = repair, .problem = append_line};
    lines[0] = 0;
    assert_ok(film_pool_open(path, &pool, &error));
    assert_ok(film_pool_check(pool, &options, &checked, &error));
    film_pool_close(pool);
    return checked;
}

static void caches_are_repaired(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *problem;
    } cases[] = {
        {"DELETE FROM vector WHERE number = 2", "sentence \"b\" has no vector;"},
        {"UPDATE vector SET bytes = x'00' WHERE number = 1",
         "sentence \"a\" has a vector of the wrong length;"},
        {"UPDATE vector SET bytes = zeroblob(length(bytes)) WHERE number = 3",
         "sentence \"c\": the vector does not match the text;"},
        {"UPDATE vector SET bytes = CAST(x'0000c07f' || substr(bytes, 5) AS BLOB) WHERE number = 1",
         "sentence \"a\" has a vector that is not finite;"},
        {"PRAGMA foreign_keys = OFF; INSERT INTO vector VALUES (77, x'00')",
         "a vector of a missing sentence;"},
        {"UPDATE setting SET value = 1 WHERE name = 'changes'",
         "the counter of changes is 1, but change 4 exists;"},
        {"UPDATE sqlite_sequence SET seq = 1 WHERE name = 'sentence'",
         "the counter of sentences is 1, but sentence number 3 exists;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = pool_of_three("repair.pool");
        film_pool_checked checked = check(path, 0, 0);
        assert_int_equal(checked.problems, 0);
        assert_int_equal(checked.compared, 3);
        run_sql(path, cases[i].sql);
        checked = check(path, 0, 0);
        assert_string_equal(lines, cases[i].problem);
        assert_int_equal(checked.problems, 1);
        assert_int_equal(checked.repaired, 0);
        checked = check(path, 0, 1);
        assert_int_equal(checked.repaired, 1);
        checked = check(path, 1, 0);
        assert_string_equal(lines, "");
        assert_int_equal(checked.problems, 0);
        assert_int_equal(checked.vectors, 3);
        remove_pool(path);
    }
}

static void what_the_user_gave_is_reported_and_not_changed(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *problem;
    } cases[] = {
        {"UPDATE sentence SET text = 'I lost my cart' WHERE id = 'a'",
         "sentence \"a\": checksum mismatch; add it again and replace it;"},
        {"UPDATE sentence SET category = 'x' WHERE id = 'b'",
         "sentence \"b\": checksum mismatch; add it again and replace it;"},
        {"PRAGMA foreign_keys = OFF; INSERT INTO label VALUES (1, 99, 1, '', '', 4)",
         "a label of a missing sentence;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = pool_of_three("user.pool");
        run_sql(path, cases[i].sql);
        for (int repair = 0; repair < 2; repair++) {
            film_pool_checked checked = check(path, 1, repair);
            assert_string_equal(lines, cases[i].problem);
            assert_int_equal(checked.problems, 1);
            assert_int_equal(checked.repaired, 0);
        }
        remove_pool(path);
    }
}

/* ROOM bytes: an object nested DEPTH levels deep. */
static const char *nested(char *out, size_t room, size_t depth)
{
    size_t used = 0;
    assert_true(7 * depth + 1 < room);
    for (size_t i = 0; i < depth; i++) used += (size_t)sprintf(out + used, "{\"]\":");
    out[used++] = '0';
    for (size_t i = 0; i < depth; i++) out[used++] = '}';
    out[used] = 0;
    return out;
}

static int count_found(void *user, const film_found *found)
{
    (void)found;
    ++*(int *)user;
    return 0;
}

/* SQLite reads at most 2000 levels: one such object made every filtered search fail. */
static void deeply_nested_fields_are_refused_and_survived(void **state)
{
    (void)state;
    static char json[20000], sql[21000];
    const char *path = pool_of_three("deep.pool");
    film_pool *pool = NULL;
    film_sentence deep = sentence("d", "a deep sentence");
    assert_ok(film_pool_open(path, &pool, &error));
    deep.more = film_string(nested(json, sizeof json, 101));
    assert_int_equal(film_pool_add(pool, &deep, 1, NULL, NULL, &error), FILM_BAD_INPUT);
    assert_string_equal(error.message,
                        "sentence 1: the other fields are nested more than 100 levels deep");
    deep.more = film_string(nested(json, sizeof json, 100));
    assert_ok(film_pool_add(pool, &deep, 1, NULL, NULL, &error));
    deep.more = film_string("{\"kind\": \"deep\"}");
    film_pool_add_options replace = {.size = sizeof replace, .replace = 1};
    assert_ok(film_pool_add(pool, &deep, 1, &replace, NULL, &error));
    film_pool_close(pool);
    /* As an older version stored it, with the right checksum. */
    film_sentence old = sentence("b", "where is my parcel");
    old.more = film_string(nested(json, sizeof json, 2010));
    snprintf(sql, sizeof sql, "UPDATE sentence SET more = '%s', checksum = %lld WHERE id = 'b'",
             json, (long long)store_checksum(&old));
    run_sql(path, sql);
    film_pool_where where = {film_string("kind"), film_string("deep")};
    film_search_options options = {.size = sizeof options, .where = &where, .where_count = 1};
    int found = 0;
    assert_ok(film_pool_open(path, &pool, &error));
    assert_ok(film_pool_search(pool, film_string("deep"), &options, count_found, &found, &error));
    assert_int_equal(found, 1);
    film_pool_close(pool);
    check(path, 0, 0);
    assert_string_equal(
        lines, "sentence \"b\": the other fields are not a JSON object or nested more than "
               "100 levels deep; add it again and replace it;");
    remove_pool(path);
}

static void long_sentences_are_refused(void **state)
{
    (void)state;
    static char text[65537];
    const char *path = scratch("long.pool");
    film_pool *pool = new_pool(path);
    film_sentence one = {.text = {text, sizeof text}};
    film_pool_add_options options = {.size = sizeof options, .max_sentence = 65537};
    memset(text, 'x', sizeof text);
    assert_int_equal(film_pool_add(pool, &one, 1, NULL, NULL, &error), FILM_BAD_INPUT);
    assert_string_equal(error.message,
                        "sentence 1: the text has 65537 bytes, at most 65536 are allowed");
    assert_ok(film_pool_add(pool, &one, 1, &options, NULL, &error));
    film_pool_close(pool);
    remove_pool(path);
}

/* The only way to make an index inconsistent: write to the table without SQLite's knowledge. */
static void indexes_are_made_again(void **state)
{
    (void)state;
    const char *path = pool_of_three("index.pool");
    run_sql(path,
            "PRAGMA writable_schema = ON;"
            "CREATE TEMP TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'label_b';"
            "DELETE FROM sqlite_schema WHERE name = 'label_b'; PRAGMA writable_schema = RESET;"
            "DELETE FROM label;"
            "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM kept;"
            "PRAGMA writable_schema = RESET;");
    film_pool_checked checked = check(path, 1, 0);
    assert_true(checked.problems > 0);
    assert_non_null(strstr(lines, "index label_b"));
    check(path, 1, 1);
    checked = check(path, 1, 0);
    assert_string_equal(lines, "");
    remove_pool(path);
}

/* ---- Out of memory ---- */

static film_status everything(const char *path, const char *model)
{
    film_pool *pool = NULL;
    film_pool_checked checked = {.size = sizeof checked};
    char *json = NULL;
    film_sentence rows[] = {sentence("a", "I lost my card"), sentence(NULL, "where is my parcel")};
    film_pool_add_options one_thread = {.size = sizeof one_thread, .threads = 1, .replace = 1};
    film_pool_where where = {film_string("colour"), film_string("red")};
    film_pool_filter filter = {.size = sizeof filter, .where = &where, .where_count = 1};
    char out[4000] = "";
    const char *table = scratch("some.csv"), *exported = scratch("out.csv");
    rows[0].more = film_string("{\"colour\":\"red\"}");
    film_status status = film_pool_create(path, model, &error);
    if (status == FILM_OK) status = film_pool_open(path, &pool, &error);
    if (status == FILM_OK) status = film_pool_add(pool, rows, 2, &one_thread, NULL, &error);
    if (status == FILM_OK) status = film_pool_add_files(pool, &table, 1, &one_thread, NULL, &error);
    if (status == FILM_OK)
        status = film_pool_label(pool, film_string("a"), film_string("7"), 1, NULL, &error);
    if (status == FILM_OK) status = film_pool_list(pool, &filter, append_sentence, out, &error);
    if (status == FILM_OK) assert_string_equal(out, "a=I lost my card||||{\"colour\":\"red\"};");
    if (status == FILM_OK)
        status = film_pool_export(pool, exported, FILM_FORMAT_AUTO, NULL, NULL, &error);
    if (status == FILM_OK)
        status = film_pool_check(
            pool, &(film_pool_check_options){.size = sizeof(film_pool_check_options), .threads = 1},
            &checked, &error);
    if (status == FILM_OK) assert_int_equal(checked.problems, 0);
    if (status == FILM_OK) status = film_pool_describe_json(pool, &json, &error);
    if (status == FILM_OK)
        status = film_pool_remove(pool, &(film_text){"a", 1}, 1, 0, NULL, &error);
    film_free(json);
    film_pool_close(pool);
    unlink(exported);
    return status;
}

static void no_memory_is_reported(void **state)
{
    (void)state;
    char path[300], model[300], table[300];
    snprintf(path, sizeof path, "%s", scratch("memory.pool"));
    snprintf(model, sizeof model, "%s", scratch("memory.film"));
    snprintf(table, sizeof table, "%s", scratch("some.csv"));
    save_model(model, FILM_METHOD_SVD);
    write_file(table, "id,text,colour\n7,my parcel,blue\n", 32);
    survives_every_failure((remove_pool(path), everything(path, model)));
    assert_true(failures_survived > 60);
    long failures = 0;
    for (long at = 0;; at = next_failure(at, 1)) { /* SQLite's own */
        remove_pool(path);
        sqlite_left = at;
        film_status status = everything(path, model);
        sqlite_left = -1;
        if (status == FILM_OK) break;
        if (status != FILM_NO_MEMORY) fail_msg("at %ld: %d %s", at, (int)status, error.message);
        failures++;
    }
    assert_true(failures > 100);
    remove_pool(path);
    unlink(model);
    unlink(table);
}

int main(void)
{
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &standard);
    if (!standard.xMalloc) { /* known only after the first start */
        sqlite3_initialize();
        sqlite3_config(SQLITE_CONFIG_GETMALLOC, &standard);
        sqlite3_shutdown();
        sqlite3_config(SQLITE_CONFIG_GETMALLOC, &standard);
    }
    sqlite3_mem_methods scarce = standard;
    scarce.xMalloc = scarce_malloc;
    scarce.xRealloc = scarce_realloc;
    sqlite3_config(SQLITE_CONFIG_MALLOC, &scarce);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_a_pool_is_refused),
        cmocka_unit_test(changed_pools_are_refused),
        cmocka_unit_test(damaged_bytes_never_crash),
        cmocka_unit_test(caches_are_repaired),
        cmocka_unit_test(what_the_user_gave_is_reported_and_not_changed),
        cmocka_unit_test(deeply_nested_fields_are_refused_and_survived),
        cmocka_unit_test(long_sentences_are_refused),
        cmocka_unit_test(indexes_are_made_again),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
