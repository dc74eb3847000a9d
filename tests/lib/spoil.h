/* A model file taken apart so that a test can spoil a piece of it: the checksums are made anew, so what is
 * refused is refused for what it says. */
#ifndef SPOIL_H
#define SPOIL_H

#include "base/safetensors.h"

#include <stdlib.h>
#include <string.h>

enum { SPOIL_MOST = 40 };

struct spoil {
    struct safetensors *file;
    struct safetensors_tensor tensor[SPOIL_MOST]; /* data of one's own, to write to */
    size_t count;
    const char *key[8], *value[8]; /* metadata but for the checksums */
    size_t metadata;
};

/* 0: it cannot be opened. */
static inline int spoil_open(struct spoil *spoil, const char *path)
{
    memset(spoil, 0, sizeof *spoil);
    if (safetensors_open(path, &spoil->file, NULL) != FILM_OK) return 0;
    for (size_t i = 0; i < safetensors_count(spoil->file) && i < SPOIL_MOST; i++) {
        struct safetensors_tensor *tensor = &spoil->tensor[spoil->count++];
        *tensor = *safetensors_at(spoil->file, i);
        void *copy = malloc(tensor->bytes + 8);
        if (tensor->bytes) memcpy(copy, tensor->data, tensor->bytes);
        tensor->data = copy;
    }
    for (const char *key = NULL; (key = safetensors_metadata_next(spoil->file, key));)
        if (strncmp(key, "xxh3:", 5) != 0) {
            spoil->key[spoil->metadata] = key;
            spoil->value[spoil->metadata++] = safetensors_metadata(spoil->file, key);
        }
    return 1;
}

static inline void spoil_close(struct spoil *spoil)
{
    for (size_t i = 0; i < spoil->count; i++) free((void *)spoil->tensor[i].data);
    safetensors_close(spoil->file);
}

static inline struct safetensors_tensor *spoil_find(struct spoil *spoil, const char *name)
{
    for (size_t i = 0; i < spoil->count; i++)
        if (strcmp(spoil->tensor[i].name, name) == 0) return &spoil->tensor[i];
    return NULL;
}

static inline film_status spoil_write(const struct spoil *spoil, const char *path,
                                      film_error *problem)
{
    return safetensors_write(path, spoil->tensor, spoil->count, spoil->key, spoil->value,
                             spoil->metadata, problem);
}

#endif
