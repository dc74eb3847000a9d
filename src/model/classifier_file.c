/* The tensors of the classifier: written to a model file, and checked when it is opened. Its
 * numbers are in settings.c. */
#include "base/utf8.h"
#include "model/classifier.h"

#include <stdio.h>

/* ---- Saving ---- */

static void place_class_tensor(struct safetensors_tensor *tensors, size_t *count, const char *name,
                               enum safetensors_type type, const void *data, uint64_t rows,
                               uint64_t columns)
{
    tensors[(*count)++] = (struct safetensors_tensor){.name = name,
                                                      .type = type,
                                                      .dims = columns ? 2 : 1,
                                                      .shape = {rows, columns},
                                                      .data = data};
}

film_status classifier_tensors(const struct classifier *classifier, uint8_t **keys,
                               struct safetensors_tensor *tensors, size_t *count, film_error *error)
{
    uint64_t size;
    const struct strtab *categories = &classifier->categories, *texts = &classifier->texts;
    const struct keytab *items = &classifier->items;
    *keys = NULL;
    if (!categories->count) return FILM_OK;
    film_status status = keytab_write(items, keys, &size, NULL, error);
    if (status != FILM_OK) return status;
    place_class_tensor(tensors, count, "class.names", SAFETENSORS_U8, categories->bytes,
                       categories->offsets[categories->count], 0);
    place_class_tensor(tensors, count, "class.name_offsets", SAFETENSORS_U64, categories->offsets,
                       categories->count + 1u, 0);
    place_class_tensor(tensors, count, "class.texts", SAFETENSORS_U8, texts->bytes,
                       texts->offsets[texts->count], 0);
    place_class_tensor(tensors, count, "class.text_offsets", SAFETENSORS_U64, texts->offsets,
                       texts->count + 1u, 0);
    place_class_tensor(tensors, count, "class.category", SAFETENSORS_U32, classifier->category,
                       texts->count, 0);
    if (classifier->dim) {
        place_class_tensor(tensors, count, "class.vectors", SAFETENSORS_I8, classifier->code,
                           texts->count, classifier->dim);
        place_class_tensor(tensors, count, "class.vector_scale", SAFETENSORS_F32,
                           classifier->code_scale, texts->count, 0);
    }
    place_class_tensor(tensors, count, "class.items", SAFETENSORS_U8, *keys, size, 0);
    place_class_tensor(tensors, count, "class.idf", SAFETENSORS_F32, classifier->idf, items->count,
                       0);
    place_class_tensor(tensors, count, "class.weight", SAFETENSORS_I8, classifier->weight,
                       items->count, categories->count);
    place_class_tensor(tensors, count, "class.weight_scale", SAFETENSORS_F32,
                       classifier->weight_scale, items->count, 0);
    return FILM_OK;
}

/* ---- Opening ---- */

/* Makes a table without slots over the tensors BYTES and OFFSETS: it lists strings and finds
 * none. */
static film_status open_strings(const struct safetensors *file, const char *path,
                                const char *const names[2], struct strtab *out, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *bytes, *offsets;
    const uint64_t any[1] = {SAFETENSORS_ANY};
    char where[300];
    size_t bad;
    snprintf(where, sizeof where, "%.200s: %s", path, names[1]);
    TRY(safetensors_require(file, names[0], SAFETENSORS_U8, 1, any, &bytes, error));
    TRY(safetensors_require(file, names[1], SAFETENSORS_U64, 1, any, &offsets, error));
    uint64_t count = offsets->shape[0];
    const uint64_t *offset = offsets->data;
    if (count < 2 || count > UINT32_MAX || offset[0] != 0 || offset[count - 1] != bytes->bytes)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: invalid offsets; the file is damaged", where));
    for (uint64_t i = 0; i + 1 < count; i++)
        if (offset[i] > offset[i + 1] || !utf8_valid((const char *)bytes->data + offset[i],
                                                     (size_t)(offset[i + 1] - offset[i]), &bad))
            TRY(status_set(error, FILM_BAD_INPUT, "%s: string %llu is invalid; the file is damaged",
                           where, (unsigned long long)i));
    *out = (struct strtab){.count = (uint32_t)(count - 1), .bytes = bytes->data, .offsets = offset};
done:
    return status;
}

