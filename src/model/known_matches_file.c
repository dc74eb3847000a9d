/* Writes the known matches of records to a model file, and reads and checks them. */
#include "model/known_matches_file.h"
#include "base/utf8.h"

size_t known_matches_tensors(const struct known_matches *matches,
                             struct safetensors_tensor *tensors)
{
    uint64_t count = matches->count;
    if (!count) return 0;
    const struct safetensors_tensor list[KNOWN_MATCHES_TENSORS] = {
        {.name = "matches.keys",
         .type = SAFETENSORS_U64,
         .dims = 1,
         .shape = {count},
         .data = matches->keys},
        {.name = "matches.offsets",
         .type = SAFETENSORS_U64,
         .dims = 1,
         .shape = {count + 1},
         .data = matches->offsets},
        {.name = "matches.first",
         .type = SAFETENSORS_U64,
         .dims = 1,
         .shape = {count + 1},
         .data = matches->first},
        {.name = "matches.list",
         .type = SAFETENSORS_U32,
         .dims = 1,
         .shape = {matches->first[count]},
         .data = matches->list},
        {.name = "matches.bytes",
         .type = SAFETENSORS_U8,
         .dims = 1,
         .shape = {matches->offsets[count]},
         .data = matches->bytes}};
    for (size_t i = 0; i < KNOWN_MATCHES_TENSORS; i++) tensors[i] = list[i];
    return KNOWN_MATCHES_TENSORS;
}

static int ascends(const uint64_t *offsets, size_t count, uint64_t end)
{
    if (offsets[0] != 0 || offsets[count] != end) return 0;
    for (size_t i = 0; i < count; i++)
        if (offsets[i] > offsets[i + 1]) return 0;
    return 1;
}

/* Checks that every range is inside its array, keys ascend and every text is valid UTF-8. */
static int is_whole(const struct known_matches *matches, uint64_t bytes, uint64_t listed)
{
    size_t count = matches->count;
    if (!ascends(matches->offsets, count, bytes) || !ascends(matches->first, count, listed))
        return 0;
    for (size_t i = 0; i < listed; i++)
        if (matches->list[i] >= count) return 0;
    for (size_t i = 0; i < count; i++) {
        film_text text = known_matches_text(matches, i);
        if (i && matches->keys[i - 1] >= matches->keys[i]) return 0;
        if (!utf8_valid(text.bytes, text.length, NULL)) return 0;
    }
    return 1;
}

film_status known_matches_open(struct known_matches *matches, const struct safetensors *file,
                               const char *path, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *keys, *offsets, *first, *list, *bytes;
    const uint64_t any[1] = {SAFETENSORS_ANY};
    if (!safetensors_find(file, "matches.keys")) return FILM_OK;
    TRY(safetensors_require(file, "matches.keys", SAFETENSORS_U64, 1, any, &keys, error));
    const uint64_t ends[1] = {keys->shape[0] + 1};
    TRY(safetensors_require(file, "matches.offsets", SAFETENSORS_U64, 1, ends, &offsets, error));
    TRY(safetensors_require(file, "matches.first", SAFETENSORS_U64, 1, ends, &first, error));
    TRY(safetensors_require(file, "matches.list", SAFETENSORS_U32, 1, any, &list, error));
    TRY(safetensors_require(file, "matches.bytes", SAFETENSORS_U8, 1, any, &bytes, error));
    struct known_matches found = {.count = (size_t)keys->shape[0],
                                  .keys = keys->data,
                                  .offsets = offsets->data,
                                  .first = first->data,
                                  .list = list->data,
                                  .bytes = bytes->data};
    if (!is_whole(&found, bytes->shape[0], list->shape[0]))
        TRY(status_set(error, FILM_BAD_INPUT, "%s: the known matches are damaged; train again",
                       path));
    *matches = found;
done:
    return status;
}
