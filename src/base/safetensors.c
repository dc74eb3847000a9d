/* Reads and checks safetensors files: header, tensors, metadata, checksums. It trusts no byte.
 * safetensors_write.c writes them. */
#include "base/safetensors.h"
#include "base/checksum.h"
#include "base/compressed.h"
#include "base/file.h"
#include "base/jsonfile.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Tensors are used in place, so the byte order must match. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "safetensors files are little-endian");

struct tensor_entry {
    struct safetensors_tensor tensor;
    uint64_t begin; /* offset in the data */
    void *copy;     /* of bytes at an unaligned address */
};

struct safetensors {
    char *name; /* for messages */
    struct file_map map;
    void *expanded;            /* of a compressed file; then there is no map */
    const unsigned char *data; /* the bytes after the header */
    uint64_t data_size;
    json_t *header;   /* owns the names and the metadata strings */
    json_t *metadata; /* inside header, or NULL */
    struct tensor_entry *entries;
    size_t count;
    int checked;
};

/* ---- Messages -------------------------------------------------------------------------- */

/* A string of the file for a message: one line, truncated between characters. */
struct shown_name {
    char text[128];
};

static struct shown_name show_name(const char *text)
{
    struct shown_name shown;
    size_t all = strlen(text), length = utf8_cut(text, all, sizeof shown.text - 4);
    int cut = length < all;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        shown.text[i] = c < 0x20 || c == 0x7f ? '?' : text[i];
    }
    memcpy(shown.text + length, cut ? "..." : "", cut ? 4 : 1);
    return shown;
}

static struct shown_name show_shape(enum safetensors_type type, size_t dims, const uint64_t *shape)
{
    char text[SAFETENSORS_MAX_DIMS * 24 + 16];
    int at = snprintf(text, sizeof text, "%s [", safetensors_type_name(type));
    for (size_t i = 0; i < dims; i++) {
        const char *comma = i ? ", " : "";
        size_t room = sizeof text - (size_t)at;
        if (shape[i] == SAFETENSORS_ANY)
            at += snprintf(text + at, room, "%sany", comma);
        else
            at += snprintf(text + at, room, "%s%" PRIu64, comma, shape[i]);
    }
    snprintf(text + at, sizeof text - (size_t)at, "]");
    return show_name(text);
}

/* ---- Reading the header ---------------------------------------------------------------- */

static film_status read_header(struct safetensors *file, const unsigned char *bytes, size_t size,
                               film_error *error)
{
    const char *name = file->name;
    uint64_t length;
    if (size < sizeof length)
        return status_set(
            error, FILM_BAD_INPUT,
            "%s: not a safetensors file: %zu bytes are too short; it needs at least 8", name, size);
    memcpy(&length, bytes, sizeof length);
    if (length > SAFETENSORS_MAX_HEADER)
        return status_set(error, FILM_BAD_INPUT,
                          "%s: not a safetensors file: its first 8 bytes announce a header of "
                          "%" PRIu64 " bytes, more than 100 MB",
                          name, length);
    size_t rest = size - sizeof length;
    if (length > rest)
        return status_set(error, FILM_BAD_INPUT,
                          "%s: the header should be %" PRIu64
                          " bytes long, but only %zu follow; the file is cut off or not a "
                          "safetensors file",
                          name, length, rest);
    const char *text = (const char *)bytes + sizeof length;
    file->data = bytes + sizeof length + length;
    file->data_size = rest - length;
    if (length == 0 || text[0] != '{')
        return status_set(error, FILM_BAD_INPUT,
                          "%s: not a safetensors file: the header (byte 8) does not start with '{'",
                          name);
    /* Padding may only be spaces; jansson would accept tabs and line ends too. */
    while (text[length - 1] == ' ') length--;
    if (text[length - 1] != '}')
        return status_set(error, FILM_BAD_INPUT,
                          "%s: the header does not end with '}' and spaces; the file is damaged",
                          name);
    json_error_t problem;
    file->header = json_loadb(text, (size_t)length, JSON_REJECT_DUPLICATES, &problem);
    if (file->header) return FILM_OK;
    if (jsonfile_ran_out_of_memory(&problem, text, (size_t)length)) return status_no_memory(error);
    return status_set(
        error, FILM_BAD_INPUT,
        "%s: header, byte %d: invalid JSON: %s; the file is damaged or not a safetensors file",
        name, problem.position, show_name(problem.text).text);
}

