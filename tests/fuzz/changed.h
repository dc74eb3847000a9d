/* A valid safetensors file, parsed once, whose content an input changes. The product opens it by
 * its path and gets the changed content, as if its checksums were right: no execution writes a
 * file, sums it or reads its JSON header again, which took most of the time (fuzz_safetensors has
 * the header). Linked by -Wl,--wrap. */
#ifndef FUZZ_CHANGED_H
#define FUZZ_CHANGED_H

#include "fuzz.h"
#include "spoil.h"

#include <jansson.h>

struct changed {
    struct spoil good;
    const char *path;
    struct safetensors *file;     /* what the product gets */
    const void *data[SPOIL_MOST]; /* its tensors, unchanged, each in a block of its own */
    json_t *json[8];              /* its metadata, where they are JSON */
    char *text;                   /* the one that is changed */
    struct changed *next;
};
static struct changed *all_changed;

film_status __real_safetensors_map(const char *path, int flags, struct safetensors **out,
                                   film_error *error);
film_status __wrap_safetensors_map(const char *path, int flags, struct safetensors **out,
                                   film_error *error);
void __real_safetensors_close(struct safetensors *file);
void __wrap_safetensors_close(struct safetensors *file);
json_t *__real_json_loads(const char *text, size_t flags, json_error_t *error);
json_t *__wrap_json_loads(const char *text, size_t flags, json_error_t *error);

/* Every other file, such as a parent inside a model, is opened and closed as usual. */
film_status __wrap_safetensors_map(const char *path, int flags, struct safetensors **out,
                                   film_error *error)
{
    for (struct changed *changed = all_changed; changed; changed = changed->next)
        if (strcmp(path, changed->path) == 0) return *out = changed->file, FILM_OK;
    return __real_safetensors_map(path, flags, out, error);
}

void __wrap_safetensors_close(struct safetensors *file)
{
    for (struct changed *changed = all_changed; changed; changed = changed->next)
        if (file == changed->file) return;
    __real_safetensors_close(file);
}

/* Text that no input changed is not parsed again. */
json_t *__wrap_json_loads(const char *text, size_t flags, json_error_t *error)
{
    for (struct changed *changed = all_changed; changed; changed = changed->next)
        for (size_t i = 0; i < changed->good.metadata; i++)
            if (changed->json[i] && strcmp(text, changed->good.value[i]) == 0)
                return json_incref(changed->json[i]);
    return __real_json_loads(text, flags, error);
}

/* A copy whose end the address sanitizer knows. */
static inline void *exact_copy(const void *bytes, uint64_t size)
{
    void *copy = malloc(size);
    require(copy || !size);
    if (size) memcpy(copy, bytes, size);
    return copy;
}

/* After `good` was read and perhaps edited: writes it to PATH and parses it. From then on PATH
 * leads to the changed file. */
static inline void changed_start(struct changed *changed, const char *path)
{
    film_error error;
    struct spoil *good = &changed->good;
    require(spoil_write(good, path, &error) == FILM_OK);
    require(__real_safetensors_map(path, SAFETENSORS_PRIVATE, &changed->file, &error) == FILM_OK);
    require(safetensors_count(changed->file) == good->count);
    for (size_t i = 0; i < good->count; i++)
        changed->data[i] = exact_copy(good->tensor[i].data, good->tensor[i].bytes);
    for (size_t i = 0; i < good->metadata; i++)
        changed->json[i] = __real_json_loads(good->value[i], JSON_REJECT_DUPLICATES, NULL);
    changed->path = strdup(path);
    changed->next = all_changed;
    all_changed = changed;
}

/* Makes the changes of the input, 6 bytes each (spoil_change); those of text go to the metadata
 * KEY. changed_end undoes them. */
struct change {
    struct spoil work;
    uint8_t origin[SPOIL_MOST]; /* of each tensor: its number in the valid file */
};

static inline void change_tensors(struct change *change, struct changed *changed,
                                  const uint8_t *data, size_t size)
{
    enum { MOST = 240 };
    struct spoil *work = &change->work;
    *work = changed->good;
    for (size_t i = 0; i < work->count; i++) {
        change->origin[i] = (uint8_t)i;
        work->tensor[i].data = changed->data[i];
    }
    for (size_t i = 0; i + 6 <= size && i < MOST && work->count > 1; i += 6) {
        size_t which = data[i] % (work->count + 1), before = work->count;
        struct safetensors_tensor *tensor = &work->tensor[which];
        if (which < before && tensor->data == changed->data[change->origin[which]])
            tensor->data = exact_copy(tensor->data, tensor->bytes);
        spoil_change(work, changed->text, data + i);
        if (work->count < before) change->origin[which] = change->origin[work->count];
    }
}

/* A removed tensor is left empty and without a name. */
static inline void changed_begin(struct change *change, struct changed *changed, const char *key,
                                 const uint8_t *data, size_t size)
{
    struct spoil *work = &change->work;
    changed->text = (char *)(uintptr_t)safetensors_metadata(changed->file, key);
    change_tensors(change, changed, data, size);
    for (size_t i = 0; i < changed->good.count; i++) {
        struct safetensors_tensor *out = (void *)(uintptr_t)safetensors_at(changed->file, i);
        if (i >= work->count) {
            *out = (struct safetensors_tensor){.name = "", .dims = 1, .data = ""};
            continue;
        }
        struct safetensors_tensor *tensor = &work->tensor[i];
        uint64_t bytes = tensor->bytes;
        if (tensor->data != changed->data[change->origin[i]]) {
            require(safetensors_size(tensor->type, tensor->dims, tensor->shape, &tensor->bytes));
            if (tensor->bytes != bytes) {
                void *copy = exact_copy(tensor->data, tensor->bytes);
                free((void *)(uintptr_t)tensor->data);
                tensor->data = copy;
            }
        }
        *out = *tensor;
    }
}

static inline void changed_end(struct change *change, struct changed *changed)
{
    for (size_t i = 0; i < change->work.count; i++)
        if (change->work.tensor[i].data != changed->data[change->origin[i]])
            free((void *)(uintptr_t)change->work.tensor[i].data);
    for (size_t i = 0; i < changed->good.metadata; i++)
        if (changed->text == safetensors_metadata(changed->file, changed->good.key[i]))
            memcpy(changed->text, changed->good.value[i], strlen(changed->text));
}

#endif
