/* Writes the tensors of the decision to a model file, and checks them when it is opened. The
 * numbers of the decision that are not tensors are in settings.c. */
#include "model/decision_file.h"
#include "model/packed.h"

#include <stdio.h>

/* ---- Saving ---- */

static void add_tensor(struct safetensors_tensor *tensors, size_t *count, const char *name,
                       enum safetensors_type type, const void *data, uint64_t rows,
                       uint64_t columns)
{
    tensors[(*count)++] = (struct safetensors_tensor){.name = name,
                                                      .type = type,
                                                      .dims = columns ? 2 : 1,
                                                      .shape = {rows, columns},
                                                      .data = data};
}

static void place_table(struct safetensors_tensor *tensors, size_t *count, const char *keys,
                        const char *numbers, const struct keytab *table)
{
    add_tensor(tensors, count, keys, SAFETENSORS_U64, table->keys, table->slot_mask + 1, 0);
    add_tensor(tensors, count, numbers, SAFETENSORS_U32, table->number, table->slot_mask + 1, 0);
}

static void add_trees(struct safetensors_tensor *tensors, size_t *count, const struct trees *trees)
{
    add_tensor(tensors, count, "trees.feature", SAFETENSORS_I32, trees->feature, TREE_SPLITS,
               trees->count);
    add_tensor(tensors, count, "trees.cut", SAFETENSORS_F32, trees->cut, TREE_SPLITS, trees->count);
    add_tensor(tensors, count, "trees.leaf", SAFETENSORS_F32, trees->leaf, TREE_LEAVES,
               trees->count);
    add_tensor(tensors, count, "trees.cover", SAFETENSORS_F32, trees->cover, TREE_LEAVES,
               trees->count);
}

size_t decision_tensors(const struct decision *decision, struct safetensors_tensor *tensors)
{
    size_t count = 0;
    const struct evidence *evidence = &decision->evidence;
    const struct memory *memory = &decision->memory;
    if (!decision->full) return 0;
    add_tensor(tensors, &count, "line", SAFETENSORS_F32, decision->line.weight, LINEAR_ROWS,
               decision->line.count);
    add_trees(tensors, &count, &decision->trees);
    if (!evidence->feature) return count; /* packed: packed_file.c places the others */
    add_tensor(tensors, &count, "evidence.feature", SAFETENSORS_F32, evidence->feature,
               evidence->features, 2);
    add_tensor(tensors, &count, "evidence.keys", SAFETENSORS_U64, evidence->items.keys,
               evidence->items.slot_mask + 1, 0);
    add_tensor(tensors, &count, "evidence.item", SAFETENSORS_F32, evidence->item,
               evidence->items.slot_mask + 1, 0);
    if (!memory->questions.keys) return count;
    add_tensor(tensors, &count, "memory.cluster", SAFETENSORS_U32, memory->cluster,
               memory->questions.count, 0);
    place_table(tensors, &count, "memory.keys", "memory.numbers", &memory->questions);
    place_table(tensors, &count, "memory.different.keys", "memory.different.numbers",
                &memory->different);
    return count;
}

/* ---- Opening: everything is checked ---- */

struct tensor_shape {
    size_t dims; /* 1 or 2 */
    uint64_t size[2];
};

static film_status open_floats(const struct safetensors *file, const char *name,
                               struct tensor_shape shape, const struct safetensors_tensor **tensor,
                               film_error *error)
{
    return safetensors_require(file, name, SAFETENSORS_F32, shape.dims, shape.size, tensor, error);
}

static uint64_t count_keys(const struct safetensors_tensor *keys)
{
    const uint64_t *key = keys->data;
    uint64_t count = 0;
    for (uint64_t i = 0; i < keys->shape[0]; i++) count += key[i] != 0;
    return count;
}

/* NUMBERS_NAME NULL: a table whose values are stored by slot. */
static film_status open_table(struct keytab *table, const struct safetensors *file,
                              const char *keys_name, const char *numbers_name, const char *path,
                              film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *keys, *numbers = NULL;
    const uint64_t any[1] = {SAFETENSORS_ANY};
    char where[300];
    TRY(safetensors_require(file, keys_name, SAFETENSORS_U64, 1, any, &keys, error));
    if (numbers_name)
        TRY(safetensors_require(file, numbers_name, SAFETENSORS_U32, 1, keys->shape, &numbers,
                                error));
    snprintf(where, sizeof where, "%.200s: %s", path, keys_name);
    TRY(keytab_map(table, keys->data, numbers ? numbers->data : NULL, keys->shape[0],
                   count_keys(keys), where, error));
done:
    return status;
}

