/* Checksums that our safetensors files carry in their metadata (docs/reference/model-file.md,
 * "Checksums").
 *
 * The checksum of a tensor is XXH3_64 of its bytes. The checksum of the header covers everything
 * else that a reader acts on: metadata, names, types, shapes and offsets. It hashes the meaning of
 * the header, not its bytes, and adds up the hashes of the entries. So another tool may rewrite the
 * header in a different order or spacing. Both checksums find damage, not forgery. */
#ifndef BASE_CHECKSUM_H
#define BASE_CHECKSUM_H

#include "base/safetensors.h"

/* The metadata key of a tensor's checksum is the prefix and the tensor's name. The header's
 * checksum has a key of its own. No tensor can be called __metadata__, so the two keys never
 * collide. */
#define CHECKSUM_PREFIX "xxh3:"
#define CHECKSUM_HEADER "xxh3:__metadata__"
/* Free the result with mem_free. NULL: out of memory. */
char *checksum_key(const char *tensor_name);

uint64_t checksum_bytes(const void *bytes, uint64_t size);

/* The contribution of one entry to the header's checksum. BEGIN is the tensor's offset in the
 * data. */
uint64_t checksum_metadata(const char *key, const char *value);
uint64_t checksum_tensor(const struct safetensors_tensor *tensor, uint64_t begin);

/* 16 lower-case hexadecimal digits and a NUL. */
struct checksum_text {
    char digits[17];
};
struct checksum_text checksum_print(uint64_t value);

#endif
