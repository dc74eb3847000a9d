/* Tests film_pool_update: the model changes, everything else stays; open handles take the new
 * model. */
#include "pools.h"

#include "pool/pool.h"

#include <pthread.h>

static film_error error;

/* A model with vectors of another length than that of new_pool (5). */
static const char *other_model(size_t rank)
{
    const char *path = scratch("other.film"), *table = scratch("train.tsv");
    film_train_options options = {
        .size = sizeof options, .min_df = 1, .rank = rank, .threads = 1, .method = FILM_METHOD_SVD};
    film_model *model = NULL;
    write_file(table, POOL_TABLE, strlen(POOL_TABLE));
    assert_ok(film_train(&table, 1, &options, &model, &error));
    assert_int_equal(film_dim(model), rank);
    assert_ok(film_save(model, path, &error));
    film_close(model);
    unlink(table);
    return path;
}

static void fill(film_pool *pool)
{
    film_sentence first = sentence("a", "I lost my card");
    first.category = film_string("card");
    assert_ok(film_pool_add(pool, &first, 1, NULL, NULL, &error));
    add_one(pool, "b", "my card is lost");
    add_one(pool, NULL, "where is my parcel");
    assert_ok(film_pool_label(pool, film_string("a"), film_string("b"), 1, NULL, &error));
}

static void check_pool(film_pool *pool, size_t sentences, size_t dim)
{
    film_pool_check_options full = {.size = sizeof full, .full = 1};
    film_pool_checked checked = {.size = sizeof checked};
    film_pool_description about = {.size = sizeof about};
    assert_ok(film_pool_check(pool, &full, &checked, &error));
    assert_int_equal(checked.problems, 0);
    assert_int_equal(checked.compared, sentences); /* every vector is that of its text */
    assert_int_equal(checked.labels, 1);
    assert_ok(film_pool_describe(pool, &about, &error));
    assert_int_equal(about.dim, dim);
    assert_int_equal(about.clusters, 1);
}

static int first_found(void *user, const film_found *found)
{
    snprintf(user, 100, "%.*s", (int)found->sentence.text.length, found->sentence.text.bytes);
    return 1;
}

static const char *search(film_pool *pool, const char *query)
{
    static char text[100];
    text[0] = 0;
    assert_ok(film_pool_search(pool, film_string(query), NULL, first_found, text, &error));
    return text;
}

static void the_model_changes_and_nothing_else(void **state)
{
    (void)state;
    const char *path = scratch("update.pool"), *model = other_model(3);
    film_pool *pool = new_pool(path), *reader = NULL;
    char before[4000];
    const film_model *old = NULL, *fresh = NULL;
    uint64_t sentences = 0;
    fill(pool);
    snprintf(before, sizeof before, "%s", list_pool(pool, NULL));
    assert_ok(film_pool_open(path, &reader, &error));
    assert_ok(film_pool_model(reader, &old, &error));
    assert_string_equal(search(reader, "where is my parcel"), "where is my parcel");
    assert_int_equal(film_dim(old), 5);
    assert_false(film_pool_outdated(reader, old));
    assert_ok(film_pool_update(pool, model, 1, NULL, &sentences, &error));
    assert_int_equal(sentences, 3);
    assert_string_equal(list_pool(pool, NULL), before);
    check_pool(pool, 3, 3);
    /* The other handle notices, and keeps the model that it has given away. */
    assert_true(film_pool_outdated(reader, old));
    assert_string_equal(search(reader, "I lost my card"), "I lost my card");
    assert_ok(film_pool_model(reader, &fresh, &error));
    assert_int_equal(film_dim(fresh), 3);
    assert_int_equal(film_dim(old), 5);
    assert_false(film_pool_outdated(reader, fresh));
    add_one(reader, "c", "can I pay in euro");
    check_pool(reader, 4, 3);
    /* Back to the first model, from a pool. */
    const char *source = scratch("source.pool");
    film_pool *other = new_pool(source);
    film_pool_close(other);
    assert_ok(film_pool_update(pool, source, 0, NULL, NULL, &error));
    check_pool(reader, 4, 5);
    film_pool_close(reader);
    film_pool_close(pool);
    remove_pool(path);
    remove_pool(source);
    unlink(model);
}

static void bad_models_are_refused(void **state)
{
    (void)state;
    const char *path = scratch("refuse.pool"), *text = scratch("text.film");
    film_pool *pool = new_pool(path);
    fill(pool);
    write_file(text, "no model", 8);
    assert_int_equal(film_pool_update(pool, path, 1, NULL, NULL, &error), FILM_USAGE);
    assert_int_equal(film_pool_update(pool, text, 1, NULL, NULL, &error), FILM_BAD_INPUT);
    assert_int_equal(film_pool_update(pool, "/nowhere", 1, NULL, NULL, &error), FILM_IO);
    assert_int_equal(film_pool_update(pool, NULL, 1, NULL, NULL, &error), FILM_USAGE);
    check_pool(pool, 3, 5);
    film_pool_close(pool);
    remove_pool(path);
    unlink(text);
}

