/* The element types of safetensors files: names as in the header, sizes in bytes, sizes of
 * tensors. */
#include "base/safetensors.h"

#include <string.h>

static const struct {
    const char *name;
    size_t size;
} types[SAFETENSORS_TYPES] = {
    [SAFETENSORS_U8] = {"U8", 1},     [SAFETENSORS_I8] = {"I8", 1},
    [SAFETENSORS_BOOL] = {"BOOL", 1}, [SAFETENSORS_U16] = {"U16", 2},
    [SAFETENSORS_I16] = {"I16", 2},   [SAFETENSORS_F16] = {"F16", 2},
    [SAFETENSORS_BF16] = {"BF16", 2}, [SAFETENSORS_U32] = {"U32", 4},
    [SAFETENSORS_I32] = {"I32", 4},   [SAFETENSORS_F32] = {"F32", 4},
    [SAFETENSORS_U64] = {"U64", 8},   [SAFETENSORS_I64] = {"I64", 8},
    [SAFETENSORS_F64] = {"F64", 8},
};

const char *safetensors_type_name(enum safetensors_type type)
{
    return (unsigned)type < SAFETENSORS_TYPES ? types[type].name : "unknown";
}

size_t safetensors_type_size(enum safetensors_type type)
{
    return (unsigned)type < SAFETENSORS_TYPES ? types[type].size : 0;
}

enum safetensors_type safetensors_type_of(const char *name)
{
    int type = 0;
    while (type < SAFETENSORS_TYPES && strcmp(types[type].name, name) != 0) type++;
    return (enum safetensors_type)type;
}

int safetensors_size(enum safetensors_type type, size_t dims, const uint64_t *shape,
                     uint64_t *bytes)
{
    uint64_t product = 1;
    for (size_t i = 0; i < dims; i++)
        if (__builtin_mul_overflow(product, shape[i], &product)) return 0;
    return !__builtin_mul_overflow(product, safetensors_type_size(type), bytes);
}