static film_status read_metadata(struct safetensors *file, film_error *error)
{
    const char *key;
    json_t *value, *metadata = json_object_get(file->header, "__metadata__");
    if (!metadata) return FILM_OK;
    if (!json_is_object(metadata))
        return status_set(error, FILM_BAD_INPUT, "%s: __metadata__ is not a JSON object",
                          file->name);
    json_object_foreach(metadata, key, value)
    {
        if (!json_is_string(value))
            return status_set(error, FILM_BAD_INPUT,
                              "%s: metadata key %s: the value is not a string", file->name,
                              show_name(key).text);
    }
    file->metadata = metadata;
    return FILM_OK;
}

static film_status read_type(const struct safetensors *file, struct safetensors_tensor *tensor,
                             const json_t *type, film_error *error)
{
    const char *name = json_string_value(type);
    if (!name)
        return status_set(error, FILM_BAD_INPUT, "%s: tensor %s: dtype is not a string", file->name,
                          show_name(tensor->name).text);
    tensor->type = safetensors_type_of(name);
    if (tensor->type != SAFETENSORS_TYPES) return FILM_OK;
    return status_set(error, FILM_BAD_INPUT,
                      "%s: tensor %s: unknown dtype %s; supported: U8 I8 BOOL U16 I16 F16 BF16 U32 "
                      "I32 F32 U64 I64 F64",
                      file->name, show_name(tensor->name).text, show_name(name).text);
}

/* Reads a JSON integer that is not negative. (jansson itself refuses those beyond 63 bits.) */
static int read_size(const json_t *value, uint64_t *out)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0) return 0;
    *out = (uint64_t)json_integer_value(value);
    return 1;
}

static film_status read_shape(const struct safetensors *file, struct safetensors_tensor *tensor,
                              const json_t *shape, film_error *error)
{
    if (!json_is_array(shape))
        return status_set(error, FILM_BAD_INPUT, "%s: tensor %s: shape is not an array", file->name,
                          show_name(tensor->name).text);
    tensor->dims = json_array_size(shape);
    if (tensor->dims > SAFETENSORS_MAX_DIMS)
        return status_set(error, FILM_BAD_INPUT,
                          "%s: tensor %s: %zu dimensions; at most %d are supported", file->name,
                          show_name(tensor->name).text, tensor->dims, SAFETENSORS_MAX_DIMS);
    for (size_t i = 0; i < tensor->dims; i++)
        if (!read_size(json_array_get(shape, i), &tensor->shape[i]))
            return status_set(error, FILM_BAD_INPUT,
                              "%s: tensor %s: shape entry %zu is not a non-negative integer",
                              file->name, show_name(tensor->name).text, i);
    /* Checked for empty tensors too: users of a shape may rely on it. */
    for (size_t i = 0; i < tensor->dims; i++)
        if ((size_t)tensor->shape[i] != tensor->shape[i])
            return status_set(error, FILM_BAD_INPUT,
                              "%s: tensor %s is too large for the memory of this machine",
                              file->name, show_name(tensor->name).text);
    if (!safetensors_size(tensor->type, tensor->dims, tensor->shape, &tensor->bytes))
        return status_set(error, FILM_BAD_INPUT, "%s: tensor %s: its shape is too large",
                          file->name, show_name(tensor->name).text);
    return FILM_OK;
}

