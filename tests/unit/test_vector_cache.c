/* Tests bert/vector_cache: stored vectors, damaged files, limits, two processes. */
#include "testing.h"

#include "bert/vector_cache.h"
#include "spoil.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { DIM = 8 };
static film_error error;
static char root[300];
static const uint64_t ENCODER = 0x1234;

static struct vector_key key_of(unsigned i)
{
    char text[20];
    snprintf(text, sizeof text, "text %u", i);
    return vector_key_of(film_string(text));
}

static void fill(unsigned i, float *vector)
{
    for (int d = 0; d < DIM; d++) vector[d] = (float)i + 0.125f * (float)d;
}

static struct vector_cache *open_cache(uint64_t encoder, uint64_t most)
{
    struct vector_cache *cache = NULL;
    assert_ok(vector_cache_open(root, encoder, DIM, most, &cache, &error));
    return cache;
}

static void add(struct vector_cache *cache, unsigned from, unsigned to)
{
    float vector[DIM];
    for (unsigned i = from; i < to; i++) {
        fill(i, vector);
        vector_cache_add(cache, key_of(i), vector);
    }
}

/* Counts the texts FROM .. TO that are cached; each must have the vector that was written. */
static unsigned found(struct vector_cache *cache, unsigned from, unsigned to)
{
    unsigned count = 0;
    for (unsigned i = from; i < to; i++) {
        float vector[DIM], wanted[DIM];
        fill(i, wanted);
        if (!vector_cache_find(cache, key_of(i), vector)) continue;
        assert_memory_equal(vector, wanted, sizeof wanted);
        count++;
    }
    return count;
}

/* Calls EACH for every file; returns their number. */
static unsigned each_file(void (*each)(const char *path))
{
    unsigned count = 0;
    char path[900];
    DIR *top = opendir(root);
    for (struct dirent *folder; top && (folder = readdir(top));) {
        if (folder->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", root, folder->d_name);
        DIR *inner = opendir(path);
        for (struct dirent *file; inner && (file = readdir(inner));) {
            char full[1200];
            if (file->d_name[0] == '.') continue;
            snprintf(full, sizeof full, "%s/%s", path, file->d_name);
            count++;
            if (each) each(full);
        }
        if (inner) closedir(inner);
    }
    if (top) closedir(top);
    return count;
}

static void remove_file(const char *path)
{
    unlink(path);
}

static int start(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "%s", scratch("cache/vectors"));
    return 0;
}

static int clean(void **state)
{
    (void)state;
    char path[700];
    each_file(remove_file);
    DIR *top = opendir(root);
    for (struct dirent *folder; top && (folder = readdir(top));) {
        snprintf(path, sizeof path, "%s/%s", root, folder->d_name);
        if (folder->d_name[0] != '.') rmdir(path);
    }
    if (top) closedir(top);
    rmdir(root);
    return 0;
}

static void what_was_added_is_found_next_time(void **state)
{
    (void)state;
    struct vector_cache *cache = open_cache(ENCODER, 1 << 20);
    assert_int_equal(found(cache, 0, 10), 0);
    add(cache, 0, 10);
    vector_cache_close(cache);
    cache = open_cache(ENCODER, 1 << 20);
    assert_int_equal(found(cache, 0, 20), 10);
    assert_int_equal(vector_cache_hits(cache), 10);
    assert_null(vector_cache_problem(cache));
    vector_cache_close(cache);
    cache = open_cache(ENCODER + 1, 1 << 20); /* a different encoder has different vectors */
    assert_int_equal(found(cache, 0, 10), 0);
    vector_cache_close(cache);
}

static long spoil_at;
static void spoil_byte(const char *path)
{
    struct stat about;
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(stat(path, &about), 0);
    long at = spoil_at % (long)about.st_size;
    fseek(file, at, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ 0x41, file);
    fclose(file);
}
static void cut_short(const char *path)
{
    assert_int_equal(truncate(path, 100), 0);
}

