/* Tests base/safetensors: written data is read back, and bad files are refused. */
#include "testing.h"

#include "base/file.h"
#include "base/checksum.h"
#include "base/safetensors.h"
#include "safetensors_bad.h"

#include <jansson.h>
#include <unistd.h>

static film_error error;

/* ---- Helpers --------------------------------------------------------------------------- */

/* A file in memory: header length, header, SIZE zero bytes of data. The caller frees it. */
static unsigned char *make(const char *header, size_t header_length, size_t size, size_t *total)
{
    uint64_t length = header_length;
    unsigned char *file = calloc(1, 8 + header_length + size);
    memcpy(file, &length, 8);
    memcpy(file + 8, header, header_length);
    *total = 8 + header_length + size;
    return file;
}

static film_status try_bytes(const void *bytes, size_t size)
{
    struct safetensors *file;
    film_status status = safetensors_parse(bytes, size, "x.film", &file, &error);
    if (status != FILM_OK) assert_null(file);
    safetensors_close(file);
    return status;
}

/* Everything that a reader returns, as text. */
static char *dump(const struct safetensors *file)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    const char *key = NULL;
    while ((key = safetensors_metadata_next(file, key)))
        fprintf(out, "%s=%s\n", key, safetensors_metadata(file, key));
    for (size_t i = 0; i < safetensors_count(file); i++) {
        const struct safetensors_tensor *t = safetensors_at(file, i);
        assert_non_null(t->data);
        assert_int_equal((uintptr_t)t->data % safetensors_type_size(t->type), 0);
        fprintf(out, "%s %s [", t->name, safetensors_type_name(t->type));
        for (size_t d = 0; d < t->dims; d++) fprintf(out, " %llu", (unsigned long long)t->shape[d]);
        fprintf(out, " ] ");
        for (uint64_t b = 0; b < t->bytes; b++)
            fprintf(out, "%02x", ((const unsigned char *)t->data)[b]);
        fprintf(out, "\n");
    }
    fclose(out);
    return text;
}

static char *dump_bytes(const void *bytes, size_t size)
{
    struct safetensors *file;
    if (safetensors_parse(bytes, size, "x.film", &file, &error) != FILM_OK) return NULL;
    char *text = dump(file);
    safetensors_close(file);
    return text;
}

/* A small file from the writer, in exactly sized memory. */
static unsigned char *small_file(size_t *size)
{
    static const float matrix[6] = {1, 2, 3, 4, 5, 6};
    static const uint64_t offsets[3] = {0, 2, 5};
    static const char *const keys[] = {"format", "note"};
    static const char *const values[] = {"film", "caf\xc3\xa9 \"\\\x1f"};
    const struct safetensors_tensor tensors[] = {
        {"L", SAFETENSORS_F32, 2, {2, 3}, matrix, 0},
        {"vocab.bytes", SAFETENSORS_U8, 1, {5}, "hello", 0},
        {"vocab.offsets", SAFETENSORS_U64, 1, {3}, offsets, 0},
    };
    const char *path = scratch("small.film");
    assert_ok(safetensors_write(path, tensors, 3, keys, values, 2, &error));
    struct file_map map;
    assert_ok(file_map_open(path, &map, &error));
    unsigned char *bytes = malloc(map.size);
    memcpy(bytes, map.bytes, map.size);
    *size = map.size;
    file_map_close(&map);
    unlink(path);
    return bytes;
}

/* ---- Round trips ----------------------------------------------------------------------- */

