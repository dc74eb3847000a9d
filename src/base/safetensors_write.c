/* Writes safetensors files. The header is written by hand, not by a JSON library, so that the same
 * arguments always give the same bytes. safetensors.c reads them. */
#include "base/file.h"
#include "base/safetensors.h"
#include "base/checksum.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- A growing text -------------------------------------------------------------------- */

/* After a failed allocation further calls are ignored, so that only the end checks for failure. */
struct text {
    char *bytes;
    size_t length, capacity;
    int failed;
};

static void text_put(struct text *text, const char *bytes, size_t length)
{
    if (!text->failed)
        text->failed = !mem_grow((void **)&text->bytes, &text->capacity, text->length + length, 1);
    if (text->failed) return;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
}

/* For short strings: numbers and punctuation. */
__attribute__((format(printf, 2, 3))) static void print(struct text *text, const char *format, ...)
{
    char chunk[128];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(chunk, sizeof chunk, format, arguments);
    va_end(arguments);
    text_put(text, chunk, (size_t)length);
}

/* Writes a JSON string. UTF-8 stays as it is; only what JSON forbids is escaped. */
static void put_string(struct text *text, const char *string)
{
    text_put(text, "\"", 1);
    for (const char *at = string; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\')
            print(text, "\\%c", c);
        else if (c < 0x20)
            print(text, "\\u%04x", (unsigned)c);
        else
            text_put(text, at, 1);
    }
    text_put(text, "\"", 1);
}

/* ---- Checking the arguments ------------------------------------------------------------ */

static int is_utf8(const char *string)
{
    return utf8_valid(string, strlen(string), NULL);
}

/* A file with an invalid name could be written but not read back, so it is refused here. Names are
 * compared pairwise: there are only dozens. */
static film_status check_tensors(const char *path, const struct safetensors_tensor *tensors,
                                 size_t count, film_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const struct safetensors_tensor *tensor = &tensors[i];
        uint64_t bytes;
        if (!is_utf8(tensor->name))
            return status_set(error, FILM_USAGE, "%s: tensor %zu: the name is not valid UTF-8",
                              path, i);
        if (strcmp(tensor->name, "__metadata__") == 0)
            return status_set(error, FILM_USAGE,
                              "%s: __metadata__ is reserved; choose another tensor name", path);
        for (size_t j = 0; j < i; j++)
            if (strcmp(tensor->name, tensors[j].name) == 0)
                return status_set(error, FILM_USAGE, "%s: duplicate tensor name %s", path,
                                  tensor->name);
        if ((unsigned)tensor->type >= SAFETENSORS_TYPES || tensor->dims > SAFETENSORS_MAX_DIMS ||
            !safetensors_size(tensor->type, tensor->dims, tensor->shape, &bytes) ||
            bytes > PTRDIFF_MAX)
            return status_set(error, FILM_USAGE, "%s: tensor %s: invalid type or shape", path,
                              tensor->name);
    }
    return FILM_OK;
}

static film_status check_metadata(const char *path, const char *const *keys,
                                  const char *const *values, size_t count, film_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_utf8(keys[i]) || !is_utf8(values[i]))
            return status_set(error, FILM_USAGE, "%s: metadata entry %zu is not valid UTF-8", path,
                              i);
        if (strncmp(keys[i], CHECKSUM_PREFIX, strlen(CHECKSUM_PREFIX)) == 0)
            return status_set(error, FILM_USAGE, "%s: metadata key %s is reserved for checksums",
                              path, keys[i]);
        for (size_t j = 0; j < i; j++)
            if (strcmp(keys[i], keys[j]) == 0)
                return status_set(error, FILM_USAGE, "%s: duplicate metadata key %s", path,
                                  keys[i]);
    }
    return FILM_OK;
}

/* ---- Layout and writing ---------------------------------------------------------------- */

struct placed {
    const struct safetensors_tensor *tensor;
    uint64_t begin, bytes;
};

/* Sorts by decreasing element size, otherwise stable. Each offset is then a multiple of the element
 * size without gaps, which the format does not allow. */