/* found() compares every vector with what was written. */
static void a_damaged_file_is_not_trusted(void **state)
{
    (void)state;
    for (long at = 0; at < 1200; at += 37) {
        struct vector_cache *cache = open_cache(ENCODER, 1 << 20);
        add(cache, 0, 10);
        vector_cache_close(cache);
        spoil_at = at;
        assert_int_equal(each_file(at ? spoil_byte : cut_short), 1);
        cache = open_cache(ENCODER, 1 << 20);
        assert_int_equal(found(cache, 0, 10), 0);
        vector_cache_close(cache);
        assert_int_equal(each_file(NULL), 0); /* and removed */
    }
}

static void another_version(const char *path)
{
    struct spoil spoil;
    assert_true(spoil_open(&spoil, path));
    size_t at = 0;
    while (strcmp(spoil.key[at], "film_vectors") != 0) at++;
    spoil.value[at] = "2";
    assert_ok(spoil_write(&spoil, path, &error));
    spoil_close(&spoil);
}

static void a_file_of_another_version_is_not_read(void **state)
{
    (void)state;
    struct vector_cache *cache = open_cache(ENCODER, 1 << 20);
    add(cache, 0, 10);
    vector_cache_close(cache);
    assert_int_equal(each_file(another_version), 1);
    cache = open_cache(ENCODER, 1 << 20);
    assert_int_equal(found(cache, 0, 10), 0);
    vector_cache_close(cache);
    assert_int_equal(each_file(NULL), 0); /* and removed */
}

static void the_oldest_files_go_first(void **state)
{
    (void)state;
    enum { EACH = 1000 }; /* 48,000 bytes and a header */
    for (unsigned round = 0; round < 4; round++) {
        struct vector_cache *cache = open_cache(round % 2 ? ENCODER : ENCODER + 1, 120000);
        add(cache, round * EACH, (round + 1) * EACH);
        vector_cache_close(cache);
        usleep(20000); /* so that times differ */
    }
    assert_int_equal(each_file(NULL), 2);
    struct vector_cache *cache = open_cache(ENCODER, 120000);
    assert_int_equal(found(cache, 3 * EACH, 4 * EACH), EACH);
    assert_int_equal(found(cache, EACH, 2 * EACH), 0);
    vector_cache_close(cache);
}

static void two_processes_may_write_the_same(void **state)
{
    (void)state;
    pid_t child = fork();
    for (int round = 0; round < 10; round++) {
        struct vector_cache *cache = open_cache(ENCODER, 1 << 20);
        if (round) assert_true(found(cache, 0, 100) == 100);
        add(cache, 0, 100);
        add(cache, child ? 100 : 200, child ? 150 : 250);
        vector_cache_close(cache);
    }
    if (child == 0) _exit(0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    struct vector_cache *cache = open_cache(ENCODER, 1 << 20);
    assert_int_equal(found(cache, 0, 300), 200);
    vector_cache_close(cache);
}

static void a_folder_that_cannot_be_used_is_no_error(void **state)
{
    (void)state;
    struct vector_cache *cache = NULL;
    assert_ok(vector_cache_open("/dev/null/film", ENCODER, DIM, 1 << 20, &cache, &error));
    assert_non_null(vector_cache_problem(cache));
    add(cache, 0, 10);
    assert_int_equal(found(cache, 0, 10), 0);
    vector_cache_close(cache);
}

static void without_memory_it_reports_it(void **state)
{
    (void)state;
    struct vector_cache *cache = open_cache(ENCODER, 1 << 20);
    add(cache, 0, 10);
    vector_cache_close(cache);
    survives_every_failure(vector_cache_open(root, ENCODER, DIM, 1 << 20, &cache, &error));
    assert_true(failures_survived > 3);
    vector_cache_close(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_added_is_found_next_time, start, clean),
        cmocka_unit_test_setup_teardown(a_damaged_file_is_not_trusted, start, clean),
        cmocka_unit_test_setup_teardown(a_file_of_another_version_is_not_read, start, clean),
        cmocka_unit_test_setup_teardown(the_oldest_files_go_first, start, clean),
        cmocka_unit_test_setup_teardown(two_processes_may_write_the_same, start, clean),
        cmocka_unit_test_setup_teardown(a_folder_that_cannot_be_used_is_no_error, start, clean),
        cmocka_unit_test_setup_teardown(without_memory_it_reports_it, start, clean)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