static int stop_at_once(void *user, const char *phase, double done, double total)
{
    (void)user;
    (void)phase;
    (void)done;
    (void)total;
    return 1;
}

static void a_stopped_update_changes_nothing(void **state)
{
    (void)state;
    const char *path = scratch("stopped.pool"), *model = other_model(3);
    film_pool *pool = new_pool(path);
    film_progress stop = {stop_at_once, NULL, NULL};
    fill(pool);
    assert_int_equal(film_pool_update(pool, model, 1, &stop, NULL, &error), FILM_CANCELLED);
    check_pool(pool, 3, 5);
    film_pool_close(pool);
    remove_pool(path);
    unlink(model);
}

/* ---- Words ---- */

static enum relation relation_in(film_pool *pool, const char *a, const char *b)
{
    const film_model *model = NULL;
    assert_ok(film_pool_model(pool, &model, &error));
    return relations_of(&model->relations, film_string(a), film_string(b));
}

static void vectors_of_another_arithmetic_are_not_stored(void **state)
{
    (void)state;
    const char *path = scratch("arithmetic.pool");
    film_pool *pool = new_pool(path), *reader = NULL;
    const film_model *model = NULL;
    film_sentence one = {.text = film_string("where is it")};
    film_pool_checked checked = {.size = sizeof checked};
    fill(pool);
    assert_ok(film_pool_open(path, &reader, &error));
    assert_ok(film_pool_set_arithmetic(reader, FILM_ARITHMETIC_FLOAT, &error));
    assert_int_equal(film_pool_add(reader, &one, 1, NULL, NULL, &error), FILM_USAGE);
    assert_non_null(strstr(error.message, "stores vectors as its model computes them"));
    assert_int_equal(film_pool_check(reader, NULL, &checked, &error), FILM_USAGE);
    assert_int_equal(film_pool_model(reader, &model, &error), FILM_USAGE); /* has no encoder */
    assert_int_equal(film_pool_set_arithmetic(NULL, FILM_ARITHMETIC_OWN, &error), FILM_USAGE);
    assert_ok(film_pool_set_arithmetic(reader, FILM_ARITHMETIC_OWN, &error));
    assert_ok(film_pool_add(reader, &one, 1, NULL, NULL, &error));
    film_pool_close(reader);
    film_pool_close(pool);
    remove_pool(path);
}

static void words_are_stored_and_taken_at_once(void **state)
{
    (void)state;
    const char *path = scratch("words.pool"), *file = scratch("words.txt"),
               *more = scratch("more.txt");
    film_pool *pool = new_pool(path), *reader = NULL;
    const film_model *old = NULL;
    char *text = NULL;
    uint64_t words = 0;
    fill(pool);
    write_file(file, "lost ! found\n", 13);
    write_file(more, "card = ticket\n", 14);
    assert_ok(film_pool_open(path, &reader, &error));
    assert_ok(film_pool_set_words(reader, more, &error));
    assert_ok(film_pool_model(reader, &old, &error));
    assert_int_equal(relation_in(reader, "lost", "found"), RELATION_NONE);
    assert_ok(film_pool_store_words(pool, file, &words, &error));
    assert_int_equal(words, 2);
    assert_true(film_pool_outdated(reader, old));
    assert_int_equal(relation_in(reader, "lost", "found"), RELATION_OPPOSITE);
    assert_int_equal(relation_in(reader, "card", "ticket"), RELATION_SYNONYM); /* of the handle */
    assert_int_equal(relation_in(pool, "card", "ticket"), RELATION_NONE);
    assert_ok(film_pool_words(pool, &text, &error));
    assert_string_equal(text, "lost ! found\n");
    film_free(text);
    assert_string_equal(search(reader, "where is my parcel"), "where is my parcel");
    check_pool(reader, 3, 5);
    /* They stay with another model, and bad files change nothing. */
    const char *model = other_model(3);
    assert_ok(film_pool_update(pool, model, 1, NULL, NULL, &error));
    write_file(more, "card ticket\n", 12);
    assert_int_equal(film_pool_store_words(pool, more, NULL, &error), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "more.txt:1: "));
    write_file(more, "a\0 = b\n", 7);
    assert_int_equal(film_pool_store_words(pool, more, NULL, &error), FILM_BAD_INPUT);
    assert_int_equal(film_pool_store_words(pool, "/nowhere", NULL, &error), FILM_IO);
    assert_int_equal(relation_in(pool, "lost", "found"), RELATION_OPPOSITE);
    write_file(more, "", 0);
    assert_ok(film_pool_store_words(pool, more, &words, &error));
    assert_int_equal(words, 0);
    assert_int_equal(relation_in(pool, "lost", "found"), RELATION_NONE);
    film_pool_close(reader);
    film_pool_close(pool);
    remove_pool(path);
    unlink(file), unlink(more), unlink(model);
}