static void every_type_comes_back_as_written(void **state)
{
    (void)state;
    unsigned char values[SAFETENSORS_TYPES][6 * 8];
    char names[SAFETENSORS_TYPES][16];
    struct safetensors_tensor tensors[SAFETENSORS_TYPES];
    for (int i = 0; i < SAFETENSORS_TYPES; i++) {
        for (size_t b = 0; b < sizeof values[i]; b++) values[i][b] = (unsigned char)(b * 37 + i);
        snprintf(names[i], sizeof names[i], "t%d", i);
        tensors[i] = (struct safetensors_tensor){
            names[i], (enum safetensors_type)i, 2, {3, 2}, values[i], 0};
    }
    const char *path = scratch("types.film");
    assert_ok(safetensors_write(path, tensors, SAFETENSORS_TYPES, NULL, NULL, 0, &error));
    struct safetensors *file;
    assert_ok(safetensors_open(path, &file, &error));
    assert_int_equal(safetensors_count(file), SAFETENSORS_TYPES);
    assert_true(safetensors_is_checked(file));
    for (int i = 0; i < SAFETENSORS_TYPES; i++) {
        const struct safetensors_tensor *t = safetensors_find(file, names[i]);
        assert_non_null(t);
        assert_int_equal(t->type, i);
        assert_int_equal(t->dims, 2);
        assert_int_equal(t->shape[0], 3);
        assert_int_equal(t->shape[1], 2);
        assert_int_equal(t->bytes, 6 * safetensors_type_size((enum safetensors_type)i));
        assert_memory_equal(t->data, values[i], t->bytes);
        assert_int_equal((uintptr_t)t->data % safetensors_type_size(t->type), 0);
        assert_int_equal(safetensors_type_of(safetensors_type_name(t->type)), i);
    }
    /* Descending element size, otherwise in the given order: U64 I64 F64, U32 ... */
    assert_string_equal(safetensors_at(file, 0)->name, "t10");
    assert_string_equal(safetensors_at(file, 1)->name, "t11");
    assert_string_equal(safetensors_at(file, 12)->name, "t2");
    safetensors_close(file);
    unlink(path);
}

static void empty_tensors_scalars_and_unicode_survive(void **state)
{
    (void)state;
    const double pi = 3.25;
    const char *const keys[] = {"", "gr\303\266\303\237e", "json"};
    const char *const values[] = {"", "\xf0\x9f\x98\x80 \xe4\xb8\xad\xe6\x96\x87",
                                  "{\"a\": \"\\n\"}\n\t\x01"};
    const struct safetensors_tensor tensors[] = {
        {"none", SAFETENSORS_F32, 2, {0, 7}, NULL, 0},
        {"pi", SAFETENSORS_F64, 0, {0}, &pi, 0},
        {"\xce\xbb \"q\"", SAFETENSORS_U8, 8, {1, 1, 1, 1, 1, 1, 1, 2}, "ok", 0},
        {"", SAFETENSORS_I64, 1, {0}, NULL, 0},
    };
    const char *path = scratch("odd.film");
    assert_ok(safetensors_write(path, tensors, 4, keys, values, 3, &error));
    struct safetensors *file;
    assert_ok(safetensors_open(path, &file, &error));
    assert_int_equal(safetensors_count(file), 4);
    assert_int_equal(safetensors_find(file, "none")->bytes, 0);
    assert_int_equal(safetensors_find(file, "none")->shape[1], 7);
    assert_int_equal(safetensors_find(file, "")->bytes, 0);
    assert_int_equal(safetensors_find(file, "pi")->dims, 0);
    assert_memory_equal(safetensors_find(file, "pi")->data, &pi, 8);
    assert_memory_equal(safetensors_find(file, "\xce\xbb \"q\"")->data, "ok", 2);
    for (int i = 0; i < 3; i++) assert_string_equal(safetensors_metadata(file, keys[i]), values[i]);
    assert_null(safetensors_metadata(file, "absent"));
    assert_null(safetensors_find(file, "absent"));
    safetensors_close(file);

    assert_ok(safetensors_write(path, NULL, 0, NULL, NULL, 0, &error));
    assert_ok(safetensors_open(path, &file, &error));
    assert_int_equal(safetensors_count(file), 0);
    safetensors_close(file);
    safetensors_close(NULL);
    unlink(path);
}

static void the_same_content_gives_the_same_bytes_with_aligned_data(void **state)
{
    (void)state;
    size_t size, again;
    unsigned char *a = small_file(&size), *b = small_file(&again);
    assert_int_equal(size, again);
    assert_memory_equal(a, b, size);
    uint64_t length;
    memcpy(&length, a, 8);
    assert_int_equal((8 + length) % 64, 0);
    assert_memory_equal(a + 8, "{\"__metadata__\":{\"format\":\"film\",\"note\":", 40);
    assert_memory_equal(a + size - 5, "hello", 5);
    free(a);
    free(b);
}

