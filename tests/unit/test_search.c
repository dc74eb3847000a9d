/* Tests searching a pool through the public API: changes, filters, the cache, reasons. */
#include "pools.h"

#include "pool/snapshot.h"
#include "spoil.h"

#include <pthread.h>

static film_error error;

/* The ids of the results, each followed by a space. */
static int collect(void *user, const film_found *found)
{
    char *out = user;
    size_t used = strlen(out);
    assert_int_equal(found->query, 0);
    snprintf(out + used, 2000 - used, "%.*s ", (int)found->sentence.id.length,
             found->sentence.id.bytes);
    return 0;
}

static const char *search(film_pool *pool, const char *query, const film_search_options *options)
{
    static char out[2000];
    out[0] = 0;
    assert_ok(film_pool_search(pool, film_string(query), options, collect, out, &error));
    return out;
}

static void fill(film_pool *pool)
{
    add_one(pool, "lost", "I lost my card");
    add_one(pool, "parcel", "where is my parcel");
    add_one(pool, "euro", "can I pay in euro");
    add_one(pool, "zebra", "the Zanzibar zebra");
}

static void the_pool_is_found_as_it_is_now(void **state)
{
    (void)state;
    const char *path = scratch("now.pool");
    film_pool *pool = new_pool(path);
    film_search_options one = {.size = sizeof one};
    one.k = 1;
    assert_string_equal(search(pool, "my card is lost", &one), "");
    fill(pool);
    assert_string_equal(search(pool, "my card is lost", &one), "lost ");
    assert_string_equal(search(pool, "zanzibar", &one), "zebra "); /* an unknown word */
    assert_string_equal(search(pool, "", &one), "");
    /* Replaced, removed, added. */
    film_sentence other = sentence("lost", "how do I order a new card");
    film_pool_add_options replace = {.size = sizeof replace, .replace = 1};
    assert_ok(film_pool_add(pool, &other, 1, &replace, NULL, &error));
    film_text gone = film_string("zebra");
    assert_ok(film_pool_remove(pool, &gone, 1, 0, NULL, &error));
    assert_string_equal(search(pool, "zanzibar", &one), "");
    assert_string_equal(search(pool, "how do I order a new card", &one), "lost ");
    add_one(pool, "new", "another Zanzibar question");
    assert_string_equal(search(pool, "zanzibar", &one), "new ");
    film_pool_close(pool);
    remove_pool(path);
}

static int check_reasons(void *user, const film_found *found)
{
    double sum = found->verdict.bias;
    for (size_t i = 0; i < found->verdict.reason_count; i++)
        sum += found->verdict.reasons[i].weight;
    if (found->verdict.reason_count) assert_close(sum, found->verdict.log_odds, 1e-9);
    ++*(int *)user;
    return found->place == 1; /* enough */
}

static void reasons_add_up_and_a_caller_may_stop(void **state)
{
    (void)state;
    const char *path = scratch("why.pool");
    film_pool *pool = new_pool(path);
    film_search_options options;
    int count = 0;
    fill(pool);
    options = (film_search_options){.size = sizeof options};
    options.explain = 1;
    assert_ok(film_pool_search(pool, film_string("is my card lost"), &options, check_reasons,
                               &count, &error));
    assert_int_equal(count, 2);
    options.candidates = 40000;
    assert_int_equal(
        film_pool_search(pool, film_string("x"), &options, check_reasons, &count, &error),
        FILM_USAGE);
    film_pool_close(pool);
    remove_pool(path);
}

static void filters_are_kept(void **state)
{
    (void)state;
    const char *path = scratch("where.pool");
    film_pool *pool = new_pool(path);
    film_sentence rows[3] = {sentence("a", "I lost my card"), sentence("b", "my card is lost"),
                             sentence("c", "where is my card")};
    rows[1].category = film_string("bank");
    rows[2].more = film_string("{\"size\": 3}");
    assert_ok(film_pool_add(pool, rows, 3, NULL, NULL, &error));
    film_pool_where where = {film_string("category"), film_string("bank")};
    film_search_options options = {.size = sizeof options};
    options.where = &where;
    options.where_count = 1;
    assert_string_equal(search(pool, "I lost my card", &options), "b ");
    where = (film_pool_where){film_string("size"), film_string("3")};
    assert_string_equal(search(pool, "I lost my card", &options), "c ");
    where.value = film_string("4");
    assert_string_equal(search(pool, "I lost my card", &options), "");
    where.field = film_string("colour");
    char out[10] = "";
    assert_int_equal(film_pool_search(pool, film_string("card"), &options, collect, out, &error),
                     FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "colour"));
    film_pool_close(pool);
    remove_pool(path);
}

/* Enough sentences for a cache: N sentences of three words of a small language. */
static void add_many(film_pool *pool, size_t first, size_t count)
{
    static const char *const words[] = {"card", "parcel", "euro", "pay", "lost", "order", "new"};
    film_sentence *rows = calloc(count, sizeof *rows);
    char(*texts)[60] = calloc(count, sizeof *texts);
    for (size_t i = 0; i < count; i++) {
        size_t n = first + i;
        snprintf(texts[i], sizeof texts[i], "%s %s %s w%zu", words[n % 7], words[n / 7 % 7],
                 words[n / 49 % 7], n);
        rows[i] = (film_sentence){.text = film_string(texts[i])};
    }
    assert_ok(film_pool_add(pool, rows, count, NULL, NULL, &error));
    free(rows);
    free(texts);
}

static film_status check_cache(film_pool *pool)
{
    struct db *db = NULL;
    struct pool_learned *learned;
    assert_ok(pool_read(pool, &db, &error));
    assert_ok(pool_learned(pool, db, &learned, &error));
    film_status status = snapshot_check_file(pool, learned, db, &error);
    pool_read_end(pool, db);
    return status;
}