static void damaged_words_are_refused(void **state)
{
    (void)state;
    const char *path = scratch("damaged.pool"), *file = scratch("words.txt");
    film_pool *pool = new_pool(path);
    const film_model *model = NULL;
    sqlite3 *db = NULL;
    write_file(file, "lost ! found\n", 13);
    assert_ok(film_pool_store_words(pool, file, NULL, &error));
    film_pool_close(pool);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "UPDATE setting SET value = 'x = y' WHERE name = 'words'",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    assert_ok(film_pool_open(path, &pool, &error));
    assert_int_equal(film_pool_model(pool, &model, &error), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "words are damaged"));
    assert_ok(film_pool_store_words(pool, file, NULL, &error)); /* the way out that it names */
    assert_ok(film_pool_model(pool, &model, &error));
    film_pool_close(pool);
    remove_pool(path);
    unlink(file);
}

/* ---- Reading and writing while the model changes ---- */

struct busy {
    film_pool *pool;
    int stop, adds;
    size_t calls, failures;
};

static void *keep_busy(void *user)
{
    struct busy *busy = user;
    film_error own;
    char text[100];
    while (!__atomic_load_n(&busy->stop, __ATOMIC_RELAXED)) {
        film_status status;
        snprintf(text, sizeof text, "I lost my card %zu", busy->calls);
        film_sentence one = sentence(NULL, text);
        if (busy->adds)
            status = film_pool_add(busy->pool, &one, 1, NULL, NULL, &own);
        else
            status = film_pool_search(busy->pool, film_string("my card is lost"), NULL, first_found,
                                      text, &own);
        busy->failures += status != FILM_OK;
        __atomic_add_fetch(&busy->calls, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void no_call_fails_while_the_model_changes(void **state)
{
    (void)state;
    enum { THREADS = 3, UPDATES = 6 };
    const char *path = scratch("busy.pool"), *models[2];
    film_pool *pool = new_pool(path), *updater = NULL;
    static char names[2][300];
    struct busy busy[THREADS] = {{0}};
    pthread_t threads[THREADS];
    for (int i = 0; i < 2; i++) {
        const char *made = other_model(i ? 4 : 3);
        snprintf(names[i], sizeof names[i], "%s-%d", made, i);
        assert_int_equal(rename(made, names[i]), 0);
        models[i] = names[i];
    }
    fill(pool);
    assert_ok(film_pool_open(path, &updater, &error));
    for (int i = 0; i < THREADS; i++) {
        busy[i] = (struct busy){.pool = pool, .adds = i == 0};
        assert_int_equal(pthread_create(&threads[i], NULL, keep_busy, &busy[i]), 0);
    }
    for (int i = 0; i < UPDATES; i++) {
        assert_ok(film_pool_update(updater, models[i % 2], 1, NULL, NULL, &error));
        for (int t = 0; t < THREADS; t++) { /* each thread makes calls between the updates */
            size_t before = __atomic_load_n(&busy[t].calls, __ATOMIC_RELAXED);
            while (__atomic_load_n(&busy[t].calls, __ATOMIC_RELAXED) < before + 2) sched_yield();
        }
    }
    size_t added = 0;
    for (int i = 0; i < THREADS; i++) {
        __atomic_store_n(&busy[i].stop, 1, __ATOMIC_RELAXED);
        pthread_join(threads[i], NULL);
        assert_int_equal(busy[i].failures, 0);
        if (busy[i].adds) added += busy[i].calls;
    }
    check_pool(updater, 3 + added, 4);
    film_pool_close(updater);
    film_pool_close(pool);
    remove_pool(path);
    unlink(models[0]);
    unlink(models[1]);
}

/* ---- Labels ---- */

static void labels_are_exported_with_ids_and_texts(void **state)
{
    (void)state;
    const char *path = scratch("labels.pool"), *table = scratch("labels.csv");
    film_pool *pool = new_pool(path);
    uint64_t written = 0;
    char text[1000] = "";
    fill(pool);
    add_one(pool, "q", "say \"hi\", please");
    assert_ok(film_pool_label(pool, film_string("q"), film_string("b"), 0, "me", &error));
    assert_ok(film_pool_export_labels(pool, table, FILM_FORMAT_AUTO, &written, &error));
    assert_int_equal(written, 2);
    FILE *file = fopen(table, "rb");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    /* The time of a label is not known here. */
    for (char *at; (at = strstr(text, ",20"));) memmove(at, at + 21, strlen(at + 21) + 1);
    assert_string_equal(text, "same,id_a,id_b,text_a,text_b,when,origin\n"
                              "yes,a,b,I lost my card,my card is lost,user\n"
                              "no,b,q,my card is lost,\"say \"\"hi\"\", please\",me\n");
    film_pool_close(pool);
    remove_pool(path);
    unlink(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_changes_and_nothing_else),
        cmocka_unit_test(bad_models_are_refused),
        cmocka_unit_test(a_stopped_update_changes_nothing),
        cmocka_unit_test(vectors_of_another_arithmetic_are_not_stored),
        cmocka_unit_test(words_are_stored_and_taken_at_once),
        cmocka_unit_test(damaged_words_are_refused),
        cmocka_unit_test(no_call_fails_while_the_model_changes),
        cmocka_unit_test(labels_are_exported_with_ids_and_texts),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
