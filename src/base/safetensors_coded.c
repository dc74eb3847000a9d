/* Tensors whose bytes are entropy coded (base/rans.h). The file has a tensor U8 [bytes] of the same
 * name; its type and shape are in the metadata "coded". Each byte of an element, the lowest first,
 * is coded on its own, because the bytes of a number differ in their frequencies; so are blocks. */
#include "base/mem.h"
#include "base/rans.h"
#include "base/safetensors_file.h"

#include <string.h>

enum {
    /* Elements with frequencies of their own. */
    BLOCK = 1 << 16,
    /* A tensor may not grow more than this: a small damaged file must not take all memory. */
    MOST_GROWTH = 256
};

static size_t block_size(size_t first, size_t count)
{
    return count - first < BLOCK ? count - first : BLOCK;
}

/* ---- Encoding ---- */

/* Replaces a tensor by its coded bytes, which *BYTES then owns, if they are fewer. */
static film_status encode_tensor(struct safetensors_tensor *tensor, json_t *coded, void **bytes,
                                 film_error *error)
{
    film_status status = FILM_OK;
    size_t size = safetensors_type_size(tensor->type), length = 0;
    uint64_t all = 0;
    uint8_t *out = NULL;
    json_t *shape = NULL;
    (void)safetensors_size(tensor->type, tensor->dims, tensor->shape, &all);
    size_t count = (size_t)(all / size);
    TRY_ALLOC(out =
                  mem_array(size * (count / BLOCK + 1), rans_bound(count < BLOCK ? count : BLOCK)),
              error);
    for (size_t plane = 0; plane < size; plane++)
        for (size_t first = 0; first < count; first += BLOCK)
            length += rans_encode((const uint8_t *)tensor->data + first * size + plane,
                                  block_size(first, count), size, out + length);
    if (length >= all || length < all / MOST_GROWTH + 1) goto done;
    TRY_ALLOC(shape = json_array(), error);
    for (size_t i = 0; i < tensor->dims; i++)
        TRY_ALLOC(json_array_append_new(shape, json_integer((json_int_t)tensor->shape[i])) == 0,
                  error);
    TRY_ALLOC(json_object_set_new(coded, tensor->name,
                                  json_pack("{s:s, s:O}", "dtype",
                                            safetensors_type_name(tensor->type), "shape", shape)) ==
                  0,
              error);
    *tensor = (struct safetensors_tensor){
        .name = tensor->name, .type = SAFETENSORS_U8, .dims = 1, .shape = {length}};
    tensor->data = *bytes = out;
    out = NULL;
done:
    json_decref(shape);
    mem_free(out);
    return status;
}

film_status safetensors_encode(struct safetensors_tensor *tensors, size_t count,
                               struct coded_tensors *out, film_error *error)
{
    film_status status = FILM_OK;
    json_t *coded = json_object();
    *out = (struct coded_tensors){.count = count};
    TRY_ALLOC(coded, error);
    TRY_ALLOC(out->bytes = mem_zeroed(count, sizeof *out->bytes), error);
    for (size_t i = 0; i < count; i++)
        TRY(encode_tensor(&tensors[i], coded, &out->bytes[i], error));
    TRY(jsonfile_dump(coded, JSON_COMPACT, &out->about, error));
done:
    json_decref(coded);
    return status;
}

void coded_tensors_free(struct coded_tensors *coded)
{
    for (size_t i = 0; coded->bytes && i < coded->count; i++) mem_free(coded->bytes[i]);
    mem_free(coded->bytes);
    mem_free(coded->about);
}

/* ---- Decoding ---- */

static film_status decode_tensor(const struct safetensors *file, struct tensor_entry *entry,
                                 const json_t *about, film_error *error)
{
    film_status status = FILM_OK;
    struct safetensors_tensor *tensor = &entry->tensor, coded = *tensor;
    const uint8_t *at = coded.data, *end = at + coded.bytes;
    uint8_t *out = NULL;
    TRY(safetensors_read_type(file, tensor, json_object_get(about, "dtype"), error));
    TRY(safetensors_read_shape(file, tensor, json_object_get(about, "shape"), error));
    size_t size = safetensors_type_size(tensor->type), count = (size_t)(tensor->bytes / size);
    int fine = coded.type == SAFETENSORS_U8 && coded.dims == 1 &&
               tensor->bytes / MOST_GROWTH < coded.bytes;
    TRY_ALLOC(out = mem_aligned(fine ? (size_t)tensor->bytes : 0, 1), error);
    for (size_t plane = 0; fine && plane < size; plane++)
        for (size_t first = 0; fine && first < count; first += BLOCK)
            fine =
                rans_decode(&at, end, out + first * size + plane, block_size(first, count), size);
    if (!fine || at != end)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: tensor %s: invalid coded bytes; the file is damaged", file->name,
                       show_name(coded.name).text));
    mem_free_aligned(entry->copy);
    tensor->data = entry->copy = out;
    out = NULL;
done:
    mem_free_aligned(out);
    return status;
}

film_status safetensors_decode(struct safetensors *file, film_error *error)
{
    film_status status = FILM_OK;
    const char *text = safetensors_metadata(file, SAFETENSORS_CODED), *name;
    json_t *about, *coded = NULL;
    if (!text) return FILM_OK;
    TRY(safetensors_load_json(file, text, strlen(text), &coded, error));
    json_object_foreach(coded, name, about)
    {
        struct safetensors_tensor *tensor = (void *)safetensors_find(file, name);
        if (!tensor)
            TRY(status_set(error, FILM_BAD_INPUT,
                           "%s: coded tensor %s is missing; the file is damaged", file->name,
                           show_name(name).text));
        TRY(decode_tensor(file, (struct tensor_entry *)tensor, about, error));
    }
done:
    json_decref(coded);
    return status;
}