/* The factors of a file are far below this: products of them stay finite. */
#define MOST_FACTOR 1e6f

static film_status check_factors(const struct safetensors_tensor *tensor, const char *path,
                                 film_error *error)
{
    const float *value = tensor->data;
    for (uint64_t i = 0; i < tensor->shape[0]; i++)
        if (!(value[i] >= 0 && value[i] < MOST_FACTOR))
            return status_set(error, FILM_BAD_INPUT, "%s: %s: value %llu is out of range", path,
                              tensor->name, (unsigned long long)i);
    return FILM_OK;
}

/* Factors, one per item or example. */
static film_status open_floats(const struct safetensors *file, const char *path, const char *name,
                               uint64_t count, const float **out, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *tensor;
    TRY(safetensors_require(file, name, SAFETENSORS_F32, 1, &count, &tensor, error));
    TRY(check_factors(tensor, path, error));
    *out = tensor->data;
done:
    return status;
}

static film_status open_examples(struct classifier *classifier, const struct safetensors *file,
                                 size_t dim, const char *path, film_error *error)
{
    static const char *const names[2] = {"class.texts", "class.text_offsets"};
    film_status status = FILM_OK;
    const struct safetensors_tensor *category, *code;
    TRY(open_strings(file, path, names, &classifier->texts, error));
    uint64_t count[1] = {classifier->texts.count}, shape[2] = {count[0], dim};
    TRY(safetensors_require(file, "class.category", SAFETENSORS_U32, 1, count, &category, error));
    classifier->category = category->data;
    for (uint64_t i = 0; i < count[0]; i++)
        if (classifier->category[i] >= classifier->categories.count)
            TRY(status_set(error, FILM_BAD_INPUT,
                           "%s: class.category: example %llu has an unknown category; the file is "
                           "damaged",
                           path, (unsigned long long)i));
    if (!dim) goto done;
    TRY(safetensors_require(file, "class.vectors", SAFETENSORS_I8, 2, shape, &code, error));
    TRY(open_floats(file, path, "class.vector_scale", count[0], &classifier->code_scale, error));
    classifier->code = code->data;
    classifier->dim = dim;
done:
    return status;
}

static film_status open_items(struct classifier *classifier, const struct safetensors *file,
                              const char *path, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *keys, *weight;
    uint64_t any[1] = {SAFETENSORS_ANY}, shape[2] = {SAFETENSORS_ANY, classifier->categories.count};
    char where[300];
    snprintf(where, sizeof where, "%.200s: class.items", path);
    TRY(safetensors_require(file, "class.items", SAFETENSORS_U8, 1, any, &keys, error));
    TRY(safetensors_require(file, "class.weight", SAFETENSORS_I8, 2, shape, &weight, error));
    uint64_t count = weight->shape[0];
    TRY(keytab_open(&classifier->items, safetensors_text(keys), count, where, error));
    TRY(open_floats(file, path, "class.idf", count, &classifier->idf, error));
    TRY(open_floats(file, path, "class.weight_scale", count, &classifier->weight_scale, error));
    classifier->weight = weight->data;
done:
    return status;
}

film_status classifier_open(struct classifier *classifier, const struct safetensors *file,
                            size_t dim, const char *path, film_error *error)
{
    static const char *const names[2] = {"class.names", "class.name_offsets"};
    film_status status = FILM_OK;
    if (!safetensors_find(file, names[0])) return FILM_OK;
    TRY(open_strings(file, path, names, &classifier->categories, error));
    TRY(open_examples(classifier, file, dim, path, error));
    TRY(open_items(classifier, file, path, error));
done:
    return status;
}