/* The sums were computed in Python with libxxhash from docs/reference/model-file.md, so that a
 * change of the definition cannot go unnoticed: old models would all read as damaged. */
static void checksums_stay_what_docs_format_says(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = small_file(&size);
    struct safetensors *file;
    assert_ok(safetensors_parse(bytes, size, "x.film", &file, &error));
    assert_string_equal(safetensors_metadata(file, "xxh3:vocab.bytes"), "9555e8555c62dcfd");
    assert_string_equal(safetensors_metadata(file, "xxh3:__metadata__"), "e8433803328ec02b");
    safetensors_close(file);
    free(bytes);
}

static void bytes_at_any_address_and_files_without_checksums_are_read(void **state)
{
    (void)state;
    const char *header = "{\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
                         "\"a\":{\"shape\":[2],\"data_offsets\":[1,17],\"dtype\":\"F64\"}}";
    size_t size;
    unsigned char *bytes = make(header, strlen(header), 17, &size);
    for (size_t i = 0; i < 17; i++) bytes[size - 17 + i] = (unsigned char)i;
    for (size_t shift = 0; shift < 8; shift++) {
        unsigned char *moved = malloc(size + shift);
        memcpy(moved + shift, bytes, size);
        struct safetensors *file;
        assert_ok(safetensors_parse(moved + shift, size, "x.film", &file, &error));
        assert_false(safetensors_is_checked(file));
        const struct safetensors_tensor *t = safetensors_find(file, "a");
        assert_int_equal((uintptr_t)t->data % 8, 0);
        assert_memory_equal(t->data, bytes + size - 16, 16);
        assert_string_equal(safetensors_at(file, 0)->name, "b");
        assert_null(safetensors_metadata(file, "format"));
        assert_null(safetensors_metadata_next(file, NULL));
        safetensors_close(file);
        free(moved);
    }
    free(bytes);
}

/* ---- Bad files ------------------------------------------------------------------------- */

static void every_bad_file_has_a_message(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        size_t size;
        unsigned char *bytes = make(bad[i].header, strlen(bad[i].header), bad[i].data, &size);
        film_status status = try_bytes(bytes, size);
        if (status != FILM_BAD_INPUT || !strstr(error.message, bad[i].message) ||
            strncmp(error.message, "x.film: ", 8) != 0 || strchr(error.message, '\n')) {
            print_error("%s: status %d, %s\n", bad[i].header, (int)status, error.message);
            fail();
        }
        free(bytes);
    }
}

static void files_with_a_wrong_frame_say_so(void **state)
{
    (void)state;
    unsigned char frame[16] = {0};
    assert_int_equal(try_bytes("", 0), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "x.film: not a safetensors file: 0 bytes are too short"));
    assert_int_equal(try_bytes(frame, 7), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "7 bytes are too short"));
    frame[0] = 9;
    assert_int_equal(try_bytes(frame, 16), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "should be 9 bytes long, but only 8 follow"));
    memset(frame, 0xff, 8);
    assert_int_equal(try_bytes(frame, 16), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "more than 100 MB"));
    assert_int_equal(try_bytes("{}{}", 2), FILM_BAD_INPUT);
    struct safetensors *file;
    assert_int_equal(safetensors_open("/nowhere/x.film", &file, &error), FILM_IO);
    assert_null(file);

    /* A header nested deeper than the parser allows, a name longer than a message: both refused. */
    char deep[6000], longer[2100];
    size_t size;
    memset(deep, '[', sizeof deep);
    memcpy(deep, "{\"a\":", 5);
    deep[sizeof deep - 1] = '}';
    unsigned char *bytes = make(deep, sizeof deep, 0, &size);
    assert_int_equal(try_bytes(bytes, size), FILM_BAD_INPUT);
    free(bytes);
    memset(longer, 'n', sizeof longer);
    memcpy(longer, "{\"", 2);
    memcpy(longer + sizeof longer - 4, "\":7}", 4);
    bytes = make(longer, sizeof longer, 0, &size);
    assert_int_equal(try_bytes(bytes, size), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "nnn...: expected exactly"));
    free(bytes);
}

