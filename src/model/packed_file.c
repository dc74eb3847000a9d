/* The tensors of a packed model that differ from those of one that is not: written, and checked
 * when the file is opened. Nothing in the file is trusted. */
#include "model/packed.h"
#include "base/mem.h"
#include "text/relations_pack.h"

#include <stdio.h>
#include <string.h>

/* ---- Saving ---- */

void packed_arrays_free(struct packed_arrays *arrays)
{
    for (int g = 0; g < GROUPS; g++) mem_free(arrays->lengths[g]);
    mem_free(arrays->relations);
}

struct tensor_list {
    struct safetensors_tensor *tensors;
    size_t *count;
};

static void place(const struct tensor_list *list, const char *name, enum safetensors_type type,
                  const void *data, uint64_t rows, uint64_t columns)
{
    list->tensors[(*list->count)++] = (struct safetensors_tensor){.name = name,
                                                                  .type = type,
                                                                  .dims = columns ? 2 : 1,
                                                                  .shape = {rows, columns},
                                                                  .data = data};
}

static void place_set(const struct tensor_list *list, const char *sizes, const char *rest,
                      const struct keyset *set)
{
    place(list, sizes, SAFETENSORS_U8, set->sizes, (uint64_t)1 << set->bucket_bits, 0);
    place(list, rest, keyset_type(set), set->rest, set->count, 0);
}

static film_status place_strings(const film_model *model, int group, struct packed_arrays *arrays,
                                 const struct tensor_list *list, film_error *error)
{
    const struct strtab *table = &model->features.vocabulary[group];
    const char *prefix = group_name((enum group)group);
    char(*name)[24] = &arrays->names[2 * group];
    uint8_t *lengths = arrays->lengths[group] = mem_array(table->count, STRTAB_LENGTH);
    if (!lengths) return status_no_memory(error);
    snprintf(name[0], 24, "%s.bytes", prefix);
    snprintf(name[1], 24, "%s.lengths", prefix);
    place(list, name[0], SAFETENSORS_U8, table->bytes, table->offsets[table->count], 0);
    place(list, name[1], SAFETENSORS_U8, lengths, strtab_lengths(table, lengths), 0);
    return FILM_OK;
}

static void place_decision(const struct decision *decision, const struct tensor_list *list)
{
    const struct evidence *evidence = &decision->evidence;
    const struct item_table *table = &evidence->table;
    const struct memory *memory = &decision->memory;
    if (!decision->full) return;
    place(list, "evidence.feature", SAFETENSORS_I8, evidence->feature_code, evidence->features, 2);
    place(list, "evidence.feature_scale", SAFETENSORS_F32, evidence->feature_scale, 2, 0);
    place(list, "evidence.scale", SAFETENSORS_F32, table->scale, ITEM_KINDS, 0);
    place_set(list, "evidence.words.sizes", "evidence.words.rest", &table->set[ITEMS_OF_WORDS]);
    place(list, "evidence.words.weight", SAFETENSORS_I8, table->weight[ITEMS_OF_WORDS],
          table->set[ITEMS_OF_WORDS].count, 0);
    place_set(list, "evidence.phrases.sizes", "evidence.phrases.rest",
              &table->set[ITEMS_OF_PHRASES]);
    place(list, "evidence.phrases.weight", SAFETENSORS_I8, table->weight[ITEMS_OF_PHRASES],
          table->set[ITEMS_OF_PHRASES].count, 0);
    if (!memory_exists(memory)) return;
    place(list, "memory.cluster", SAFETENSORS_U32, memory->cluster, memory->known.count, 0);
    place_set(list, "memory.known.sizes", "memory.known.rest", &memory->known);
    place_set(list, "memory.apart.sizes", "memory.apart.rest", &memory->apart);
}

