/* Checksums that our safetensors files carry in their metadata (docs/reference/model-file.md,
 * "Checksums").
 *
 * A tensor's is XXH3_64 of its bytes. The header's covers everything else that a reader acts on:
 * metadata, names, types, shapes and places. It is taken over what the header says, not over its
 * bytes, and is a sum over the entries, so that a tool may write the same header in another order
 * or spacing without breaking it. Both find accidents, not attacks. */
#ifndef BASE_CHECKSUM_H
#define BASE_CHECKSUM_H

#include "base/safetensors.h"

/* Metadata key of a tensor's checksum: the prefix and its name; and the header's own. No tensor can
 * be called __metadata__, so the two never meet. */
#define CHECKSUM_PREFIX "xxh3:"
#define CHECKSUM_HEADER "xxh3:__metadata__"
char *checksum_key(const char *tensor_name); /* NULL: no memory; free with mem_free */

uint64_t checksum_bytes(const void *bytes, uint64_t size);

/* A running hash of several arrays; begin with 0. */
uint64_t checksum_add(uint64_t hash, const void *bytes, size_t size);

/* What one entry adds to the header's checksum. BEGIN is where the tensor starts in the data. */
uint64_t checksum_metadata(const char *key, const char *value);
uint64_t checksum_tensor(const struct safetensors_tensor *tensor, uint64_t begin);

/* 16 lower-case hexadecimal digits and a NUL. */
struct checksum_text {
    char digits[17];
};
struct checksum_text checksum_print(uint64_t value);

#endif
