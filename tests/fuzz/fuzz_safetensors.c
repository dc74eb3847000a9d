/* Any bytes, also compressed, are either refused with a message or give tensors whose every byte
 * can be read, and the same ones when the file is at an odd address. */
#include "base/compressed.h"
#include "base/mem.h"
#include "base/safetensors.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition) abort();
}

static void compare(const struct safetensors *a, const struct safetensors *b)
{
    const char *key = NULL, *other = NULL;
    while ((key = safetensors_metadata_next(a, key))) {
        other = safetensors_metadata_next(b, other);
        require(other && strcmp(key, other) == 0);
        require(strcmp(safetensors_metadata(a, key), safetensors_metadata(b, key)) == 0);
    }
    require(safetensors_count(a) == safetensors_count(b));
    for (size_t i = 0; i < safetensors_count(a); i++) {
        const struct safetensors_tensor *left = safetensors_at(a, i), *right = safetensors_at(b, i);
        const struct safetensors_tensor *found;
        require(strcmp(left->name, right->name) == 0 && left->bytes == right->bytes);
        require(memcmp(left->data, right->data, (size_t)left->bytes) == 0); /* reads every byte */
        require((uintptr_t)left->data % safetensors_type_size(left->type) == 0);
        require((uintptr_t)right->data % safetensors_type_size(right->type) == 0);
        require(safetensors_require(a, left->name, left->type, left->dims, left->shape, &found,
                                    NULL) == FILM_OK);
        require(found == left);
    }
}

static void is_message(const film_error *error)
{
    require(strncmp(error->message, "fuzz: ", 6) == 0 && !strchr(error->message, '\n'));
}

static void read_tensors(const uint8_t *data, size_t size)
{
    film_error error = {0};
    struct safetensors *a = NULL, *b = NULL;
    uint8_t *odd = malloc(size + 1);
    if (!odd) return;
    if (size) memcpy(odd + 1, data, size);
    film_status status = safetensors_parse(data, size, "fuzz", &a, &error);
    require(safetensors_parse(odd + 1, size, "fuzz", &b, NULL) == status);
    if (status == FILM_OK)
        compare(a, b);
    else
        is_message(&error);
    require(status == FILM_OK || (!a && !b));
    safetensors_close(a);
    safetensors_close(b);
    free(odd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    film_error error = {0};
    void *expanded;
    size_t all;
    film_status status = compressed_expand(data, size, "fuzz", &expanded, &all, &error);
    require(status == FILM_OK || !expanded);
    if (status != FILM_OK)
        is_message(&error);
    else if (expanded)
        read_tensors(expanded, all);
    else
        read_tensors(data, size);
    mem_free_aligned(expanded);
    return 0;
}
