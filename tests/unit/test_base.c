/* Tests src/base: memory, messages, random numbers, files. */
#include "testing.h"

#include "base/file.h"
#include "base/keytab.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/strtab.h"
#include "base/threads.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>

static film_error error;

static void sizes_that_overflow_give_null(void **state)
{
    (void)state;
    assert_null(mem_array(SIZE_MAX / 2, 3));
    assert_null(mem_zeroed(SIZE_MAX, SIZE_MAX));
    assert_null(mem_aligned(SIZE_MAX - 10, 1));
    assert_null(mem_resize(NULL, SIZE_MAX / 4, 8));
    void *empty = mem_array(0, 8);
    assert_non_null(empty);
    mem_free(empty);
}

enum { GIVERS = 4 };
static atomic_int givers;

static void *give_back(void *unused)
{
    atomic_fetch_add(&givers, 1);
    while (atomic_load(&givers) < GIVERS) {
    }
    mem_give_back();
    return unused;
}

/* Runs in a process that has not freed memory before: under a sanitizer, the first call initialises
 * glibc's own allocator, and two at once crashed there in one of 75 processes. */
static void threads_may_give_memory_back_at_once(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        int code = 0;
        pid_t child = fork();
        if (child == 0) {
            pthread_t thread[GIVERS];
            for (int i = 0; i < GIVERS; i++) pthread_create(&thread[i], NULL, give_back, NULL);
            for (int i = 0; i < GIVERS; i++) pthread_join(thread[i], NULL);
            _exit(0);
        }
        assert_true(child > 0 && waitpid(child, &code, 0) == child);
        assert_int_equal(code, 0);
    }
}

static void aligned_memory_is_aligned(void **state)
{
    (void)state;
    for (size_t n = 0; n < 200; n++) {
        char *p = mem_aligned(n, 1);
        assert_int_equal((uintptr_t)p % 64, 0);
        memset(p, 1, n);
        mem_free_aligned(p);
    }
}

static void messages_are_cut_not_overrun(void **state)
{
    (void)state;
    char *longer = malloc(5001);
    memset(longer, 'x', 5000);
    longer[5000] = 0;
    assert_int_equal(status_set(&error, FILM_BAD_INPUT, "%s", longer), FILM_BAD_INPUT);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    errno = ENOENT;
    assert_int_equal(status_errno(&error, "%s", longer), FILM_IO);
    errno = ENOENT;
    status_errno(&error, "cannot open %s", "x.tsv");
    assert_string_equal(error.message, "cannot open x.tsv: No such file or directory");
    assert_int_equal(status_set(NULL, FILM_USAGE, "no one listens"), FILM_USAGE);
    free(longer);
}

static void random_numbers_are_fixed_and_fair(void **state)
{
    (void)state;
    struct rng a, b;
    rng_seed(&a, 7);
    rng_seed(&b, 7);
    for (int i = 0; i < 100; i++) assert_true(rng_next(&a) == rng_next(&b));
    rng_seed_part(&b, 7, 1);
    assert_true(rng_next(&a) != rng_next(&b));
    int counts[7] = {0};
    for (int i = 0; i < 70000; i++) counts[rng_below(&a, 7)]++;
    for (int i = 0; i < 7; i++) assert_in_range(counts[i], 9500, 10500);
    double mean = 0, square = 0;
    for (int i = 0; i < 100000; i++) {
        double x = rng_normal(&a);
        mean += x / 100000;
        square += x * x / 100000;
    }
    assert_close(mean, 0, 0.02);
    assert_close(square, 1, 0.03);
}

static void strings_get_dense_ids_and_are_found_again(void **state)
{
    (void)state;
    struct strtab table;
    assert_ok(strtab_init(&table, &error));
    char word[32];
    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t id;
        int length = snprintf(word, sizeof word, "word%u", i);
        assert_ok(strtab_add(&table, word, (size_t)length, &id, &error));
        assert_int_equal(id, i);
        assert_ok(strtab_add(&table, word, (size_t)length, &id, &error));
        assert_int_equal(id, i);
    }
    for (uint32_t i = 0; i < 20000; i++) {
        int length = snprintf(word, sizeof word, "word%u", i);
        assert_int_equal(strtab_find(&table, word, (size_t)length), i);
        assert_int_equal(strtab_get(&table, i).length, length);
    }
    assert_int_equal(strtab_find(&table, "absent", 6), STRTAB_NONE);
    uint32_t id;
    assert_ok(strtab_add(&table, "", 0, &id, &error));
    assert_int_equal(strtab_find(&table, "", 0), id);

    struct strtab view;
    uint8_t *lengths;
    uint64_t size;
    film_text bytes = {table.bytes, (size_t)table.offsets[table.count]};
    assert_ok(strtab_lengths(&table, &lengths, &size, &error));
    film_text text = {(const char *)lengths, (size_t)size};
    assert_ok(strtab_open(&view, bytes, text, "vocab", &error));
    assert_int_equal(view.count, table.count);
    for (uint32_t i = 0; i < view.count; i++)
        assert_int_equal(
            strtab_find(&view, strtab_get(&view, i).bytes, strtab_get(&view, i).length), i);
    assert_int_equal(strtab_find(&view, "absent", 6), STRTAB_NONE);
    strtab_free(&view);
    film_free(lengths);
    strtab_free(&table);
}

