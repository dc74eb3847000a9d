/* Versioning of public structs by size (film_types.h), as in clone3 and openat2 of Linux: the size
 * is the version. This file copies bytes and checks sizes; callers know the meaning and the
 * defaults of the fields. */
#include "base/sized.h"

#include <string.h>

static size_t size_of(const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

film_status sized_check(const void *result, const char *name, film_error *error)
{
    if (!result || size_of(result) >= sizeof(size_t)) return FILM_OK;
    return status_set(error, FILM_USAGE, "%s.size is not set; set it to sizeof(%s)", name, name);
}

static film_status newer(const char *name, film_error *error)
{
    return status_set(
        error, FILM_USAGE,
        "%s has a non-zero field that library version %s does not know; use a newer library", name,
        film_version());
}

film_status sized_options(void *into, size_t known, const void *given, const char *name,
                          film_error *error)
{
    if (given) {
        film_status status = sized_check(given, name, error);
        if (status != FILM_OK) return status;
        size_t size = size_of(given);
        const unsigned char *bytes = given;
        for (size_t i = known; i < size; i++)
            if (bytes[i]) return newer(name, error);
        memcpy(into, given, size < known ? size : known);
    }
    memcpy(into, &known, sizeof known);
    return FILM_OK;
}

void sized_fill(void *result, const void *filled, size_t known)
{
    if (!result) return;
    size_t size = size_of(result), both = size < known ? size : known;
    memcpy((unsigned char *)result + sizeof size, (const unsigned char *)filled + sizeof size,
           both - sizeof size);
    memset((unsigned char *)result + both, 0, size - both);
}

film_status sized_reserved(void *const *reserved, size_t count, const char *name, film_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (reserved[i]) return newer(name, error);
    return FILM_OK;
}