static void every_truncation_and_every_extension_is_refused(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = small_file(&size);
    assert_int_equal(try_bytes(bytes, size), FILM_OK);
    for (size_t length = 0; length < size; length++) {
        unsigned char *cut = malloc(length + 1); /* exact except for 0: ASan sees an overrun */
        cut = realloc(cut, length ? length : 1);
        memcpy(cut, bytes, length);
        assert_int_equal(try_bytes(cut, length), FILM_BAD_INPUT);
        free(cut);
    }
    unsigned char *extended = calloc(1, size + 1);
    memcpy(extended, bytes, size);
    assert_int_equal(try_bytes(extended, size + 1), FILM_BAD_INPUT);
    free(extended);
    free(bytes);
}

static void no_flipped_bit_changes_the_content_unnoticed(void **state)
{
    (void)state;
    size_t size, same = 0;
    unsigned char *bytes = small_file(&size);
    char *right = dump_bytes(bytes, size);
    assert_non_null(right);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        char *got = dump_bytes(bytes, size);
        if (got) {
            if (strcmp(got, right)) print_error("bit %zu of byte %zu\n", bit % 8, bit / 8);
            assert_string_equal(got, right);
            same++; /* the case of a hexadecimal digit in \u001f */
        }
        free(got);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    assert_in_range(same, 0, 2);
    bytes[size - 1] ^= 1;
    assert_int_equal(try_bytes(bytes, size), FILM_BAD_INPUT);
    assert_string_equal(error.message, "x.film: tensor vocab.bytes: checksum mismatch; restore the "
                                       "file from a backup or train again");
    free(right);
    free(bytes);
}

/* Only the header's checksum, and a correct one: the tensor's was lost with its entry. */
static void checksums_are_all_or_none(void **state)
{
    (void)state;
    const struct safetensors_tensor tensor = {"a", SAFETENSORS_U8, 1, {2}, "", 0};
    char header[300];
    size_t size;
    snprintf(header, sizeof header, "{\"__metadata__\":{\"%s\":\"%s\"},\"a\":%s}", CHECKSUM_HEADER,
             checksum_print(checksum_tensor(&tensor, 0)).digits, T("U8", "[2]", "[0,2]"));
    unsigned char *bytes = make(header, strlen(header), 2, &size);
    assert_int_equal(try_bytes(bytes, size), FILM_BAD_INPUT);
    assert_non_null(strstr(error.message, "x.film: tensor a: checksum is missing"));
    free(bytes);
}

/* ---- Queries, refused writes, memory ---------------------------------------------------- */

static void a_required_tensor_must_have_its_type_and_shape(void **state)
{
    (void)state;
    size_t size;
    unsigned char *bytes = small_file(&size);
    struct safetensors *file;
    const struct safetensors_tensor *t;
    const uint64_t any[2] = {SAFETENSORS_ANY, 3}, wrong[2] = {SAFETENSORS_ANY, 4};
    assert_ok(safetensors_parse(bytes, size, "x.film", &file, &error));
    assert_ok(safetensors_require(file, "L", SAFETENSORS_F32, 2, any, &t, &error));
    assert_int_equal(t->shape[0], 2);
    assert_int_equal(safetensors_require(file, "L", SAFETENSORS_F32, 2, wrong, &t, &error),
                     FILM_BAD_INPUT);
    assert_null(t);
    assert_string_equal(error.message,
                        "x.film: tensor L should be F32 [any, 4], but is F32 [2, 3]");
    assert_int_equal(safetensors_require(file, "L", SAFETENSORS_F64, 2, any, &t, &error),
                     FILM_BAD_INPUT);
    assert_int_equal(safetensors_require(file, "L", SAFETENSORS_F32, 1, any, &t, &error),
                     FILM_BAD_INPUT);
    assert_int_equal(safetensors_require(file, "idf", SAFETENSORS_F32, 1, any, &t, &error),
                     FILM_BAD_INPUT);
    assert_string_equal(error.message, "x.film: tensor idf (F32 [any]) is missing");
    safetensors_close(file);
    free(bytes);
}