static void damaged_strings_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *lengths, *message;
    } cases[] = {{"abcde", "\2\2", "do not cover"},
                 {"abcde", "\2\4", "do not cover"},
                 {"abcde", "\2\203", "do not cover"},
                 {"abab", "\2\2", "occurs twice"},
                 {"abcde", "\377\377\377\377\37", "do not cover"}};
    struct strtab view;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(strtab_open(&view, film_string(cases[i].bytes),
                                     film_string(cases[i].lengths), "vocab", &error),
                         FILM_BAD_INPUT);
        assert_non_null(strstr(error.message, cases[i].message));
        assert_int_equal(strtab_find(&view, "ab", 2), STRTAB_NONE);
    }
}

/* The longest run of occupied slots, of a hash table with linear probing. */
static size_t longest_run(const uint64_t *slots, size_t count)
{
    size_t run = 0, longest = 0;
    for (size_t i = 0; i < count; i++) {
        run = slots[i] ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest;
}

/* Look-ups of short strings by their bytes find what the slots find: all lengths around the limits,
 * and strings that differ in one byte or in their length. */
static void quick_look_ups_find_the_same(void **state)
{
    (void)state;
    enum { LONGEST = 18, EACH = 40 };
    struct strtab table, plain;
    char word[LONGEST];
    uint32_t id;
    assert_ok(strtab_init(&table, &error));
    assert_ok(strtab_init(&plain, &error));
    for (size_t length = 0; length <= LONGEST; length++)
        for (unsigned n = 0; n < EACH; n++) {
            memset(word, n % 2 ? 'a' : '\xc3', sizeof word);
            if (length) word[n % length] = (char)(n / 2);
            assert_ok(strtab_add(n % 4 < 3 ? &table : &plain, word, length, &id, &error));
        }
    assert_ok(strtab_quicken(&table, &error));
    for (uint32_t i = 0; i < table.count; i++) {
        film_text text = strtab_get(&table, i);
        strtab_prefetch(&table, text.bytes, text.length);
        assert_int_equal(strtab_find(&table, text.bytes, text.length), i);
    }
    for (uint32_t i = 0; i < plain.count; i++) {
        film_text text = strtab_get(&plain, i);
        uint32_t wanted = STRTAB_NONE;
        for (uint32_t k = 0; k < table.count; k++) {
            film_text known = strtab_get(&table, k);
            if (known.length == text.length && !memcmp(known.bytes, text.bytes, text.length))
                wanted = k;
        }
        assert_int_equal(strtab_find(&table, text.bytes, text.length), wanted);
    }
    strtab_free(&table);
    strtab_free(&plain);
}

/* Words that an attacker chose: without a seed, all of them would be in one run. */
static void chosen_words_do_not_collide(void **state)
{
    (void)state;
    enum { MANY = 800 };
    struct strtab table;
    struct keytab keys;
    char word[32];
    uint32_t id;
    assert_ok(strtab_init(&table, &error));
    assert_ok(keytab_init_seeded(&keys, rng_entropy(), &error));
    uint64_t mask = 2047;
    struct keytab plain = {.slot_mask = mask};
    for (uint32_t i = 0; table.count < MANY; i++) {
        int length = snprintf(word, sizeof word, "w%u", i);
        if ((strtab_hash(word, (size_t)length) & mask) == 0)
            assert_ok(strtab_add(&table, word, (size_t)length, &id, &error));
    }
    for (uint64_t key = 1; keys.count < MANY; key++)
        if (keytab_first_slot(&plain, key) == 0) assert_ok(keytab_add(&keys, key, &id, &error));
    assert_true(longest_run(table.own_slots, (size_t)table.slot_mask + 1) < MANY / 4);
    assert_true(longest_run(keys.keys, (size_t)keys.slot_mask + 1) < MANY / 4);
    strtab_free(&table);
    keytab_free(&keys);
}

static void a_file_appears_only_when_complete(void **state)
{
    (void)state;
    const char *path = scratch("out");
    struct file_map map;
    film_output *output;
    assert_ok(film_output_open(path, &output, &error));
    assert_ok(film_output_write(output, "hello", 5, &error));
    assert_int_not_equal(access(path, F_OK), 0);
    film_output_discard(output);
    assert_int_not_equal(access(path, F_OK), 0);

    char *large = calloc(1, 1000000);
    assert_ok(film_output_open(path, &output, &error));
    assert_ok(film_output_write(output, "hello", 5, &error));
    assert_ok(film_output_write(output, large, 1000000, &error));
    assert_ok(film_output_patch(output, 1, "E", 1, &error));
    assert_ok(film_output_commit(output, &error));
    assert_ok(file_map_open(path, &map, &error));
    assert_int_equal(map.size, 1000005);
    assert_memory_equal(map.bytes, "hEllo\0\0", 7);
    file_map_close(&map);
    unlink(path);
    free(large);
}

static void a_replaced_file_keeps_its_permissions(void **state)
{
    (void)state;
    static const mode_t modes[] = {0600, 0640, 0664, 0666};
    const char *path = scratch("mode");
    struct film_output *output;
    struct stat about;
    mode_t before = umask(022);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        write_file(path, "old", 3);
        assert_int_equal(chmod(path, modes[i]), 0);
        assert_ok(output_open(path, &output, &error));
        assert_ok(output_write(output, "new", 3, &error));
        assert_ok(output_commit(output, &error));
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_mode & 0777, modes[i]);
        unlink(path);
    }
    assert_ok(output_open(path, &output, &error));
    assert_ok(output_commit(output, &error));
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0644);
    umask(before);
    unlink(path);
}

