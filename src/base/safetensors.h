/* safetensors files: 8 bytes of header length (little-endian), a JSON header, raw tensors.
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
    /* In bytes; the same limit as in the original implementation. */
    SAFETENSORS_MAX_HEADER = 100000000,
    /* Alignment of the first tensor in files that we write. */
    SAFETENSORS_ALIGNMENT = 64
};

struct safetensors_tensor {
    const char *name;
    enum safetensors_type type;
    size_t dims; /* 0: a single value */
    uint64_t shape[SAFETENSORS_MAX_DIMS];
    const void *data; /* aligned for its type, never NULL in an open file */
    uint64_t bytes;   /* follows from type and shape; the writer ignores it */
};

/* The bytes of a tensor as a text. */
static inline film_text safetensors_text(const struct safetensors_tensor *tensor)
{
    return (film_text){tensor->data, (size_t)tensor->bytes};
}

/* An open file. */
struct safetensors;

/* Opens and checks a file in memory. NAME is for messages. The bytes must outlive the result.
 * Checksums in the metadata are verified. A tensor that another program placed at an unaligned
 * address is copied, all others are used in place. */
film_status safetensors_parse(const void *bytes, size_t size, const char *name,
                              struct safetensors **out, film_error *error);
void safetensors_close(struct safetensors *file);

enum {
    /* Do not verify the checksums of the tensors, so that opening a large file reads its header
     * only. For caches whose arrays are checked on use. */
    SAFETENSORS_UNVERIFIED = 1,
    /* Copy the file into private memory instead of mapping it (base/file.h). */
    SAFETENSORS_PRIVATE = 2
};

/* Opens and checks the file PATH, which may be compressed (base/compressed.h). FLAGS: 0 or a sum of
 * the above. */
film_status safetensors_map(const char *path, int flags, struct safetensors **out,
                            film_error *error);
static inline film_status safetensors_open(const char *path, struct safetensors **out,
                                           film_error *reason)
{
    return safetensors_map(path, 0, out, reason);
}

/* Tensors, in the order of their data. */
size_t safetensors_count(const struct safetensors *file);
const struct safetensors_tensor *safetensors_at(const struct safetensors *file, size_t index);
const struct safetensors_tensor *safetensors_find(const struct safetensors *file, const char *name);

/* Fails if a tensor of floating-point numbers contains an infinity or NaN. NAME is for messages. */
film_status safetensors_check_finite(const struct safetensors *file, const char *name,
                                     film_error *error);

/* Returns a string of __metadata__, or NULL. */
const char *safetensors_metadata(const struct safetensors *file, const char *key);

/* Iterates over the metadata in file order. Returns the first key for NULL, the next key for a KEY
 * that this function returned, and NULL after the last. */
const char *safetensors_metadata_next(const struct safetensors *file, const char *key);

/* Returns whether the file has checksums. A file of ours without checksums was damaged, or changed
 * by another program. */
int safetensors_is_checked(const struct safetensors *file);

/* Returns a tensor that must have this type and shape. SAFETENSORS_ANY in SHAPE accepts any size.
 * The error names the tensor, the expected and the actual shape. */
#define SAFETENSORS_ANY UINT64_MAX
film_status safetensors_require(const struct safetensors *file, const char *name,
                                enum safetensors_type type, size_t dims, const uint64_t *shape,
                                const struct safetensors_tensor **out, film_error *error);

/* Writes tensors and metadata (KEYS[i] -> VALUES[i]) atomically, with a checksum of every tensor
 * and of the header. Tensors are sorted by decreasing element size, so that each is aligned when
 * the file is mapped. The same arguments give the same bytes. */
film_status safetensors_write(const char *path, const struct safetensors_tensor *tensors,
                              size_t count, const char *const *keys, const char *const *values,
                              size_t metadata_count, film_error *error);

/* In safetensors_type.c. */
const char *safetensors_type_name(enum safetensors_type type);
size_t safetensors_type_size(enum safetensors_type type);
/* Returns SAFETENSORS_TYPES when NAME is unknown. */
enum safetensors_type safetensors_type_of(const char *name);

/* Computes the size in bytes. Returns 0 when the product exceeds 64 bits (multiplied from the left,
 * as in the original implementation). */
int safetensors_size(enum safetensors_type type, size_t dims, const uint64_t *shape,
                     uint64_t *bytes);

#endif
