/* The element types of safetensors files: names as in the header, sizes in bytes, sizes of
 * tensors, values that are not finite. */
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

/* Returns the position of the first infinity or NaN, or COUNT: in all formats, those have every bit
 * of the EXPONENT set. */
static uint64_t first_not_finite(const void *data, uint64_t count, size_t size, uint64_t exponent)
{
    const uint16_t *half = data;
    const uint32_t *single = data;
    const uint64_t *wide = data;
    uint64_t i = 0;
    if (size == 2)
        while (i < count && (half[i] & exponent) != exponent) i++;
    else if (size == 4)
        while (i < count && (single[i] & exponent) != exponent) i++;
    else
        while (i < count && (wide[i] & exponent) != exponent) i++;
    return i;
}

film_status safetensors_check_finite(const struct safetensors *file, const char *name,
                                     film_error *error)
{
    static const uint64_t exponents[SAFETENSORS_TYPES] = {[SAFETENSORS_F16] = 0x7c00,
                                                          [SAFETENSORS_BF16] = 0x7f80,
                                                          [SAFETENSORS_F32] = 0x7f800000,
                                                          [SAFETENSORS_F64] = 0x7ff0000000000000};
    for (size_t t = 0; t < safetensors_count(file); t++) {
        const struct safetensors_tensor *tensor = safetensors_at(file, t);
        uint64_t exponent = exponents[tensor->type];
        size_t size = types[tensor->type].size;
        if (!exponent) continue;
        uint64_t count = tensor->bytes / size,
                 at = first_not_finite(tensor->data, count, size, exponent);
        if (at < count)
            return status_set(error, FILM_BAD_INPUT, "%s: %s: value %llu is not a finite number",
                              name, tensor->name, (unsigned long long)at);
    }
    return FILM_OK;
}
