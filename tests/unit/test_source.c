/* Tests text/source: plain, gzip and zstd, truncated and damaged. */
#include "packing.h"

#include "text/source.h"

#include <fcntl.h>
#include <sys/stat.h>

static film_error error;

/* Reads everything in chunks of STEP, each into memory of exactly that size; NULL on failure. */
static char *read_all(struct source *source, size_t step, size_t *size)
{
    char *all = NULL, *piece = malloc(step);
    size_t got, capacity = 0;
    film_status status;
    *size = 0;
    while ((status = source_read(source, piece, step, &got, &error)) == FILM_OK && got) {
        if (*size + got > capacity) all = realloc(all, capacity = 2 * (*size + got));
        memcpy(all + *size, piece, got);
        *size += got;
    }
    free(piece);
    if (status == FILM_OK) return all ? all : malloc(1);
    free(all);
    return NULL;
}

static void gives_back(struct packed packed, const char *expected, size_t expected_size)
{
    static const size_t chunks[] = {1, 2, 3, 7, 1000, 0}, steps[] = {1, 5, 4096, 1 << 20};
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 4; j++) {
            struct source *source;
            size_t size;
            assert_ok(
                source_open_bytes(packed.bytes, packed.size, "x", chunks[i], &source, &error));
            char *all = read_all(source, steps[j], &size);
            assert_non_null(all);
            assert_int_equal(size, expected_size);
            assert_memory_equal(all, expected, size);
            assert_close(source_progress(source), 1, 0);
            free(all);
            source_close(source);
        }
    free(packed.bytes);
}

static char text[20000];

static void fill_text(void)
{
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i % 61 == 60 ? '\n' : 'a' + (i * i / 7) % 26);
}

static void plain_gzip_and_zstd_give_the_same_bytes(void **state)
{
    (void)state;
    fill_text();
    struct packed plain = {malloc(sizeof text), sizeof text};
    memcpy(plain.bytes, text, sizeof text);
    gives_back(plain, text, sizeof text);
    gives_back(pack_gzip(text, sizeof text), text, sizeof text);
    gives_back(pack_zstd(text, sizeof text), text, sizeof text);
    gives_back(pack_gzip("", 0), "", 0);
    gives_back(pack_zstd("", 0), "", 0);
    struct packed nothing = {malloc(1), 0};
    gives_back(nothing, "", 0);
}

static void members_and_frames_follow_each_other(void **state)
{
    (void)state;
    struct packed zeros = {calloc(1, 600), 600}, skip = {malloc(12), 12};
    memcpy(skip.bytes, "\x50\x2a\x4d\x18\x04\0\0\0abcd", 12);
    struct packed gzip = pack_join(pack_gzip("one ", 4), pack_gzip("", 0));
    gzip = pack_join(gzip, pack_gzip("two", 3));
    gives_back(pack_join(gzip, zeros), "one two", 7);
    struct packed zstd = pack_join(skip, pack_zstd("one ", 4));
    gives_back(pack_join(zstd, pack_zstd("two", 3)), "one two", 7);
}

static void fails_with(struct packed packed, size_t size, const char *message)
{
    static const size_t chunks[] = {1, 0};
    for (size_t i = 0; i < 2; i++) {
        struct source *source;
        size_t got;
        char one;
        film_status status =
            source_open_bytes(packed.bytes, size, "x.tsv.gz", chunks[i], &source, &error);
        if (status == FILM_OK) {
            assert_null(read_all(source, 512, &got));
            status = error.status;
            memset(&error, 0, sizeof error);
            /* The status is permanent. */
            assert_int_equal(source_read(source, &one, 1, &got, &error), status);
        }
        assert_int_equal(status, FILM_BAD_INPUT);
        assert_string_equal(error.message, message);
        source_close(status == FILM_OK ? NULL : source);
    }
}

static void compressed_data_cut_anywhere_is_refused(void **state)
{
    (void)state;
    fill_text();
    struct packed gzip = pack_gzip(text, 3000), zstd = pack_zstd(text, 3000);
    for (size_t size = 3; size < gzip.size; size += size < 20 ? 1 : 37)
        fails_with(gzip, size, "x.tsv.gz: compressed data ends early; the file is truncated");
    fails_with(gzip, gzip.size - 1, "x.tsv.gz: compressed data ends early; the file is truncated");
    for (size_t size = 5; size < zstd.size; size += size < 20 ? 1 : 37)
        fails_with(zstd, size, "x.tsv.gz: compressed data ends early; the file is truncated");
    fails_with(zstd, zstd.size - 1, "x.tsv.gz: compressed data ends early; the file is truncated");
    free(gzip.bytes);
    free(zstd.bytes);
}