static film_status read_offsets(const struct safetensors *file, struct tensor_entry *entry,
                                const json_t *offsets, film_error *error)
{
    const struct safetensors_tensor *tensor = &entry->tensor;
    uint64_t end;
    if (json_array_size(offsets) != 2 || !read_size(json_array_get(offsets, 0), &entry->begin) ||
        !read_size(json_array_get(offsets, 1), &end))
        return status_set(error, FILM_BAD_INPUT,
                          "%s: tensor %s: data_offsets is not a pair of non-negative integers",
                          file->name, show_name(tensor->name).text);
    if (end < entry->begin)
        return status_set(error, FILM_BAD_INPUT,
                          "%s: tensor %s: data_offsets end before they begin", file->name,
                          show_name(tensor->name).text);
    if (end > file->data_size)
        return status_set(error, FILM_BAD_INPUT,
                          "%s: tensor %s ends at byte %" PRIu64 " of the data, which has only "
                          "%" PRIu64 "; the file is cut off or damaged",
                          file->name, show_name(tensor->name).text, end, file->data_size);
    if (end - entry->begin != tensor->bytes)
        return status_set(error, FILM_BAD_INPUT,
                          "%s: tensor %s: %s needs %" PRIu64
                          " bytes, but data_offsets give %" PRIu64,
                          file->name, show_name(tensor->name).text,
                          show_shape(tensor->type, tensor->dims, tensor->shape).text, tensor->bytes,
                          end - entry->begin);
    return FILM_OK;
}

static film_status read_tensor(const struct safetensors *file, struct tensor_entry *entry,
                               const json_t *about, film_error *error)
{
    film_status status = FILM_OK;
    const json_t *type = json_object_get(about, "dtype");
    const json_t *shape = json_object_get(about, "shape");
    const json_t *offsets = json_object_get(about, "data_offsets");
    if (!type || !shape || !offsets || json_object_size(about) != 3)
        return status_set(error, FILM_BAD_INPUT,
                          "%s: tensor %s: expected exactly dtype, shape and data_offsets",
                          file->name, show_name(entry->tensor.name).text);
    TRY(read_type(file, &entry->tensor, type, error));
    TRY(read_shape(file, &entry->tensor, shape, error));
    TRY(read_offsets(file, entry, offsets, error));
done:
    return status;
}

static film_status read_tensors(struct safetensors *file, film_error *error)
{
    const char *key;
    json_t *value;
    file->entries = mem_zeroed(json_object_size(file->header), sizeof *file->entries);
    if (!file->entries) return status_no_memory(error);
    json_object_foreach(file->header, key, value)
    {
        if (value == file->metadata) continue;
        struct tensor_entry *entry = &file->entries[file->count++];
        entry->tensor.name = key;
        film_status status = read_tensor(file, entry, value, error);
        if (status != FILM_OK) return status;
    }
    return FILM_OK;
}

/* ---- Checking the data ----------------------------------------------------------------- */

/* Sorts by offset; empty tensors come before the one that starts at the same offset. Names break
 * ties, so that the order is deterministic. */
static int by_place(const void *left, const void *right)
{
    const struct tensor_entry *a = left, *b = right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    if (a->tensor.bytes != b->tensor.bytes) return a->tensor.bytes < b->tensor.bytes ? -1 : 1;
    return strcmp(a->tensor.name, b->tensor.name);
}

/* Checks that every byte of the data belongs to exactly one tensor. */
static film_status check_layout(struct safetensors *file, film_error *error)
{
    uint64_t end = 0;
    sort_array(file->entries, file->count, sizeof *file->entries, by_place);
    for (size_t i = 0; i < file->count; i++) {
        const struct tensor_entry *entry = &file->entries[i];
        if (entry->begin > end)
            return status_set(error, FILM_BAD_INPUT,
                              "%s: %" PRIu64 " bytes of the data before tensor %s (at byte %" PRIu64
                              ") belong to no tensor",
                              file->name, entry->begin - end, show_name(entry->tensor.name).text,
                              end);
        if (entry->begin < end) /* so there is a preceding one */
            return status_set(error, FILM_BAD_INPUT,
                              "%s: tensor %s starts at byte %" PRIu64
                              " of the data, inside tensor %s",
                              file->name, show_name(entry->tensor.name).text, entry->begin,
                              show_name(entry[-1].tensor.name).text);
        end += entry->tensor.bytes;
    }
    if (end != file->data_size)
        return status_set(error, FILM_BAD_INPUT,
                          "%s: %" PRIu64 " bytes after the last tensor belong to no tensor",
                          file->name, file->data_size - end);
    return FILM_OK;
}

