/* Our side of test_safetensors_python.sh:
 *
 *     safetensors_sample write FILE   writes a file with known values
 *     safetensors_sample text         prints what that file must look like to any reader
 *     safetensors_sample dump FILE    prints a file in the form that read_safetensors.py prints
 *
 * The text of the known values is written by hand below, not derived from the file. */
#include "base/safetensors.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static film_status write_sample(const char *path, film_error *error)
{
    static const float map[6] = {1.0f, -0.0f, 0.5f, -2.0f, 3.0f, INFINITY};
    static const uint64_t offsets[3] = {0, 2, UINT64_MAX};
    static const int16_t small[2] = {-1, 256};
    static const double scalar = 1.0;
    static const uint16_t brain[1] = {0x3f80}; /* 1.0 as BF16 */
    const struct safetensors_tensor tensors[] = {
        {"bytes", SAFETENSORS_U8, 1, {3}, "abc", 0},
        {"L", SAFETENSORS_F32, 2, {2, 3}, map, 0},
        {"offsets", SAFETENSORS_U64, 1, {3}, offsets, 0},
        {"small", SAFETENSORS_I16, 2, {1, 2}, small, 0},
        {"scalar", SAFETENSORS_F64, 0, {0}, &scalar, 0},
        {"empty", SAFETENSORS_I32, 2, {0, 4}, NULL, 0},
        {"gr\xc3\xbc\xc3\x9f"
         "e",
         SAFETENSORS_BF16,
         1,
         {1},
         brain,
         0},
    };
    const char *const keys[] = {"format", "settings"};
    const char *const values[] = {"film", "{\"stem\": \"\xc3\xa9\"}\n"};
    return safetensors_write(path, tensors, sizeof tensors / sizeof tensors[0], keys, values, 2,
                             error);
}

static const char sample_text[] =
    "metadata \"format\" = \"film\"\n"
    "metadata \"settings\" = \"{\\\"stem\\\": \\\"\\u00e9\\\"}\\n\"\n"
    "tensor \"L\" F32 [2,3] 3f800000 80000000 3f000000 c0000000 40400000 7f800000\n"
    "tensor \"bytes\" U8 [3] 61 62 63\n"
    "tensor \"empty\" I32 [0,4]\n"
    "tensor \"gr\\u00fc\\u00dfe\" BF16 [1] 3f80\n"
    "tensor \"offsets\" U64 [3] 0000000000000000 0000000000000002 ffffffffffffffff\n"
    "tensor \"scalar\" F64 [] 3ff0000000000000\n"
    "tensor \"small\" I16 [1,2] ffff 0100\n";

/* A JSON string in ASCII, with lower-case \u escapes like Python's. */
static void print_string(const char *text)
{
    json_t *value = json_string(text);
    char *quoted = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    for (char *at = quoted; at && (at = strstr(at, "\\u")); at += 6)
        for (int i = 2; i < 6; i++)
            if (at[i] >= 'A' && at[i] <= 'F') at[i] = (char)(at[i] + 32);
    printf("%s", quoted ? quoted : "?");
    free(quoted);
    json_decref(value);
}

static void print_tensor(const struct safetensors_tensor *tensor)
{
    const unsigned char *bytes = tensor->data;
    size_t size = safetensors_type_size(tensor->type);
    printf("tensor ");
    print_string(tensor->name);
    printf(" %s [", safetensors_type_name(tensor->type));
    for (size_t i = 0; i < tensor->dims; i++) printf("%s%" PRIu64, i ? "," : "", tensor->shape[i]);
    printf("]");
    for (uint64_t at = 0; at < tensor->bytes; at++) {
        uint64_t cell = at / size * size;
        printf("%s%02x", at == cell ? " " : "", bytes[cell + size - 1 - (at - cell)]);
    }
    printf("\n");
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void dump(const struct safetensors *file)
{
    const char *names[100], *key = NULL;
    size_t count = 0;
    while ((key = safetensors_metadata_next(file, key)))
        if (strncmp(key, "xxh3:", 5) != 0 && count < 100) names[count++] = key;
    qsort(names, count, sizeof names[0], by_text);
    for (size_t i = 0; i < count; i++) {
        printf("metadata ");
        print_string(names[i]);
        printf(" = ");
        print_string(safetensors_metadata(file, names[i]));
        printf("\n");
    }
    count = 0;
    for (size_t i = 0; i < safetensors_count(file) && i < 100; i++)
        names[count++] = safetensors_at(file, i)->name;
    qsort(names, count, sizeof names[0], by_text);
    for (size_t i = 0; i < count; i++) print_tensor(safetensors_find(file, names[i]));
}

int main(int argc, char **argv)
{
    film_error error = {0};
    film_status status = FILM_OK;
    struct safetensors *file = NULL;
    if (argc == 3 && strcmp(argv[1], "write") == 0) {
        status = write_sample(argv[2], &error);
    } else if (argc == 3 && strcmp(argv[1], "dump") == 0) {
        status = safetensors_open(argv[2], &file, &error);
        if (status == FILM_OK) dump(file);
        safetensors_close(file);
    } else if (argc == 2 && strcmp(argv[1], "text") == 0) {
        fputs(sample_text, stdout);
    } else {
        fprintf(stderr, "usage: safetensors_sample write FILE | dump FILE | text\n");
        return 1;
    }
    if (status != FILM_OK) fprintf(stderr, "%s\n", error.message);
    return (int)status;
}