static void the_cache_is_used_updated_and_never_trusted(void **state)
{
    (void)state;
    const char *path = scratch("cache.pool");
    film_pool *pool = new_pool(path);
    char cache[400], first[2000];
    film_search_options options = {.size = sizeof options};
    options.k = 3;
    snprintf(cache, sizeof cache, "%s.index", path);
    add_many(pool, 0, 4500);
    snprintf(first, sizeof first, "%s", search(pool, "lost card w77", &options));
    assert_int_equal(access(cache, R_OK), 0);
    assert_ok(check_cache(pool));
    film_pool_close(pool);
    /* Unchanged. */
    assert_ok(film_pool_open(path, &pool, &error));
    assert_string_equal(search(pool, "lost card w77", &options), first);
    add_many(pool, 4500, 10);
    assert_true(strncmp(search(pool, "w4507", &options), "t-", 2) == 0);
    film_pool_close(pool);
    /* Any byte changed: searching still works, and the check reports bytes that matter. */
    FILE *file = fopen(cache, "r+b");
    assert_int_equal(fseek(file, -2000, SEEK_END), 0);
    for (int i = 0; i < 1500; i++) fputc(0xff, file);
    fclose(file);
    assert_ok(film_pool_open(path, &pool, &error));
    assert_int_equal(check_cache(pool), FILM_BAD_INPUT);
    film_pool_check_options repair = {.size = sizeof repair, .repair = 1};
    film_pool_checked checked = {.size = sizeof checked};
    assert_ok(film_pool_check(pool, &repair, &checked, &error));
    assert_int_equal(checked.problems, 1);
    assert_int_equal(checked.repaired, 1);
    assert_int_equal(access(cache, R_OK), -1);
    film_pool_close(pool);
    assert_ok(film_pool_open(path, &pool, &error));
    assert_string_equal(search(pool, "lost card w77", &options), first);
    repair.recall = 50;
    assert_ok(film_pool_check(pool, &repair, &checked, &error));
    assert_int_equal(checked.sampled, 50);
    assert_true(checked.recall > 0.9);
    film_pool_close(pool);
    /* A byte in the lists, and changes to apply: the whole cache is validated and rebuilt. */
    assert_ok(film_pool_open(path, &pool, &error));
    add_many(pool, 4510, 1);
    file = fopen(cache, "r+b");
    assert_int_equal(fseek(file, -20000, SEEK_END), 0);
    for (int i = 0; i < 15000; i++) fputc(0xff, file);
    fclose(file);
    assert_string_equal(search(pool, "lost card w77", &options), first);
    assert_ok(check_cache(pool));
    film_pool_close(pool);
    /* Another version of the format is reported by name, and replaced by the next search. */
    struct spoil spoil;
    assert_true(spoil_open(&spoil, cache));
    size_t version = 0;
    while (strcmp(spoil.key[version], "film_index") != 0) version++;
    spoil.value[version] = "2";
    assert_ok(spoil_write(&spoil, cache, &error));
    spoil_close(&spoil);
    assert_ok(film_pool_open(path, &pool, &error));
    assert_int_equal(check_cache(pool), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "an index of version 2; this program reads version 3"));
    assert_string_equal(search(pool, "lost card w77", &options), first);
    assert_ok(check_cache(pool));
    film_pool_close(pool);
    /* The file is truncated. */
    assert_int_equal(truncate(cache, 1000), 0);
    assert_ok(film_pool_open(path, &pool, &error));
    assert_string_equal(search(pool, "lost card w77", &options), first);
    film_pool_close(pool);
    unlink(cache);
    remove_pool(path);
}

/* ---- Threads ---- */

struct reader {
    film_pool *pool;
    int failures, answers;
};

static int count_answer(void *user, const film_found *found)
{
    struct reader *reader = user;
    reader->answers++;
    reader->failures += found->sentence.text.length == 0;
    return 0;
}

static void *read_on(void *user)
{
    struct reader *reader = user;
    film_error own;
    film_search_options options = {.size = sizeof options};
    options.answer.threads = 1;
    for (int i = 0; i < 40; i++)
        reader->failures += film_pool_search(reader->pool, film_string("lost card euro"), &options,
                                             count_answer, reader, &own) != FILM_OK;
    return NULL;
}

static void readers_search_while_a_writer_adds_and_removes(void **state)
{
    (void)state;
    enum { READERS = 3 };
    const char *path = scratch("threads.pool");
    film_pool *pool = new_pool(path);
    struct reader readers[READERS];
    pthread_t threads[READERS];
    add_many(pool, 0, 50);
    add_one(pool, "gone", "my lost euro");
    for (int i = 0; i < READERS; i++) {
        readers[i] = (struct reader){.pool = pool};
        assert_int_equal(pthread_create(&threads[i], NULL, read_on, &readers[i]), 0);
    }
    for (size_t i = 0; i < 20; i++) {
        add_many(pool, 50 + 5 * i, 5);
        film_text gone = film_string("gone");
        if (i == 10) assert_ok(film_pool_remove(pool, &gone, 1, 0, NULL, &error));
    }
    for (int i = 0; i < READERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(readers[i].failures, 0);
        assert_int_equal(readers[i].answers, 400);
    }
    film_pool_close(pool);
    remove_pool(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pool_is_found_as_it_is_now),
        cmocka_unit_test(reasons_add_up_and_a_caller_may_stop),
        cmocka_unit_test(filters_are_kept),
        cmocka_unit_test(the_cache_is_used_updated_and_never_trusted),
        cmocka_unit_test(readers_search_while_a_writer_adds_and_removes),
    };
    return cmocka_run_group_tests_name("search", tests, NULL, NULL);
}
