/* Writes the tensors of the decision to a model file, and checks them when it is opened. The
 * numbers of the decision that are not tensors are in decision_settings.c. */
#include "model/decision_file.h"
#include "base/mem.h"

#include <stdio.h>

/* ---- Saving ---- */

struct tensor_list {
    struct safetensors_tensor *tensors;
    size_t *count;
};

static void add_tensor(const struct tensor_list *list, const char *name, enum safetensors_type type,
                       const void *data, uint64_t rows, uint64_t columns)
{
    list->tensors[(*list->count)++] = (struct safetensors_tensor){.name = name,
                                                                  .type = type,
                                                                  .dims = columns ? 2 : 1,
                                                                  .shape = {rows, columns},
                                                                  .data = data};
}

static void add_trees(const struct tensor_list *list, const struct trees *trees)
{
    add_tensor(list, "trees.feature", SAFETENSORS_I32, trees->feature, TREE_SPLITS, trees->count);
    add_tensor(list, "trees.cut", SAFETENSORS_F32, trees->cut, TREE_SPLITS, trees->count);
    add_tensor(list, "trees.leaf", SAFETENSORS_F32, trees->leaf, TREE_LEAVES, trees->count);
    add_tensor(list, "trees.cover", SAFETENSORS_F32, trees->cover, TREE_LEAVES, trees->count);
}

static const char *const item_names[ITEM_SETS][2] = {
    {"evidence.words", "evidence.words.weight"}, {"evidence.phrases", "evidence.phrases.weight"}};

static void add_evidence(const struct tensor_list *list, const struct evidence *evidence)
{
    const struct item_table *table = &evidence->table;
    add_tensor(list, "evidence.feature", SAFETENSORS_I8, evidence->feature_code, evidence->features,
               2);
    add_tensor(list, "evidence.feature_scale", SAFETENSORS_F32, evidence->feature_scale, 2, 0);
    add_tensor(list, "evidence.scale", SAFETENSORS_F32, table->scale, ITEM_KINDS, 0);
    for (int s = 0; s < ITEM_SETS; s++) {
        const struct item_list *items = &table->list[s];
        add_tensor(list, item_names[s][0], SAFETENSORS_U8, items->numbers, items->bytes, 0);
        add_tensor(list, item_names[s][1], SAFETENSORS_I8, items->weight, items->count, 0);
    }
    if (!evidence->edited_count) return;
    add_tensor(list, "evidence.edited_keys", SAFETENSORS_U64, evidence->edited_key,
               evidence->edited_count, 0);
    add_tensor(list, "evidence.edited", SAFETENSORS_F32, evidence->edited, evidence->edited_count,
               0);
}

void decision_arrays_free(struct decision_arrays *arrays)
{
    mem_free(arrays->questions);
    mem_free(arrays->apart);
    mem_free(arrays->cluster);
}

static film_status add_memory(const struct tensor_list *list, const struct memory *memory,
                              struct decision_arrays *arrays, film_error *error)
{
    film_status status = FILM_OK;
    uint32_t count = memory->questions.count;
    uint64_t questions, apart;
    TRY_ALLOC(arrays->cluster = mem_array(count, sizeof *arrays->cluster), error);
    TRY(keytab_write(&memory->questions, &arrays->questions, &questions, arrays->cluster, error));
    for (uint32_t i = 0; i < count; i++) arrays->cluster[i] = memory->cluster[arrays->cluster[i]];
    TRY(keytab_write(&memory->different, &arrays->apart, &apart, NULL, error));
    add_tensor(list, "memory.questions", SAFETENSORS_U8, arrays->questions, questions, 0);
    add_tensor(list, "memory.cluster", SAFETENSORS_U32, arrays->cluster, count, 0);
    add_tensor(list, "memory.apart", SAFETENSORS_U8, arrays->apart, apart, 0);
done:
    return status;
}

film_status decision_tensors(const struct decision *decision, struct decision_arrays *arrays,
                             struct safetensors_tensor *tensors, size_t *count, film_error *error)
{
    const struct tensor_list list = {tensors, count};
    *arrays = (struct decision_arrays){NULL, NULL, NULL};
    if (!decision->full) return FILM_OK;
    add_tensor(&list, "line", SAFETENSORS_F32, decision->line.weight, LINEAR_ROWS,
               decision->line.count);
    add_trees(&list, &decision->trees);
    add_evidence(&list, &decision->evidence);
    return memory_exists(&decision->memory) ? add_memory(&list, &decision->memory, arrays, error)
                                            : FILM_OK;
}

/* ---- Opening: everything is checked ---- */

static film_status need(const struct safetensors *file, const char *name,
                        enum safetensors_type type, uint64_t rows, uint64_t columns,
                        const struct safetensors_tensor **tensor, film_error *error)
{
    uint64_t shape[2] = {rows, columns};
    return safetensors_require(file, name, type, columns ? 2 : 1, shape, tensor, error);
}

static film_status open_line(struct decision *decision, const struct safetensors *file,
                             film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *line;
    size_t traits = traits_total(decision->encoder->fields);
    TRY(need(file, "line", SAFETENSORS_F32, LINEAR_ROWS, traits, &line, error));
    linear_map(&decision->line, line->data, traits);
done:
    return status;
}

