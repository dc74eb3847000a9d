/* Tests replacing a pool's file by another: the old file's log must never be applied to the new
 * one. */
#include "pools.h"

#include <signal.h>
#include <sys/wait.h>

static film_error error;

static const char *beside(const char *path, const char *ending)
{
    static char names[4][400];
    static int turn;
    char *name = names[turn++ % 4];
    snprintf(name, 400, "%s%s", path, ending);
    return name;
}

static void copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb");
    assert_non_null(in);
    static char bytes[1 << 22];
    size_t size = fread(bytes, 1, sizeof bytes, in);
    assert_true(size < sizeof bytes);
    fclose(in);
    write_file(to, bytes, size);
}

/* As a crash leaves it: the file and its log. */
static void copy_with_log(const char *from, const char *to)
{
    copy_file(from, to);
    copy_file(beside(from, "-wal"), beside(to, "-wal"));
}

static film_pool *open_pool(const char *path)
{
    film_pool *pool = NULL;
    assert_ok(film_pool_open(path, &pool, &error));
    return pool;
}

static void closed_pool(const char *path, const char *id)
{
    film_pool *pool = new_pool(path);
    add_one(pool, id, "where is my parcel");
    film_pool_close(pool);
}

static void expect_refused(const char *path, const char *message)
{
    film_pool *pool = NULL;
    assert_int_equal(film_pool_open(path, &pool, &error), FILM_IO);
    if (!strstr(error.message, message)) fail_msg("%s", error.message);
}

static void expect_whole(const char *path, const char *list)
{
    film_pool *pool = open_pool(path);
    film_pool_checked checked = {.size = sizeof checked};
    assert_string_equal(list_pool(pool, NULL), list);
    assert_ok(film_pool_check(pool, NULL, &checked, &error));
    assert_int_equal(checked.problems, 0);
    film_pool_close(pool);
}

static void a_pool_renamed_over_one_in_use_is_refused(void **state)
{
    (void)state;
    const char *path = scratch("live.pool"), *other = scratch("next.pool");
    closed_pool(other, "new");
    film_pool *pool = new_pool(path);
    add_one(pool, "old", "I lost my card");
    assert_false(film_pool_replaced(pool, path));
    assert_int_equal(rename(other, path), 0);
    assert_true(film_pool_replaced(pool, path));
    expect_refused(path, "still uses");
    /* The open pool returns the same as before, and changes nothing. */
    assert_string_equal(list_pool(pool, NULL), "old=I lost my card||||;");
    film_sentence one = sentence("more", "can I pay in euro");
    assert_int_equal(film_pool_add(pool, &one, 1, NULL, NULL, &error), FILM_IO);
    assert_non_null(strstr(error.message, "replaced while it was in use"));
    film_pool_close(pool);
    expect_refused(path, "-wal has changes of a different pool");
    assert_int_equal(unlink(beside(path, "-wal")), 0);
    unlink(beside(path, "-shm"));
    expect_whole(path, "new=where is my parcel||||;");
    remove_pool(path);
}

static void an_empty_log_does_not_hide_it(void **state)
{
    (void)state;
    const char *path = scratch("empty.pool"), *other = scratch("next.pool");
    if (access("/proc/locks", R_OK) != 0) skip();
    closed_pool(path, "old");
    closed_pool(other, "new");
    film_pool *pool = open_pool(path);
    assert_string_equal(list_pool(pool, NULL), "old=where is my parcel||||;");
    assert_int_equal(rename(other, path), 0);
    expect_refused(path, "that this process still uses");
    film_pool_close(pool);
    expect_whole(path, "new=where is my parcel||||;");
    remove_pool(path);
}

static void another_process_that_uses_it_is_named(void **state)
{
    (void)state;
    const char *path = scratch("shared.pool"), *other = scratch("next.pool");
    char named[40], byte = 0;
    int ready[2];
    if (access("/proc/locks", R_OK) != 0) skip();
    closed_pool(path, "old");
    closed_pool(other, "new");
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        film_pool *pool = NULL;
        if (film_pool_open(path, &pool, &error) == FILM_OK && write(ready[1], "1", 1) == 1) pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    film_pool_close(open_pool(path)); /* with others open, as usual */
    assert_int_equal(rename(other, path), 0);
    snprintf(named, sizeof named, "that process %ld (", (long)child);
    expect_refused(path, named);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ready[0]);
    close(ready[1]);
    expect_whole(path, "new=where is my parcel||||;");
    remove_pool(path);
}