film_status packed_tensors(const film_model *model, struct packed_arrays *arrays,
                           struct safetensors_tensor *tensors, size_t *count, film_error *error)
{
    film_status status = FILM_OK;
    const struct tensor_list list = {tensors, count};
    const struct word_map *map = &model->encoder.map;
    size_t length, rows = features_count(&model->features);
    if (map->codes) {
        place(&list, "L.scales", SAFETENSORS_F32, map->scales, rows, 0);
        place(&list, "L.codes", SAFETENSORS_I8, map->codes, rows, model->encoder.dim);
    }
    for (int g = 0; g < GROUPS; g++)
        if (model->features.groups & GROUP_BIT(g))
            TRY(place_strings(model, g, arrays, &list, error));
    place_decision(&model->decision, &list);
    if (model->relations.words.count) {
        TRY(relations_pack(&model->relations, &arrays->relations, &length, error));
        place(&list, "relations.packed", SAFETENSORS_U8, arrays->relations, length, 0);
    }
done:
    return status;
}

/* ---- Opening ---- */

static film_status require(const struct safetensors *file, const char *name,
                           enum safetensors_type type, const struct safetensors_tensor **out,
                           film_error *error)
{
    const uint64_t any[1] = {SAFETENSORS_ANY};
    return safetensors_require(file, name, type, 1, any, out, error);
}

static film_text tensor_text(const struct safetensors_tensor *tensor)
{
    return (film_text){tensor->data, (size_t)tensor->bytes};
}

film_status packed_open_group(film_model *model, int group, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    const char *prefix = group_name((enum group)group);
    const struct safetensors_tensor *bytes, *lengths;
    char name[2][24], where[300];
    snprintf(name[0], sizeof name[0], "%s.bytes", prefix);
    snprintf(name[1], sizeof name[1], "%s.lengths", prefix);
    snprintf(where, sizeof where, "%.200s: %s", path, name[1]);
    TRY(require(model->file, name[0], SAFETENSORS_U8, &bytes, error));
    TRY(require(model->file, name[1], SAFETENSORS_U8, &lengths, error));
    TRY(strtab_from_lengths(&model->features.vocabulary[group], tensor_text(bytes),
                            tensor_text(lengths), where, error));
done:
    return status;
}

film_status packed_open_relations(film_model *model, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *packed;
    if (!safetensors_find(model->file, "relations.packed")) return FILM_OK;
    TRY(require(model->file, "relations.packed", SAFETENSORS_U8, &packed, error));
    TRY(relations_unpack(&model->relations, packed->data, (size_t)packed->bytes, path, error));
done:
    return status;
}

/* Earlier versions wrote two codes of 4 bits per byte, each plus 8: dimension i in the lower half,
 * i + stride above. Words have 8 bits, or 4 in still earlier files. */
static film_status open_halves(film_model *model, const int8_t **out, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *fine, *codes;
    size_t dim = model->encoder.dim, stride = (dim + 1) / 2;
    size_t features = features_count(&model->features);
    size_t words = safetensors_find(model->file, "L.words") ? model->features.first[1] : 0;
    uint64_t shape[2] = {words, dim}, rest[2] = {features - words, stride};
    TRY(safetensors_require(model->file, "L.codes", SAFETENSORS_U8, 2, rest, &codes, error));
    TRY_ALLOC(model->own_codes = mem_array(features, dim), error);
    if (words) {
        TRY(safetensors_require(model->file, "L.words", SAFETENSORS_I8, 2, shape, &fine, error));
        memcpy(model->own_codes, fine->data, words * dim);
    }
    const uint8_t *half = codes->data;
    for (size_t f = words; f < features; f++, half += stride)
        for (size_t i = 0; i < dim; i++) {
            int code = i < stride ? half[i] & 15 : half[i - stride] >> 4;
            model->own_codes[f * dim + i] = (int8_t)(code - 8);
        }
    *out = model->own_codes;
done:
    return status;
}