static int is_checksum(const char *key)
{
    return strncmp(key, CHECKSUM_PREFIX, strlen(CHECKSUM_PREFIX)) == 0;
}

/* A file has either no checksums, or one for each tensor and one for the header. Otherwise a
 * flipped bit in the key of a checksum would disable the check. */
static film_status check_header(struct safetensors *file, film_error *error)
{
    const char *key, *wanted = safetensors_metadata(file, CHECKSUM_HEADER);
    json_t *value;
    uint64_t sum = 0;
    json_object_foreach(file->metadata, key, value)
    {
        const char *tensor = key + strlen(CHECKSUM_PREFIX);
        if (is_checksum(key)) {
            file->checked = 1;
            if (!json_object_get(file->header, tensor))
                return status_set(error, FILM_BAD_INPUT,
                                  "%s: checksum of a missing tensor %s; the header is damaged",
                                  file->name, show_name(tensor).text);
        }
        if (strcmp(key, CHECKSUM_HEADER) != 0)
            sum += checksum_metadata(key, json_string_value(value));
    }
    if (!file->checked) return FILM_OK;
    for (size_t i = 0; i < file->count; i++)
        sum += checksum_tensor(&file->entries[i].tensor, file->entries[i].begin);
    if (!wanted)
        return status_set(
            error, FILM_BAD_INPUT,
            "%s: header checksum (%s) is missing; restore the file from a backup or train again",
            file->name, CHECKSUM_HEADER);
    if (strcmp(wanted, checksum_print(sum).digits) != 0)
        return status_set(
            error, FILM_BAD_INPUT,
            "%s: header checksum mismatch; restore the file from a backup or train again",
            file->name);
    return FILM_OK;
}

static film_status check_tensor(const struct safetensors *file,
                                const struct safetensors_tensor *tensor, film_error *error)
{
    film_status status = FILM_OK;
    char *key = checksum_key(tensor->name);
    if (!key) return status_no_memory(error);
    const char *wanted = safetensors_metadata(file, key);
    if (!wanted)
        status = status_set(
            error, FILM_BAD_INPUT,
            "%s: tensor %s: checksum is missing; restore the file from a backup or train again",
            file->name, show_name(tensor->name).text);
    else if (strcmp(wanted, checksum_print(checksum_bytes(tensor->data, tensor->bytes)).digits) !=
             0)
        status = status_set(
            error, FILM_BAD_INPUT,
            "%s: tensor %s: checksum mismatch; restore the file from a backup or train again",
            file->name, show_name(tensor->name).text);
    mem_free(key);
    return status;
}

/* Points the tensor at its bytes. A header without our padding may leave them unaligned; such a
 * tensor is copied, at most as many bytes as the file has. */
static film_status place_tensor(const struct safetensors *file, struct tensor_entry *entry,
                                film_error *error)
{
    struct safetensors_tensor *tensor = &entry->tensor;
    tensor->data = file->data + entry->begin;
    if ((uintptr_t)tensor->data % safetensors_type_size(tensor->type) == 0) return FILM_OK;
    entry->copy = mem_aligned((size_t)tensor->bytes, 1);
    if (!entry->copy) return status_no_memory(error);
    memcpy(entry->copy, tensor->data, (size_t)tensor->bytes);
    tensor->data = entry->copy;
    return FILM_OK;
}

/* ---- Opening and closing --------------------------------------------------------------- */

static film_status read_all(struct safetensors *file, const void *bytes, size_t size, int verify,
                            film_error *error)
{
    film_status status = FILM_OK;
    TRY(read_header(file, bytes, size, error));
    TRY(read_metadata(file, error));
    TRY(read_tensors(file, error));
    TRY(check_layout(file, error));
    TRY(check_header(file, error));
    for (size_t i = 0; i < file->count; i++) {
        TRY(place_tensor(file, &file->entries[i], error));
        if (verify && file->checked) TRY(check_tensor(file, &file->entries[i].tensor, error));
    }
done:
    return status;
}