static void damaged_data_is_refused(void **state)
{
    (void)state;
    struct packed gzip = pack_gzip("hello hello hello", 17), zstd = pack_zstd("hello hello", 11);
    gzip.bytes[gzip.size - 6] ^= 1;
    fails_with(gzip, gzip.size, "x.tsv.gz: compressed data is damaged (incorrect data check)");
    zstd.bytes[zstd.size - 2] ^= 1;
    fails_with(zstd, zstd.size,
               "x.tsv.gz: compressed data is damaged (Restored data doesn't match checksum)");
    free(gzip.bytes);
    free(zstd.bytes);
    struct packed junk = {strdup("junk"), 4};
    gzip = pack_join(pack_gzip("hello", 5), junk);
    fails_with(gzip, gzip.size,
               "x.tsv.gz: compressed data is damaged (trailing bytes are not gzip)");
    free(gzip.bytes);
}

static void other_packings_are_named(void **state)
{
    (void)state;
    struct packed xz = {(char *)"\xfd\x37zXZ\0\0", 7}, bzip2 = {(char *)"BZh91AY&SY..", 12},
                  zip = {(char *)"PK\3\4....", 8};
    fails_with(xz, 7, "x.tsv.gz: compressed with xz; unpack it with xz -d");
    fails_with(bzip2, 12, "x.tsv.gz: compressed with bzip2; unpack it with bzip2 -d");
    fails_with(zip, 8,
               "x.tsv.gz: a zip archive or an Excel workbook, which this program cannot read; "
               "unpack it, or save it as CSV");
    struct packed text_of_bzip = {strdup("BZh is a word"), 13};
    gives_back(text_of_bzip, "BZh is a word", 13);
}

static void missing_files_and_directories_are_clear(void **state)
{
    (void)state;
    struct source *source;
    assert_int_equal(source_open("/nowhere/x.tsv", &source, &error), FILM_IO);
    assert_null(source);
    assert_string_equal(error.message, "cannot open /nowhere/x.tsv: No such file or directory");
    assert_int_equal(source_open("/tmp", &source, &error), FILM_IO);
    assert_string_equal(error.message, "/tmp is a directory, not a file");
    if (geteuid() != 0) { /* root may read everything */
        const char *path = scratch("closed");
        write_file(path, "x", 1);
        chmod(path, 0);
        assert_int_equal(source_open(path, &source, &error), FILM_IO);
        assert_non_null(strstr(error.message, "Permission denied"));
        unlink(path);
    }
}

static void standard_input_is_read_as_it_comes(void **state)
{
    (void)state;
    int ends[2], saved = dup(STDIN_FILENO);
    struct source *source;
    char buffer[100];
    size_t got;
    assert_int_equal(pipe(ends), 0);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    /* Two bytes arrive although the writer stays open: the reader does not wait for a magic. */
    assert_int_equal(write(ends[1], "a\n", 2), 2);
    assert_ok(source_open("-", &source, &error));
    assert_string_equal(source_name(source), "standard input");
    assert_ok(source_read(source, buffer, sizeof buffer, &got, &error));
    assert_int_equal(got, 2);
    assert_close(source_progress(source), -1, 0);
    close(ends[1]);
    assert_ok(source_read(source, buffer, sizeof buffer, &got, &error));
    assert_int_equal(got, 0);
    source_close(source);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0); /* the caller's to close */
    dup2(saved, STDIN_FILENO);
    close(saved);
}

static void progress_counts_compressed_bytes(void **state)
{
    (void)state;
    fill_text();
    const char *path = scratch("progress");
    struct packed gzip = pack_gzip(text, sizeof text);
    struct source *source;
    size_t got;
    char buffer[1000];
    write_file(path, gzip.bytes, gzip.size);
    assert_ok(source_open(path, &source, &error));
    double last = 0;
    do {
        assert_ok(source_read(source, buffer, sizeof buffer, &got, &error));
        assert_true(source_progress(source) >= last && source_progress(source) <= 1);
        last = source_progress(source);
    } while (got);
    assert_close(last, 1, 0);
    source_close(source);
    free(gzip.bytes);
    unlink(path);
}

static film_status read_packed(const struct packed *packed)
{
    struct source *source;
    char buffer[8];
    size_t got;
    film_status status = source_open_bytes(packed->bytes, packed->size, "x", 0, &source, &error);
    if (status == FILM_OK) status = source_read(source, buffer, 8, &got, &error);
    source_close(source);
    return status;
}

static void opening_without_memory_fails_cleanly(void **state)
{
    (void)state;
    struct packed gzip = pack_gzip("hello", 5);
    survives_every_failure(read_packed(&gzip));
    assert_true(failures_survived >= 4);
    free(gzip.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_gzip_and_zstd_give_the_same_bytes),
        cmocka_unit_test(members_and_frames_follow_each_other),
        cmocka_unit_test(compressed_data_cut_anywhere_is_refused),
        cmocka_unit_test(damaged_data_is_refused),
        cmocka_unit_test(other_packings_are_named),
        cmocka_unit_test(missing_files_and_directories_are_clear),
        cmocka_unit_test(standard_input_is_read_as_it_comes),
        cmocka_unit_test(progress_counts_compressed_bytes),
        cmocka_unit_test(opening_without_memory_fails_cleanly),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