static film_status open_evidence(struct decision *decision, const struct safetensors *file,
                                 const char *path, film_error *error)
{
    film_status status = FILM_OK;
    struct evidence *evidence = &decision->evidence;
    const struct safetensors_tensor *feature, *item;
    evidence->features = features_count(decision->encoder->features);
    TRY(open_floats(file, "evidence.feature", (struct tensor_shape){2, {evidence->features, 2}},
                    &feature, error));
    TRY(open_table(&evidence->items, file, "evidence.keys", NULL, path, error));
    TRY(open_floats(file, "evidence.item",
                    (struct tensor_shape){1, {evidence->items.slot_mask + 1, 0}}, &item, error));
    evidence->feature = feature->data;
    evidence->item = item->data;
done:
    return status;
}

static film_status open_trees(struct decision *decision, const struct safetensors *file,
                              const struct trait_columns *columns, const char *path,
                              film_error *error)
{
    film_status status = FILM_OK;
    struct trees *trees = &decision->trees;
    const struct safetensors_tensor *feature, *cut, *leaf, *cover;
    uint64_t shape[2] = {TREE_SPLITS, SAFETENSORS_ANY};
    char where[300];
    TRY(safetensors_require(file, "trees.feature", SAFETENSORS_I32, 2, shape, &feature, error));
    uint64_t count = feature->shape[1];
    TRY(open_floats(file, "trees.cut", (struct tensor_shape){2, {TREE_SPLITS, count}}, &cut,
                    error));
    TRY(open_floats(file, "trees.leaf", (struct tensor_shape){2, {TREE_LEAVES, count}}, &leaf,
                    error));
    TRY(open_floats(file, "trees.cover", (struct tensor_shape){2, {TREE_LEAVES, count}}, &cover,
                    error));
    *trees = (struct trees){.count = (size_t)count,
                            .feature = feature->data,
                            .cut = cut->data,
                            .leaf = leaf->data,
                            .cover = cover->data};
    snprintf(where, sizeof where, "%.200s: trees", path);
    TRY(trees_check(trees, columns->count, where, error));
    TRY(trait_columns_trees(columns, trees, path, error));
    TRY(decision_prepare(decision, error));
done:
    return status;
}

static film_status open_memory(struct memory *memory, const struct safetensors *file,
                               const char *path, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *cluster;
    const uint64_t any[1] = {SAFETENSORS_ANY};
    TRY(safetensors_require(file, "memory.cluster", SAFETENSORS_U32, 1, any, &cluster, error));
    TRY(open_table(&memory->questions, file, "memory.keys", "memory.numbers", path, error));
    if (memory->questions.count != cluster->shape[0])
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: memory: %u keys, but %llu clusters; the file is damaged", path,
                       memory->questions.count, (unsigned long long)cluster->shape[0]));
    TRY(open_table(&memory->different, file, "memory.different.keys", "memory.different.numbers",
                   path, error));
    memory->cluster = cluster->data;
done:
    return status;
}

film_status decision_open(struct decision *decision, const struct safetensors *file,
                          const struct trait_columns *columns, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *line;
    if (!decision->full) return FILM_OK;
    TRY(open_floats(file, "line", (struct tensor_shape){2, {LINEAR_ROWS, columns->count}}, &line,
                    error));
    TRY(trait_columns_line(columns, line->data, &decision->line, path, error));
    int packed = safetensors_find(file, "evidence.feature_scale") != NULL;
    TRY((packed ? packed_open_evidence : open_evidence)(decision, file, path, error));
    TRY(open_trees(decision, file, columns, path, error));
    if (safetensors_find(file, "memory.cluster") || safetensors_find(file, "memory.keys") ||
        safetensors_find(file, "memory.known.rest"))
        TRY((packed ? packed_open_memory : open_memory)(&decision->memory, file, path, error));
done:
    return status;
}