static film_status open_evidence(struct decision *decision, const struct safetensors *file,
                                 const char *path, film_error *error)
{
    film_status status = FILM_OK;
    struct evidence *evidence = &decision->evidence;
    struct item_table *table = &evidence->table;
    const struct features *features = decision->encoder->features;
    const struct safetensors_tensor *feature, *scales, *scale, *numbers, *weight;
    evidence->features = features_count(features);
    TRY(need(file, "evidence.feature", SAFETENSORS_I8, evidence->features, 2, &feature, error));
    TRY(need(file, "evidence.feature_scale", SAFETENSORS_F32, 2, 0, &scales, error));
    TRY(need(file, "evidence.scale", SAFETENSORS_F32, ITEM_KINDS, 0, &scale, error));
    evidence->feature_code = feature->data;
    evidence->feature_scale = scales->data;
    table->scale = scale->data;
    table->words = features->first[GROUP_WORD + 1];
    for (int s = 0; s < ITEM_SETS; s++) {
        TRY(need(file, item_names[s][0], SAFETENSORS_U8, SAFETENSORS_ANY, 0, &numbers, error));
        TRY(need(file, item_names[s][1], SAFETENSORS_I8, SAFETENSORS_ANY, 0, &weight, error));
        table->list[s] = (struct item_list){.numbers = numbers->data,
                                            .bytes = (size_t)numbers->bytes,
                                            .weight = weight->data,
                                            .count = (size_t)weight->shape[0]};
    }
    TRY(item_table_open(table, path, error));
done:
    return status;
}

/* Opens the weights that the user set. Their keys must ascend: they are searched by halving. */
static film_status open_edited(struct evidence *evidence, const struct safetensors *file,
                               const char *path, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *keys, *weights;
    if (!safetensors_find(file, "evidence.edited_keys")) return FILM_OK;
    TRY(need(file, "evidence.edited_keys", SAFETENSORS_U64, SAFETENSORS_ANY, 0, &keys, error));
    TRY(need(file, "evidence.edited", SAFETENSORS_F32, keys->shape[0], 0, &weights, error));
    const uint64_t *key = keys->data;
    for (uint64_t i = 1; i < keys->shape[0]; i++)
        if (key[i] <= key[i - 1])
            TRY(status_set(error, FILM_BAD_INPUT,
                           "%s: evidence.edited_keys do not ascend; the file is damaged", path));
    evidence->edited_key = key;
    evidence->edited = weights->data;
    evidence->edited_count = (size_t)keys->shape[0];
done:
    return status;
}

static film_status open_trees(struct decision *decision, const struct safetensors *file,
                              const char *path, film_error *error)
{
    film_status status = FILM_OK;
    struct trees *trees = &decision->trees;
    const struct safetensors_tensor *feature, *cut, *leaf, *cover;
    char where[300];
    TRY(need(file, "trees.feature", SAFETENSORS_I32, TREE_SPLITS, SAFETENSORS_ANY, &feature,
             error));
    uint64_t count = feature->shape[1];
    TRY(need(file, "trees.cut", SAFETENSORS_F32, TREE_SPLITS, count, &cut, error));
    TRY(need(file, "trees.leaf", SAFETENSORS_F32, TREE_LEAVES, count, &leaf, error));
    TRY(need(file, "trees.cover", SAFETENSORS_F32, TREE_LEAVES, count, &cover, error));
    *trees = (struct trees){.count = (size_t)count,
                            .feature = feature->data,
                            .cut = cut->data,
                            .leaf = leaf->data,
                            .cover = cover->data};
    snprintf(where, sizeof where, "%.200s: trees", path);
    TRY(trees_check(trees, traits_total(decision->encoder->fields), where, error));
    TRY(decision_prepare(decision, error));
done:
    return status;
}

static film_status open_memory(struct memory *memory, const struct safetensors *file,
                               const char *path, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *questions, *cluster, *apart;
    char where[300];
    TRY(need(file, "memory.questions", SAFETENSORS_U8, SAFETENSORS_ANY, 0, &questions, error));
    TRY(need(file, "memory.cluster", SAFETENSORS_U32, SAFETENSORS_ANY, 0, &cluster, error));
    TRY(need(file, "memory.apart", SAFETENSORS_U8, SAFETENSORS_ANY, 0, &apart, error));
    snprintf(where, sizeof where, "%.200s: memory.questions", path);
    TRY(keytab_open(&memory->questions, safetensors_text(questions), cluster->shape[0], where,
                    error));
    snprintf(where, sizeof where, "%.200s: memory.apart", path);
    TRY(keytab_open(&memory->different, safetensors_text(apart), KEYTAB_ANY, where, error));
    memory->cluster = cluster->data;
done:
    return status;
}

film_status decision_open(struct decision *decision, const struct safetensors *file,
                          const char *path, film_error *error)
{
    film_status status = FILM_OK;
    if (!decision->full) return FILM_OK;
    TRY(open_line(decision, file, error));
    TRY(open_evidence(decision, file, path, error));
    TRY(open_edited(&decision->evidence, file, path, error));
    TRY(open_trees(decision, file, path, error));
    if (safetensors_find(file, "memory.questions") || safetensors_find(file, "memory.cluster"))
        TRY(open_memory(&decision->memory, file, path, error));
done:
    return status;
}
