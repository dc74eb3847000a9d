/* Tests a build without PostgreSQL: this program contains src/remote/no_remote.c instead of
 * src/remote/remote.c. */
#include "testing.h"

#include "film_pool.h"
#include "film_train.h"

static film_error error;

static void assert_refused(film_status status)
{
    assert_int_equal(status, FILM_USAGE);
    if (!strstr(error.message, "built without PostgreSQL") ||
        !strstr(error.message, "-DFILM_POSTGRESQL=ON"))
        fail_msg("%s", error.message);
}

static void a_pool_in_postgresql_is_refused(void **state)
{
    (void)state;
    static const char table[] = "my card is lost\nwhere is my parcel\ncan I pay in euro\n";
    const char *lines = scratch("lines.txt"), *path = scratch("model.film");
    const char *file = scratch("plain.pool");
    film_train_options options = {.size = sizeof options};
    film_model *model = NULL;
    film_pool *pool = NULL;
    write_file(lines, table, sizeof table - 1);
    options.min_df = 1;
    options.rank = 2;
    options.method = FILM_METHOD_SVD;
    assert_ok(film_train(&lines, 1, &options, &model, &error));
    assert_ok(film_save(model, path, &error));
    film_close(model);
    assert_true(film_pool_is_uri("postgresql://me@db/faq")); /* a URI, not a file name */
    assert_refused(film_pool_open("postgresql://me@db/faq", &pool, &error));
    assert_null(pool);
    assert_refused(film_pool_create("postgres://me@db/faq", path, &error));
    assert_ok(film_pool_create(file, path, &error));
    assert_ok(film_pool_open(file, &pool, &error));
    film_pool_close(pool);
    unlink(lines);
    unlink(path);
    unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_pool_in_postgresql_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