static void a_pool_keeps_its_own_log(void **state)
{
    (void)state;
    const char *path = scratch("own.pool"), *copy = scratch("crashed.pool");
    const char *all = "a=I lost my card||||;b=can I pay in euro||||;";
    film_pool *pool = new_pool(path);
    add_one(pool, "a", "I lost my card");
    add_one(pool, "b", "can I pay in euro");
    copy_with_log(path, copy);
    expect_whole(copy, all);
    remove_pool(copy);
    /* The log is already in the file, and still there; then it is restarted. */
    run_sql(path, "PRAGMA wal_checkpoint(PASSIVE)");
    copy_with_log(path, copy);
    expect_whole(copy, all);
    remove_pool(copy);
    assert_ok(film_pool_remove(pool, (film_text[]){film_string("b")}, 1, 0, NULL, &error));
    copy_with_log(path, copy);
    expect_whole(copy, "a=I lost my card||||;");
    remove_pool(copy);
    film_pool_close(pool);
    remove_pool(path);
}

static void a_log_of_a_pools_later_or_other_life_is_not_its_own(void **state)
{
    (void)state;
    const char *path = scratch("life.pool"), *backup = scratch("backup.pool");
    const char *copy = scratch("crashed.pool");
    film_pool *pool = new_pool(path);
    add_one(pool, "a", "I lost my card");
    film_pool_close(pool);
    copy_file(path, backup);
    pool = open_pool(path);
    add_one(pool, "b", "can I pay in euro");
    run_sql(path, "PRAGMA wal_checkpoint(RESTART)");
    add_one(pool, "c", "where is my parcel");
    copy_with_log(path, copy);
    film_pool_close(pool);
    copy_file(backup, copy); /* restored after the crash, without the later changes */
    expect_refused(copy, "-wal has changes of a different pool");
    unlink(beside(copy, "-wal"));
    expect_whole(copy, "a=I lost my card||||;");
    pool = open_pool(copy); /* a copy that diverges */
    add_one(pool, "d", "can I pay in euro");
    film_pool_close(pool);
    pool = open_pool(path);
    add_one(pool, "e", "can I pay in euro");
    copy_file(beside(path, "-wal"), beside(copy, "-wal"));
    film_pool_close(pool);
    expect_refused(copy, "-wal has changes of a different pool");
    remove_pool(copy);
    remove_pool(path);
    remove_pool(backup);
}

static void a_link_may_lead_elsewhere_meanwhile(void **state)
{
    (void)state;
    const char *link = scratch("link.pool"), *one = scratch("one.pool"), *two = scratch("two.pool");
    closed_pool(one, "one");
    closed_pool(two, "two");
    unlink(link);
    assert_int_equal(symlink(one, link), 0);
    film_pool *pool = open_pool(link);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink(two, link), 0);
    assert_false(film_pool_replaced(pool, link));
    add_one(pool, "more", "I lost my card");
    expect_whole(link, "two=where is my parcel||||;");
    film_pool_close(pool);
    expect_whole(one, "one=where is my parcel||||;more=I lost my card||||;");
    unlink(link);
    remove_pool(one);
    remove_pool(two);
}

static void any_bytes_may_be_in_a_log(void **state)
{
    (void)state;
    const char *path = scratch("bytes.pool"), *copy = scratch("crashed.pool");
    film_pool *pool = new_pool(path), *opened;
    add_one(pool, "a", "I lost my card");
    copy_file(path, copy);
    FILE *in = fopen(beside(path, "-wal"), "rb");
    static char bytes[1 << 20];
    size_t size = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    film_pool_close(pool);
    for (size_t i = 0; i < 400; i++) { /* damages head and frames, and truncates anywhere */
        size_t at = i < 60 ? i : (i * 7919) % size;
        bytes[at] = (char)(bytes[at] ^ 0x55);
        write_file(beside(copy, "-wal"), bytes, i % 3 ? size : at);
        bytes[at] = (char)(bytes[at] ^ 0x55);
        if (film_pool_open(copy, &opened, &error) == FILM_OK) film_pool_close(opened);
        copy_file(path, copy);
    }
    remove_pool(copy);
    remove_pool(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pool_renamed_over_one_in_use_is_refused),
        cmocka_unit_test(an_empty_log_does_not_hide_it),
        cmocka_unit_test(another_process_that_uses_it_is_named),
        cmocka_unit_test(a_pool_keeps_its_own_log),
        cmocka_unit_test(a_log_of_a_pools_later_or_other_life_is_not_its_own),
        cmocka_unit_test(a_link_may_lead_elsewhere_meanwhile),
        cmocka_unit_test(any_bytes_may_be_in_a_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
