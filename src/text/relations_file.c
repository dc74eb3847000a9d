/* Relations as tensors of a safetensors file: a compiled table, or part of a model. */
#include "text/relations_file.h"

#include <string.h>

#define FORMAT "film words"

size_t relations_tensors(const struct relations *relations, struct safetensors_tensor *tensors)
{
    const struct strtab *words = &relations->words;
    if (!words->count) return 0;
    uint64_t count = words->count, links = relations->offsets[count];
    const struct safetensors_tensor all[RELATIONS_TENSORS] = {
        {"relations.bytes", SAFETENSORS_U8, 1, {words->offsets[count]}, words->bytes, 0},
        {"relations.word_offsets", SAFETENSORS_U64, 1, {count + 1}, words->offsets, 0},
        {"relations.slots", SAFETENSORS_U64, 1, {strtab_stored_slots(words)}, words->slots, 0},
        {"relations.offsets", SAFETENSORS_U32, 1, {count + 1}, relations->offsets, 0},
        {"relations.links", SAFETENSORS_U32, 1, {links}, relations->links, 0},
        {"relations.classes", SAFETENSORS_U32, 1, {count}, relations->classes, 0}};
    memcpy(tensors, all, sizeof all);
    return RELATIONS_TENSORS;
}

film_status relations_from(const struct safetensors *file, const char *path,
                           struct relations *relations, film_error *error)
{
    film_status status = FILM_OK;
    static const struct {
        const char *name;
        enum safetensors_type type;
    } wanted[RELATIONS_TENSORS] = {
        {"relations.bytes", SAFETENSORS_U8},  {"relations.word_offsets", SAFETENSORS_U64},
        {"relations.slots", SAFETENSORS_U64}, {"relations.offsets", SAFETENSORS_U32},
        {"relations.links", SAFETENSORS_U32}, {"relations.classes", SAFETENSORS_U32}};
    const struct safetensors_tensor *t[RELATIONS_TENSORS];
    const uint64_t any[1] = {SAFETENSORS_ANY};
    *relations = (struct relations){.own = NULL};
    if (!safetensors_find(file, wanted[0].name)) return FILM_OK;
    for (int i = 0; i < RELATIONS_TENSORS; i++)
        TRY(safetensors_require(file, wanted[i].name, wanted[i].type, 1, any, &t[i], error));
    TRY(relations_map(
        relations,
        &(struct relations_arrays){.words = {t[0]->data, t[0]->bytes, t[1]->data, t[1]->shape[0],
                                             t[2]->data, t[2]->shape[0]},
                                   .offsets = t[3]->data,
                                   .links = t[4]->data,
                                   .classes = t[5]->data,
                                   .offset_count = t[3]->shape[0],
                                   .link_count = t[4]->shape[0],
                                   .class_count = t[5]->shape[0]},
        path, error));
done:
    return status;
}

film_status relations_save(const struct relations *relations, const char *path, film_error *error)
{
    struct safetensors_tensor tensors[RELATIONS_TENSORS];
    const char *keys[] = {"format", "format_version"}, *values[] = {FORMAT, "1"};
    size_t count = relations_tensors(relations, tensors);
    return safetensors_write(path, tensors, count, keys, values, 2, error);
}

film_status relations_open(const char *path, struct safetensors **file, struct relations *relations,
                           film_error *error)
{
    film_status status = FILM_OK;
    *relations = (struct relations){.own = NULL};
    TRY(safetensors_open(path, file, error));
    const char *format = safetensors_metadata(*file, "format");
    if (!format || strcmp(format, FORMAT) != 0)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s is not a table of words; build it with tools/wordnet_table", path));
    TRY(relations_from(*file, path, relations, error));
done:
    if (status != FILM_OK) {
        safetensors_close(*file);
        *file = NULL;
    }
    return status;
}