static film_status new_file(const char *name, struct safetensors **out, film_error *error)
{
    struct safetensors *file = mem_zeroed(1, sizeof *file);
    *out = file;
    if (!file) return status_no_memory(error);
    file->name = mem_string(name, strlen(name));
    return file->name ? FILM_OK : status_no_memory(error);
}

film_status safetensors_parse(const void *bytes, size_t size, const char *name,
                              struct safetensors **out, film_error *error)
{
    film_status status = FILM_OK;
    struct safetensors *file;
    *out = NULL;
    TRY(new_file(name, &file, error));
    TRY(read_all(file, bytes, size, 1, error));
    *out = file;
done:
    if (status != FILM_OK) safetensors_close(file);
    return status;
}

film_status safetensors_map(const char *path, int flags, struct safetensors **out,
                            film_error *error)
{
    film_status status = FILM_OK;
    struct safetensors *file;
    *out = NULL;
    TRY(new_file(path, &file, error));
    TRY(flags & SAFETENSORS_PRIVATE ? file_map_read(path, &file->map, error)
                                    : file_map_open(path, &file->map, error));
    size_t size = file->map.size;
    TRY(compressed_expand(file->map.bytes, size, path, &file->expanded, &size, error));
    if (file->expanded) file_map_close(&file->map);
    TRY(read_all(file, file->expanded ? file->expanded : file->map.bytes, size,
                 !(flags & SAFETENSORS_UNVERIFIED), error));
    *out = file;
done:
    if (status != FILM_OK) safetensors_close(file);
    return status;
}

void safetensors_close(struct safetensors *file)
{
    if (!file) return;
    for (size_t i = 0; i < file->count; i++) mem_free_aligned(file->entries[i].copy);
    mem_free(file->entries);
    json_decref(file->header);
    file_map_close(&file->map);
    mem_free_aligned(file->expanded);
    mem_free(file->name);
    mem_free(file);
}

/* ---- Access -------------------------------------------------------------------------- */

size_t safetensors_count(const struct safetensors *file)
{
    return file->count;
}

const struct safetensors_tensor *safetensors_at(const struct safetensors *file, size_t index)
{
    return &file->entries[index].tensor;
}

const struct safetensors_tensor *safetensors_find(const struct safetensors *file, const char *name)
{
    for (size_t i = 0; i < file->count; i++)
        if (strcmp(file->entries[i].tensor.name, name) == 0) return &file->entries[i].tensor;
    return NULL;
}

const char *safetensors_metadata(const struct safetensors *file, const char *key)
{
    return json_string_value(json_object_get(file->metadata, key));
}

const char *safetensors_metadata_next(const struct safetensors *file, const char *key)
{
    void *at = key ? json_object_iter_next(file->metadata, json_object_iter_at(file->metadata, key))
                   : json_object_iter(file->metadata);
    return json_object_iter_key(at);
}

int safetensors_is_checked(const struct safetensors *file)
{
    return file->checked;
}

film_status safetensors_require(const struct safetensors *file, const char *name,
                                enum safetensors_type type, size_t dims, const uint64_t *shape,
                                const struct safetensors_tensor **out, film_error *error)
{
    const struct safetensors_tensor *tensor = *out = safetensors_find(file, name);
    if (!tensor)
        return status_set(error, FILM_BAD_INPUT, "%s: tensor %s (%s) is missing", file->name, name,
                          show_shape(type, dims, shape).text);
    int fits = tensor->type == type && tensor->dims == dims;
    for (size_t i = 0; fits && i < dims; i++)
        fits = shape[i] == SAFETENSORS_ANY || shape[i] == tensor->shape[i];
    if (fits) return FILM_OK;
    *out = NULL;
    return status_set(error, FILM_BAD_INPUT, "%s: tensor %s should be %s, but is %s", file->name,
                      name, show_shape(type, dims, shape).text,
                      show_shape(tensor->type, tensor->dims, tensor->shape).text);
}