static film_status lay_out(const char *path, const struct safetensors_tensor *tensors, size_t count,
                           struct placed *places, film_error *error)
{
    size_t placed = 0;
    uint64_t end = 0;
    for (size_t size = 8; size; size /= 2)
        for (size_t i = 0; i < count; i++) {
            const struct safetensors_tensor *tensor = &tensors[i];
            uint64_t bytes;
            if (safetensors_type_size(tensor->type) != size) continue;
            (void)safetensors_size(tensor->type, tensor->dims, tensor->shape, &bytes);
            places[placed++] = (struct placed){tensor, end, bytes};
            /* Offsets are JSON integers, which readers store in 63 bits. */
            if (__builtin_add_overflow(end, bytes, &end) || end > INT64_MAX)
                return status_set(error, FILM_USAGE, "%s: the tensors are too large for one file",
                                  path);
        }
    return FILM_OK;
}

static void put_entry(struct text *text, const char *key, const char *value)
{
    put_string(text, key);
    text_put(text, ":", 1);
    put_string(text, value);
}

/* Writes the caller's entries, a checksum of every tensor, and one of the header, which covers them
 * all. */
static film_status put_metadata(struct text *text, const struct placed *places, size_t count,
                                const char *const *keys, const char *const *values,
                                size_t metadata_count, film_error *error)
{
    uint64_t sum = 0;
    text_put(text, "{\"__metadata__\":{", 17);
    for (size_t i = 0; i < metadata_count; i++) {
        put_entry(text, keys[i], values[i]);
        text_put(text, ",", 1);
        sum += checksum_metadata(keys[i], values[i]);
    }
    for (size_t i = 0; i < count; i++) {
        const struct safetensors_tensor *tensor = places[i].tensor;
        struct checksum_text digits = checksum_print(checksum_bytes(tensor->data, places[i].bytes));
        char *key = checksum_key(tensor->name);
        if (!key) return status_no_memory(error);
        put_entry(text, key, digits.digits);
        text_put(text, ",", 1);
        sum += checksum_metadata(key, digits.digits) + checksum_tensor(tensor, places[i].begin);
        mem_free(key);
    }
    put_entry(text, CHECKSUM_HEADER, checksum_print(sum).digits);
    text_put(text, "}", 1);
    return FILM_OK;
}

static void put_tensor(struct text *text, const struct placed *place)
{
    const struct safetensors_tensor *tensor = place->tensor;
    text_put(text, ",", 1);
    put_string(text, tensor->name);
    print(text, ":{\"dtype\":\"%s\",\"shape\":[", safetensors_type_name(tensor->type));
    for (size_t i = 0; i < tensor->dims; i++)
        print(text, "%s%" PRIu64, i ? "," : "", tensor->shape[i]);
    print(text, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", place->begin,
          place->begin + place->bytes);
}

static film_status write_parts(const char *path, const struct text *header,
                               const struct placed *places, size_t count, film_error *error)
{
    film_status status = FILM_OK;
    struct film_output *output = NULL;
    uint64_t length = header->length;
    TRY(output_open(path, &output, error));
    TRY(output_write(output, &length, sizeof length, error));
    TRY(output_write(output, header->bytes, header->length, error));
    for (size_t i = 0; i < count; i++)
        TRY(output_write(output, places[i].tensor->data, (size_t)places[i].bytes, error));
    status = output_commit(output, error);
    output = NULL;
done:
    output_discard(output);
    return status;
}

film_status safetensors_write(const char *path, const struct safetensors_tensor *tensors,
                              size_t count, const char *const *keys, const char *const *values,
                              size_t metadata_count, film_error *error)
{
    film_status status = FILM_OK;
    struct text header = {0};
    struct placed *places = NULL;
    TRY(check_tensors(path, tensors, count, error));
    TRY(check_metadata(path, keys, values, metadata_count, error));
    TRY_ALLOC(places = mem_array(count, sizeof *places), error);
    TRY(lay_out(path, tensors, count, places, error));
    TRY(put_metadata(&header, places, count, keys, values, metadata_count, error));
    for (size_t i = 0; i < count; i++) put_tensor(&header, &places[i]);
    text_put(&header, "}", 1);
    while ((8 + header.length) % SAFETENSORS_ALIGNMENT && !header.failed) text_put(&header, " ", 1);
    TRY_ALLOC(!header.failed, error);
    if (header.length > SAFETENSORS_MAX_HEADER) {
        status = status_set(error, FILM_USAGE,
                            "%s: names and metadata have %zu bytes; at most %d fit into the header",
                            path, header.length, SAFETENSORS_MAX_HEADER);
        goto done;
    }
    TRY(write_parts(path, &header, places, count, error));
done:
    mem_free(header.bytes);
    mem_free(places);
    return status;
}
