/* Relations as tensors of a safetensors file: a compiled table, or part of a model. */
#include "text/relations_file.h"
#include "base/mem.h"

#include <string.h>

#define FORMAT "film words"
#define FORMAT_VERSION "2"

film_status relations_tensors(const struct relations *relations, uint8_t **lengths,
                              struct safetensors_tensor *tensors, size_t *count, film_error *error)
{
    const struct strtab *words = &relations->words;
    uint64_t size, all = words->count;
    *lengths = NULL;
    if (!all) return FILM_OK;
    film_status status = strtab_lengths(words, lengths, &size, error);
    if (status != FILM_OK) return status;
    const struct safetensors_tensor list[RELATIONS_TENSORS] = {
        {"relations.bytes", SAFETENSORS_U8, 1, {words->offsets[all]}, words->bytes, 0},
        {"relations.lengths", SAFETENSORS_U8, 1, {size}, *lengths, 0},
        {"relations.offsets", SAFETENSORS_U32, 1, {all + 1}, relations->offsets, 0},
        {"relations.links", SAFETENSORS_U32, 1, {relations->offsets[all]}, relations->links, 0},
        {"relations.classes", SAFETENSORS_U32, 1, {all}, relations->classes, 0}};
    memcpy(tensors + *count, list, sizeof list);
    *count += RELATIONS_TENSORS;
    return FILM_OK;
}

film_status relations_from(const struct safetensors *file, const char *path,
                           struct relations *relations, film_error *error)
{
    film_status status = FILM_OK;
    static const struct {
        const char *name;
        enum safetensors_type type;
    } wanted[RELATIONS_TENSORS] = {{"relations.bytes", SAFETENSORS_U8},
                                   {"relations.lengths", SAFETENSORS_U8},
                                   {"relations.offsets", SAFETENSORS_U32},
                                   {"relations.links", SAFETENSORS_U32},
                                   {"relations.classes", SAFETENSORS_U32}};
    const struct safetensors_tensor *t[RELATIONS_TENSORS];
    const uint64_t any[1] = {SAFETENSORS_ANY};
    *relations = (struct relations){.own = NULL};
    if (!safetensors_find(file, wanted[0].name)) return FILM_OK;
    for (int i = 0; i < RELATIONS_TENSORS; i++)
        TRY(safetensors_require(file, wanted[i].name, wanted[i].type, 1, any, &t[i], error));
    TRY(relations_map(relations,
                      &(struct relations_arrays){.bytes = safetensors_text(t[0]),
                                                 .lengths = safetensors_text(t[1]),
                                                 .offsets = t[2]->data,
                                                 .links = t[3]->data,
                                                 .classes = t[4]->data,
                                                 .offset_count = t[2]->shape[0],
                                                 .link_count = t[3]->shape[0],
                                                 .class_count = t[4]->shape[0]},
                      path, error));
done:
    return status;
}

film_status relations_save(const struct relations *relations, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    struct safetensors_tensor tensors[RELATIONS_TENSORS];
    const char *keys[] = {"format", "format_version"}, *values[] = {FORMAT, FORMAT_VERSION};
    uint8_t *lengths = NULL;
    size_t count = 0;
    TRY(relations_tensors(relations, &lengths, tensors, &count, error));
    TRY(safetensors_write(path, tensors, count, keys, values, 2, error));
done:
    mem_free(lengths);
    return status;
}

film_status relations_open(const char *path, struct safetensors **file, struct relations *relations,
                           film_error *error)
{
    film_status status = FILM_OK;
    *relations = (struct relations){.own = NULL};
    TRY(safetensors_open(path, file, error));
    const char *format = safetensors_metadata(*file, "format");
    const char *version = safetensors_metadata(*file, "format_version");
    if (!format || strcmp(format, FORMAT) != 0)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s is not a table of words; build it with tools/wordnet_table", path));
    if (!version || strcmp(version, FORMAT_VERSION) != 0)
        TRY(status_set(
            error, FILM_BAD_INPUT,
            "%s is a table of words of version %.20s; this program reads version " FORMAT_VERSION
            "; build it again with tools/wordnet_table",
            path, version ? version : "unknown"));
    TRY(relations_from(*file, path, relations, error));
done:
    if (status != FILM_OK) {
        safetensors_close(*file);
        *file = NULL;
    }
    return status;
}
