/* Tests film_pool_set_process_allocator in a separate process: SQLite accepts an allocator only
 * before its first use. */
#include "counted.h"
#include "pools.h"

static film_error error;

static void sqlite_allocates_through_it(void **state)
{
    (void)state;
    struct counted counted = {0, 0}, other = {0, 0};
    film_allocator allocator = {count_allocate, count_reallocate, count_release, &other};
    assert_ok(film_pool_set_process_allocator(&allocator, &error));
    assert_ok(film_pool_set_process_allocator(NULL, &error));
    allocator.user = &counted;
    assert_ok(film_pool_set_process_allocator(&allocator, &error));
    const char *path = scratch("memory.pool");
    film_pool *pool = new_pool(path);
    film_pool_description about = {.size = sizeof about};
    assert_ok(film_pool_describe(pool, &about, &error));
    assert_int_equal(about.sentences, 0);
    assert_true(about.model_bytes > 100 && about.dim == 5);
    assert_true(strlen(about.model_checksum) >= 8 && about.created[4] == '-');
    about.size = 0;
    assert_int_equal(film_pool_describe(pool, &about, &error), FILM_USAGE);
    assert_int_equal(film_pool_set_process_allocator(NULL, &error), FILM_USAGE);
    film_pool_close(pool);
    remove_pool(path);
    assert_true(counted.calls > 100);
    assert_int_equal(other.calls, 0);
    sqlite3_shutdown();
    assert_int_equal(counted.blocks, 0);
    assert_ok(film_pool_set_process_allocator(NULL, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sqlite_allocates_through_it)};
    return cmocka_run_group_tests_name("pool memory", tests, NULL, NULL);
}