static void what_could_not_be_read_back_is_not_written(void **state)
{
    (void)state;
    const char *path = scratch("refused.film");
    const char *const keys[] = {"k", "k"}, *const values[] = {"1", "2"}, *const own[] = {"xxh3:L"},
                      *const broken[] = {"\xff"};
    const struct safetensors_tensor good = {"a", SAFETENSORS_U8, 1, {1}, "x", 0};
    struct safetensors_tensor two[2] = {good, good};
    const struct safetensors_tensor wrong[] = {
        {"__metadata__", SAFETENSORS_U8, 1, {1}, "x", 0},
        {"\xc3", SAFETENSORS_U8, 1, {1}, "x", 0},
        {"a", SAFETENSORS_TYPES, 1, {1}, "x", 0},
        {"a", SAFETENSORS_U8, 9, {1}, "x", 0},
        {"a", SAFETENSORS_F64, 1, {UINT64_MAX / 4}, "x", 0},
    };
    assert_int_equal(safetensors_write(path, two, 2, NULL, NULL, 0, &error), FILM_USAGE);
    assert_non_null(strstr(error.message, "duplicate tensor name a"));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(safetensors_write(path, &wrong[i], 1, NULL, NULL, 0, &error), FILM_USAGE);
    assert_int_equal(safetensors_write(path, &good, 1, keys, values, 2, &error), FILM_USAGE);
    assert_int_equal(safetensors_write(path, &good, 1, own, values, 1, &error), FILM_USAGE);
    assert_int_equal(safetensors_write(path, &good, 1, keys, broken, 1, &error), FILM_USAGE);
    assert_int_equal(safetensors_write("/nowhere/x", &good, 1, NULL, NULL, 0, &error), FILM_IO);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void no_memory_is_reported_everywhere(void **state)
{
    (void)state;
    const char *path = scratch("memory.film"), *const key = "k", *const value = "v";
    const double number = 1;
    const struct safetensors_tensor tensor = {"a", SAFETENSORS_F64, 1, {1}, &number, 0};
    film_status status = FILM_NO_MEMORY;
    for (long at = 0; status != FILM_OK; at++) {
        assert_int_equal(status, FILM_NO_MEMORY);
        /* Syncing the directory after the rename may fail too: the file is then complete. */
        struct safetensors *whole;
        if (access(path, F_OK) == 0) {
            assert_ok(safetensors_open(path, &whole, &error));
            safetensors_close(whole);
            unlink(path);
        }
        fail_allocation(at);
        status = safetensors_write(path, &tensor, 1, &key, &value, 1, &error);
        fail_allocation(-1);
    }
    unlink(path);

    /* Reading: our allocations and jansson's use the same counter; odd addresses make the reader
     * copy the tensors. */
    size_t size;
    unsigned char *bytes = small_file(&size), *odd = malloc(size + 1);
    memcpy(odd + 1, bytes, size);
    struct safetensors *file = NULL;
    json_set_alloc_funcs(failing_malloc, free);
    status = FILM_NO_MEMORY;
    long failures = 0;
    for (; status != FILM_OK; failures++) {
        assert_int_equal(status, FILM_NO_MEMORY);
        assert_null(file);
        fail_allocation(failures);
        status = safetensors_parse(odd + 1, size, "x.film", &file, &error);
        fail_allocation(-1);
    }
    assert_true(failures > 40);
    safetensors_close(file);
    json_set_alloc_funcs(malloc, free);
    free(odd);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_comes_back_as_written),
        cmocka_unit_test(empty_tensors_scalars_and_unicode_survive),
        cmocka_unit_test(the_same_content_gives_the_same_bytes_with_aligned_data),
        cmocka_unit_test(checksums_stay_what_docs_format_says),
        cmocka_unit_test(bytes_at_any_address_and_files_without_checksums_are_read),
        cmocka_unit_test(every_bad_file_has_a_message),
        cmocka_unit_test(files_with_a_wrong_frame_say_so),
        cmocka_unit_test(every_truncation_and_every_extension_is_refused),
        cmocka_unit_test(no_flipped_bit_changes_the_content_unnoticed),
        cmocka_unit_test(checksums_are_all_or_none),
        cmocka_unit_test(a_required_tensor_must_have_its_type_and_shape),
        cmocka_unit_test(what_could_not_be_read_back_is_not_written),
        cmocka_unit_test(no_memory_is_reported_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
