/* safetensors files: 8 bytes header length (little-endian), a JSON header, raw tensors.
 *
 * Reading trusts nothing: header size, JSON, dtype, shape, offsets, holes, overlaps, overflow and
 * UTF-8 are checked before the first tensor is handed out. docs/reference/model-file.md has the
 * bytes. */
#ifndef BASE_SAFETENSORS_H
#define BASE_SAFETENSORS_H

#include "base/status.h"

#include <stdint.h>

enum safetensors_type {
    SAFETENSORS_U8,
    SAFETENSORS_I8,
    SAFETENSORS_BOOL,
    SAFETENSORS_U16,
    SAFETENSORS_I16,
    SAFETENSORS_F16,
    SAFETENSORS_BF16,
    SAFETENSORS_U32,
    SAFETENSORS_I32,
    SAFETENSORS_F32,
    SAFETENSORS_U64,
    SAFETENSORS_I64,
    SAFETENSORS_F64,
    SAFETENSORS_TYPES
};

enum {
    SAFETENSORS_MAX_DIMS = 8,
    SAFETENSORS_MAX_HEADER = 100000000, /* bytes; the limit of the original implementation too */
    SAFETENSORS_ALIGNMENT = 64          /* of the first tensor in files we write */
};

struct safetensors_tensor {
    const char *name;
    enum safetensors_type type;
    size_t dims; /* 0: a single value */
    uint64_t shape[SAFETENSORS_MAX_DIMS];
    const void *data; /* aligned for its type, never NULL in an open file */
    uint64_t bytes;   /* follows from type and shape; the writer does not look at it */
};

struct safetensors; /* an open file */

/* Opens and checks PATH (mapped), or a file already in memory (NAME is for messages; the bytes must
 * outlive it). Where the metadata has checksums they are verified. A tensor that another program
 * placed at an odd address is copied to aligned memory; all others are used where they lie. */
film_status safetensors_parse(const void *bytes, size_t size, const char *name,
                              struct safetensors **out, film_error *error);
void safetensors_close(struct safetensors *file);

/* VERIFY 0: all but the tensors' own checksums, so that opening a large file reads its header
 * alone. For caches whose arrays are not trusted anyway. */
film_status safetensors_map(const char *path, int verify, struct safetensors **out,
                            film_error *error);
static inline film_status safetensors_open(const char *path, struct safetensors **out,
                                           film_error *reason)
{
    return safetensors_map(path, 1, out, reason);
}

/* Tensors in the order of their data. */
size_t safetensors_count(const struct safetensors *file);
const struct safetensors_tensor *safetensors_at(const struct safetensors *file, size_t index);
const struct safetensors_tensor *safetensors_find(const struct safetensors *file, const char *name);

/* A string of __metadata__, or NULL. */
const char *safetensors_metadata(const struct safetensors *file, const char *key);

/* To walk over the metadata in file order: the first key for NULL, the one behind a KEY that this
 * call returned, NULL after the last. */
const char *safetensors_metadata_next(const struct safetensors *file, const char *key);

/* Whether header and tensors carry checksums. A file of ours that has none was damaged or changed
 * by another program. */
int safetensors_is_checked(const struct safetensors *file);

/* A tensor that must be there with this type and shape; a shape entry of SAFETENSORS_ANY takes any
 * size. The message names the tensor, what was wanted and what is there. */
#define SAFETENSORS_ANY UINT64_MAX
film_status safetensors_require(const struct safetensors *file, const char *name,
                                enum safetensors_type type, size_t dims, const uint64_t *shape,
                                const struct safetensors_tensor **out, film_error *error);

/* Writes tensors and metadata (KEYS[i] -> VALUES[i]) with a checksum of every tensor and of the
 * header, atomically. Tensors are laid out by falling element size, so that each is aligned when
 * the file is mapped. The same arguments give the same bytes. */
film_status safetensors_write(const char *path, const struct safetensors_tensor *tensors,
                              size_t count, const char *const *keys, const char *const *values,
                              size_t metadata_count, film_error *error);

/* In safetensors_type.c. */
const char *safetensors_type_name(enum safetensors_type type);
size_t safetensors_type_size(enum safetensors_type type);
enum safetensors_type safetensors_type_of(const char *name); /* SAFETENSORS_TYPES: unknown */

/* The bytes that type and shape make; 0 when they do not fit into 64 bits (multiplied from the
 * left, as the original implementation does). */
int safetensors_size(enum safetensors_type type, size_t dims, const uint64_t *shape,
                     uint64_t *bytes);

#endif
