/* Stores some labelled pairs in the model, to show next to its results. They do not influence any
 * decision. */
#include "model/examples.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <string.h>

void examples_free(struct examples *examples)
{
    mem_free(examples->own_bytes);
    mem_free(examples->own_offsets);
    mem_free(examples->own_same);
    memset(examples, 0, sizeof *examples);
}

film_status examples_make(struct examples *examples, size_t count,
                          int (*pair)(const void *user, size_t i, film_text *a, film_text *b),
                          const void *user, film_error *error)
{
    film_status status = FILM_OK;
    film_text text[2];
    uint64_t total = 0;
    *examples = (struct examples){.count = count};
    for (size_t i = 0; i < count; i++) {
        pair(user, i, &text[0], &text[1]);
        total += text[0].length + text[1].length;
    }
    TRY_ALLOC(examples->own_bytes = mem_array((size_t)total, 1), error);
    TRY_ALLOC(examples->own_offsets = mem_zeroed(2 * count + 1, sizeof(uint64_t)), error);
    TRY_ALLOC(examples->own_same = mem_array(count, 1), error);
    uint64_t *end = examples->own_offsets;
    for (size_t i = 0; i < count; i++) {
        examples->own_same[i] = (unsigned char)(pair(user, i, &text[0], &text[1]) != 0);
        for (int s = 0; s < 2; s++, end++) {
            memcpy(examples->own_bytes + *end, text[s].bytes, text[s].length);
            end[1] = *end + text[s].length;
        }
    }
    examples->bytes = examples->own_bytes;
    examples->offsets = examples->own_offsets;
    examples->same = examples->own_same;
done:
    if (status != FILM_OK) examples_free(examples);
    return status;
}

film_text examples_text(const struct examples *examples, size_t pair, int sentence)
{
    const uint64_t *at = examples->offsets + 2 * pair + (size_t)sentence;
    return (film_text){examples->bytes + at[0], (size_t)(at[1] - at[0])};
}

size_t examples_tensors(const struct examples *examples, struct safetensors_tensor *tensors)
{
    uint64_t count = examples->count;
    if (!count) return 0;
    tensors[0] = (struct safetensors_tensor){.name = "examples.bytes",
                                             .type = SAFETENSORS_U8,
                                             .dims = 1,
                                             .shape = {examples->offsets[2 * count]},
                                             .data = examples->bytes};
    tensors[1] = (struct safetensors_tensor){.name = "examples.offsets",
                                             .type = SAFETENSORS_U64,
                                             .dims = 1,
                                             .shape = {2 * count + 1},
                                             .data = examples->offsets};
    tensors[2] = (struct safetensors_tensor){.name = "examples.same",
                                             .type = SAFETENSORS_U8,
                                             .dims = 1,
                                             .shape = {count},
                                             .data = examples->same};
    return EXAMPLES_TENSORS;
}

/* Checks that offsets ascend to the end of the bytes, every text is valid UTF-8, every label 0 or
 * 1. */
static int whole(const struct examples *examples, uint64_t bytes)
{
    const uint64_t *offsets = examples->offsets;
    if (offsets[0] != 0 || offsets[2 * examples->count] != bytes) return 0;
    for (size_t i = 0; i < 2 * examples->count; i++)
        if (offsets[i] > offsets[i + 1] || offsets[i + 1] > bytes ||
            !utf8_valid(examples->bytes + offsets[i], (size_t)(offsets[i + 1] - offsets[i]), NULL))
            return 0;
    for (size_t i = 0; i < examples->count; i++)
        if (examples->same[i] > 1) return 0;
    return 1;
}

film_status examples_open(struct examples *examples, const struct safetensors *file,
                          const char *path, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *bytes, *offsets, *same;
    const uint64_t any[1] = {SAFETENSORS_ANY};
    if (!safetensors_find(file, "examples.same")) return FILM_OK;
    TRY(safetensors_require(file, "examples.same", SAFETENSORS_U8, 1, any, &same, error));
    TRY(safetensors_require(file, "examples.bytes", SAFETENSORS_U8, 1, any, &bytes, error));
    if (same->shape[0] == 0 || same->shape[0] > EXAMPLES_MOST)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: %llu examples; at most %d are supported", path,
                       (unsigned long long)same->shape[0], EXAMPLES_MOST));
    const uint64_t ends[1] = {2 * same->shape[0] + 1};
    TRY(safetensors_require(file, "examples.offsets", SAFETENSORS_U64, 1, ends, &offsets, error));
    *examples = (struct examples){.count = (size_t)same->shape[0],
                                  .bytes = bytes->data,
                                  .offsets = offsets->data,
                                  .same = same->data};
    if (!whole(examples, bytes->bytes))
        TRY(status_set(error, FILM_BAD_INPUT, "%s: the examples are damaged; train again", path));
done:
    return status;
}
