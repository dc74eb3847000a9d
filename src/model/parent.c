/* The model that training began from: taken from a file or another model, stored as a tensor with
 * the bytes of its file, and opened from there. learn/parent_fit.c chooses its weight. */
#include "model/parent.h"
#include "base/compressed.h"
#include "base/file.h"
#include "base/mem.h"
#include "text/value.h"

#include <stdio.h>
#include <string.h>

/* Opens the parent in BYTES, which the model owns or its file has. */
static film_status parse_parent(film_model *model, const void *bytes, uint64_t size,
                                const char *name, film_error *error)
{
    film_status status = FILM_OK;
    TRY(model_parse_parent(bytes, (size_t)size, name, &model->parent, error));
    if (model->parent->network)
        TRY(status_set(error, FILM_BAD_INPUT, "%s has an encoder; begin from a model without one",
                       name));
    model->parent_bytes = bytes;
    model->parent_size = size;
    model->decision.parent.decision = &model->parent->decision;
done:
    return status;
}

static film_status copy_parent(film_model *model, const void *bytes, uint64_t size,
                               const char *name, film_error *error)
{
    film_status status = FILM_OK;
    uint64_t room = (size + 7) / 8 * 8; /* a tensor of 64-bit words, so that it is aligned */
    TRY_ALLOC(model->own_parent = mem_aligned((size_t)room, 1), error);
    memset((char *)model->own_parent + room - 8, 0, 8);
    memcpy(model->own_parent, bytes, (size_t)size);
    TRY(parse_parent(model, model->own_parent, size, name, error));
done:
    return status;
}

film_status parent_take_file(film_model *model, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    struct file_map map = {(const unsigned char *)"", 0};
    void *expanded = NULL;
    TRY(file_map_open(path, &map, error));
    size_t size = map.size;
    if (!size) TRY(status_set(error, FILM_BAD_INPUT, "%s is empty; train a model first", path));
    TRY(compressed_expand(map.bytes, size, path, &expanded, &size, error));
    TRY(copy_parent(model, expanded ? expanded : map.bytes, size, path, error));
done:
    mem_free_aligned(expanded);
    file_map_close(&map);
    return status;
}

film_status parent_take_from(film_model *model, const film_model *other, film_error *error)
{
    return other->parent ? copy_parent(model, other->parent_bytes, other->parent_size,
                                       "the model that training began from", error)
                         : FILM_OK;
}

film_status parent_check_fields(const film_model *model, film_error *error)
{
    const struct record_fields *own = &model->fields;
    if (!model->parent || !model->parent->fields.count) return FILM_OK;
    const struct record_fields *fields = &model->parent->fields;
    if (!own->count)
        return status_set(error, FILM_BAD_INPUT,
                          "the start model compares records (%s, ...), the training data are "
                          "sentences; begin from a model of sentences",
                          fields->list[0].name);
    for (size_t f = 0; f < fields->count; f++) {
        size_t found = 0;
        while (found < own->count &&
               !value_is(value_of(own->list[found].name), fields->list[f].name))
            found++;
        if (found == own->count)
            return status_set(error, FILM_BAD_INPUT,
                              "the start model compares the field \"%s\", which the training data "
                              "do not have; begin from a model of the same fields, or of sentences",
                              fields->list[f].name);
    }
    return FILM_OK;
}

/* ---- The file ---- */

size_t parent_tensors(const film_model *model, struct safetensors_tensor *tensors)
{
    if (!model->parent || !model->decision.full) return 0;
    tensors[0] = (struct safetensors_tensor){.name = "start",
                                             .type = SAFETENSORS_U64,
                                             .dims = 1,
                                             .shape = {(model->parent_size + 7) / 8},
                                             .data = model->parent_bytes};
    tensors[1] = (struct safetensors_tensor){.name = "start.size",
                                             .type = SAFETENSORS_U64,
                                             .dims = 1,
                                             .shape = {1},
                                             .data = &model->parent_size};
    return PARENT_TENSORS;
}

film_status parent_open(film_model *model, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *bytes, *size;
    const uint64_t any[1] = {SAFETENSORS_ANY}, one[1] = {1};
    char name[300];
    if (!safetensors_find(model->file, "start")) return FILM_OK;
    snprintf(name, sizeof name, "%.200s: start", path);
    if (model->is_parent)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s began from another model itself; begin from that one, or train %s "
                       "without it",
                       path, path));
    TRY(safetensors_require(model->file, "start", SAFETENSORS_U64, 1, any, &bytes, error));
    TRY(safetensors_require(model->file, "start.size", SAFETENSORS_U64, 1, one, &size, error));
    uint64_t count = *(const uint64_t *)size->data;
    if (!model->decision.full || count == 0 || count > bytes->bytes || bytes->bytes - count >= 8)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: invalid size; the file is damaged", name));
    TRY(parse_parent(model, bytes->data, count, name, error));
done:
    return status;
}
