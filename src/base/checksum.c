/* XXH3 checksums of tensors and metadata (see checksum.h). Reading and writing files is not done
 * here; safetensors.c and safetensors_write.c compare and store the checksums. */
#include "base/checksum.h"
#include "base/mem.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

char *checksum_key(const char *tensor_name)
{
    size_t before = strlen(CHECKSUM_PREFIX), length = strlen(tensor_name);
    char *key = mem_array(before + length + 1, 1);
    if (!key) return NULL;
    memcpy(key, CHECKSUM_PREFIX, before);
    memcpy(key + before, tensor_name, length + 1);
    return key;
}

uint64_t checksum_bytes(const void *bytes, uint64_t size)
{
    return XXH3_64bits(bytes, (size_t)size);
}

/* Strings are chained: each is hashed with the hash of the preceding ones as its seed. So "ab" +
 * "c" and "a" + "bc" differ without a separator. */
static uint64_t chain(uint64_t seed, const char *text)
{
    return XXH3_64bits_withSeed(text, strlen(text), seed);
}

/* The first seed (0 or 1) separates a metadata entry from a tensor of the same name. */
uint64_t checksum_metadata(const char *key, const char *value)
{
    return chain(chain(0, key), value);
}

uint64_t checksum_tensor(const struct safetensors_tensor *tensor, uint64_t begin)
{
    uint64_t numbers[1 + SAFETENSORS_MAX_DIMS] = {begin}; /* begin, shape[0], shape[1], ... */
    for (size_t i = 0; i < tensor->dims; i++) numbers[1 + i] = tensor->shape[i];
    uint64_t seed = chain(chain(1, tensor->name), safetensors_type_name(tensor->type));
    return XXH3_64bits_withSeed(numbers, (1 + tensor->dims) * sizeof numbers[0], seed);
}

struct checksum_text checksum_print(uint64_t value)
{
    struct checksum_text text;
    for (int i = 0; i < 16; i++) text.digits[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
    text.digits[16] = '\0';
    return text;
}
