/* Reads a model file into parts so that a test can corrupt one of them. Checksums are recomputed on
 * writing, so the reader must reject the content itself. */
#ifndef SPOIL_H
#define SPOIL_H

#include "base/safetensors.h"

#include <stdlib.h>
#include <string.h>

enum { SPOIL_MOST = 100 };

struct spoil {
    struct safetensors *file;
    struct safetensors_tensor tensor[SPOIL_MOST]; /* with writable copies of the data */
    size_t count;
    const char *key[8], *value[8]; /* metadata without the checksums */
    size_t metadata;
};

/* Returns 0 when the file cannot be opened. */
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

/* Makes one change, given by 6 bytes: tensor (one more than there are: SETTINGS), kind, position
 * (2), value (2). */
static inline void spoil_change(struct spoil *spoil, char *settings, const unsigned char *step)
{
    size_t where = step[2] | (size_t)step[3] << 8, which = step[0] % (spoil->count + 1);
    unsigned value = step[4] | (unsigned)step[5] << 8;
    if (which == spoil->count) { /* the settings; never a NUL */
        if (step[5] % 95) settings[where % strlen(settings)] = (char)(' ' + step[5] % 95);
        return;
    }
    struct safetensors_tensor *tensor = &spoil->tensor[which];
    unsigned char *bytes = (unsigned char *)tensor->data;
    uint64_t room = tensor->bytes;
    switch (step[1] % 5) {
    case 0:
        if (room) bytes[where % room] = (unsigned char)value;
        break;
    case 1: /* 4 bytes: infinities, large numbers */
        if (room >= 4) memset(bytes + where % (room - 3), (int)(value & 0xff), 4);
        break;
    case 2: { /* a different shape within the same bytes */
        uint64_t bytes_now = 0, before = tensor->shape[0];
        if (tensor->dims) tensor->shape[0] = where % (before + 1);
        if (!safetensors_size(tensor->type, tensor->dims, tensor->shape, &bytes_now)) abort();
        break;
    }
    case 3: { /* a different type, not wider */
        enum safetensors_type type = (enum safetensors_type)(value % SAFETENSORS_TYPES);
        if (safetensors_type_size(type) <= safetensors_type_size(tensor->type)) tensor->type = type;
        break;
    }
    default: /* remove the tensor */
        free(bytes);
        *tensor = spoil->tensor[--spoil->count];
    }
}

#endif