film_status packed_open_map(film_model *model, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    enum { MOST_DIM = 65536 };
    const struct safetensors_tensor *codes, *scales;
    const int8_t *code = NULL;
    size_t dim = model->encoder.dim;
    uint64_t shape[2] = {features_count(&model->features), dim};
    if (dim == 0 || dim > MOST_DIM)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: settings: invalid dimension %zu; the file is damaged", path, dim));
    const struct safetensors_tensor *found = safetensors_find(model->file, "L.codes");
    if (model->bits == 4 && found && found->type == SAFETENSORS_U8) {
        TRY(open_halves(model, &code, error));
    } else {
        TRY(safetensors_require(model->file, "L.codes", SAFETENSORS_I8, 2, shape, &codes, error));
        code = codes->data;
    }
    TRY(safetensors_require(model->file, "L.scales", SAFETENSORS_F32, 1, shape, &scales, error));
    const float *scale = scales->data;
    for (uint64_t i = 0; i < shape[0]; i++)
        if (scale[i] < 0)
            TRY(status_set(error, FILM_BAD_INPUT,
                           "%s: L.scales: scale %llu is negative; the file is damaged", path,
                           (unsigned long long)i));
    model->encoder.map = (struct word_map){.codes = code, .scales = scale};
done:
    return status;
}

static film_status open_set(struct keyset *set, const struct safetensors *file, const char *prefix,
                            unsigned bits, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *sizes, *rest;
    const uint64_t any[1] = {SAFETENSORS_ANY};
    char name[2][40], where[300];
    snprintf(name[0], sizeof name[0], "%s.sizes", prefix);
    snprintf(name[1], sizeof name[1], "%s.rest", prefix);
    snprintf(where, sizeof where, "%.200s: %s", path, prefix);
    TRY(require(file, name[0], SAFETENSORS_U8, &sizes, error));
    rest = safetensors_find(file, name[1]);
    enum safetensors_type type = rest && rest->type == SAFETENSORS_U16   ? SAFETENSORS_U16
                                 : rest && rest->type == SAFETENSORS_U64 ? SAFETENSORS_U64
                                                                         : SAFETENSORS_U32;
    TRY(safetensors_require(file, name[1], type, 1, any, &rest, error));
    TRY(keyset_map(set, sizes, rest, bits, where, error));
done:
    return status;
}

film_status packed_open_evidence(struct decision *decision, const struct safetensors *file,
                                 const char *path, film_error *error)
{
    film_status status = FILM_OK;
    static const char *const names[ITEM_SETS] = {"evidence.words", "evidence.phrases"};
    struct evidence *evidence = &decision->evidence;
    struct item_table *table = &evidence->table;
    const struct features *features = decision->encoder->features;
    const struct safetensors_tensor *feature, *scales, *scale, *weight;
    evidence->features = features_count(features);
    uint64_t shape[2] = {evidence->features, 2}, two[1] = {2}, kinds[1] = {ITEM_KINDS};
    TRY(safetensors_require(file, "evidence.feature", SAFETENSORS_I8, 2, shape, &feature, error));
    TRY(safetensors_require(file, "evidence.feature_scale", SAFETENSORS_F32, 1, two, &scales,
                            error));
    TRY(safetensors_require(file, "evidence.scale", SAFETENSORS_F32, 1, kinds, &scale, error));
    evidence->feature_code = feature->data;
    evidence->feature_scale = scales->data;
    table->scale = scale->data;
    table->words = features->first[GROUP_WORD + 1];
    TRY(item_table_prepare(table, error));
    for (int s = 0; s < ITEM_SETS; s++) {
        char name[40];
        unsigned bits = item_table_bits((enum item_keys)s, table->words);
        snprintf(name, sizeof name, "%s.weight", names[s]);
        TRY(open_set(&table->set[s], file, names[s], bits, path, error));
        uint64_t count[1] = {table->set[s].count};
        TRY(safetensors_require(file, name, SAFETENSORS_I8, 1, count, &weight, error));
        table->weight[s] = weight->data;
    }
done:
    return status;
}

film_status packed_open_memory(struct memory *memory, const struct safetensors *file,
                               const char *path, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *cluster;
    TRY(open_set(&memory->known, file, "memory.known", MEMORY_QUESTION_BITS, path, error));
    uint64_t count[1] = {memory->known.count};
    TRY(safetensors_require(file, "memory.cluster", SAFETENSORS_U32, 1, count, &cluster, error));
    TRY(open_set(&memory->apart, file, "memory.apart", memory_apart_bits(memory->known.count), path,
                 error));
    memory->cluster = cluster->data;
done:
    return status;
}