static void files_that_cannot_be_used_say_why(void **state)
{
    (void)state;
    struct file_map map;
    film_output *output;
    assert_int_equal(file_map_open("/nowhere/x", &map, &error), FILM_IO);
    assert_non_null(strstr(error.message, "No such file"));
    assert_int_equal(file_map_open("/tmp", &map, &error), FILM_IO);
    assert_non_null(strstr(error.message, "is a directory"));
    assert_int_equal(film_output_open("/tmp", &output, &error), FILM_IO);
    assert_int_equal(film_output_open("/nowhere/x", &output, &error), FILM_IO);
    assert_null(output);
    if (access("/dev/full", W_OK) == 0) {
        assert_ok(film_output_open("/dev/full", &output, &error));
        assert_ok(film_output_write(output, "x", 1, &error));
        assert_int_equal(film_output_commit(output, &error), FILM_IO);
        assert_non_null(strstr(error.message, "No space left"));
    }
}

static film_status build_table(void)
{
    struct strtab table;
    uint32_t id;
    film_status status = strtab_init(&table, &error);
    for (uint32_t i = 0; status == FILM_OK && i < 300; i++)
        status = strtab_add(&table, (char *)&i, sizeof i, &id, &error);
    if (status == FILM_OK) assert_int_equal(table.count, 300);
    strtab_free(&table);
    return status;
}

static void no_memory_is_reported_everywhere(void **state)
{
    (void)state;
    survives_every_failure(build_table());
    assert_true(failures_survived > 5);
}

static void the_number_of_threads_is_the_given_one_or_that_of_cores(void **state)
{
    (void)state;
    assert_int_equal(threads_count(3), 3);
    assert_true(threads_count(0) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_overflow_give_null),
        cmocka_unit_test(threads_may_give_memory_back_at_once),
        cmocka_unit_test(aligned_memory_is_aligned),
        cmocka_unit_test(messages_are_cut_not_overrun),
        cmocka_unit_test(random_numbers_are_fixed_and_fair),
        cmocka_unit_test(strings_get_dense_ids_and_are_found_again),
        cmocka_unit_test(quick_look_ups_find_the_same),
        cmocka_unit_test(chosen_words_do_not_collide),
        cmocka_unit_test(damaged_strings_are_refused),
        cmocka_unit_test(a_file_appears_only_when_complete),
        cmocka_unit_test(a_replaced_file_keeps_its_permissions),
        cmocka_unit_test(files_that_cannot_be_used_say_why),
        cmocka_unit_test(no_memory_is_reported_everywhere),
        cmocka_unit_test(the_number_of_threads_is_the_given_one_or_that_of_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
