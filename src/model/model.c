/* An immutable model: opened from a mapped file or from bytes, checked, saved, freed. It neither
 * learns nor predicts. */
#include "model/model.h"
#include "base/compressed.h"
#include "base/file.h"
#include "base/mem.h"
#include "model/decision_file.h"
#include "model/known_matches_file.h"
#include "model/parent.h"
#include "model/settings.h"
#include "text/filetype.h"
#include "text/relations_file.h"

#include <stdio.h>
#include <string.h>

#define FORMAT "film"
#define FORMAT_VERSION "4"

void model_free(film_model *model)
{
    if (!model) return;
    decision_free(&model->decision);
    examples_free(&model->examples);
    classifier_free(&model->classifier);
    features_free(&model->features);
    relations_free(&model->relations);
    record_fields_free(&model->fields);
    mem_free(model->own_map);
    mem_free(model->own_codes);
    mem_free(model->own_scales);
    mem_free(model->own_sigma);
    network_free(model->network); /* before the file, whose memory it may use */
    mem_free(model->own_network_map);
    mem_free(model->figures);
    mem_free(model->edits);
    mem_free(model->seconds);
    model_free(model->parent); /* its bytes may be in the file */
    mem_free_aligned(model->own_parent);
    safetensors_close(model->file);
    mem_free_aligned(model->expanded);
    mem_free(model);
}

/* ---- Opening ---- */

/* The strings of one feature group: NAME.bytes, NAME.lengths. */
static film_status open_group(film_model *model, int group, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *bytes, *lengths;
    const uint64_t any[1] = {SAFETENSORS_ANY};
    struct strtab *table = &model->features.vocabulary[group];
    const char *prefix = group_name((enum group)group);
    char name[2][24], where[300];
    snprintf(name[0], sizeof name[0], "%s.bytes", prefix);
    snprintf(name[1], sizeof name[1], "%s.lengths", prefix);
    snprintf(where, sizeof where, "%.200s: %s", path, name[1]);
    TRY(safetensors_require(model->file, name[0], SAFETENSORS_U8, 1, any, &bytes, error));
    TRY(safetensors_require(model->file, name[1], SAFETENSORS_U8, 1, any, &lengths, error));
    TRY(strtab_open(table, safetensors_text(bytes), safetensors_text(lengths), where, error));
    TRY(strtab_quicken(table, error));
done:
    return status;
}

/* Opens the network: a BERT encoder and the map on top of it, or the black box. */
static film_status open_network(film_model *model, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *map;
    TRY(network_open(model->file, &model->features, path, &model->network, error));
    uint64_t shape[2] = {model->network->dim, SAFETENSORS_ANY};
    model->encoder.network = model->network;
    model->encoder.network_dim = model->network->dim;
    if (model->network->black_box) goto done;
    TRY(safetensors_require(model->file, "M", SAFETENSORS_F32, 2, shape, &map, error));
    if (map->shape[1] == 0) TRY(status_set(error, FILM_BAD_INPUT, "%s: map M is empty", path));
    model->encoder.network_map = map->data;
    model->encoder.network_dim = (size_t)map->shape[1];
done:
    return status;
}

static film_status open_map(film_model *model, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *codes, *scales;
    uint64_t shape[2] = {features_count(&model->features), SAFETENSORS_ANY};
    TRY(safetensors_require(model->file, "L", SAFETENSORS_I8, 2, shape, &codes, error));
    TRY(safetensors_require(model->file, "L.scale", SAFETENSORS_F32, 1, shape, &scales, error));
    if (codes->shape[1] == 0) TRY(status_set(error, FILM_BAD_INPUT, "%s: map L is empty", path));
    const float *scale = scales->data;
    for (uint64_t i = 0; i < shape[0]; i++)
        if (scale[i] < 0)
            TRY(status_set(error, FILM_BAD_INPUT,
                           "%s: L.scale: scale %llu is negative; the file is damaged", path,
                           (unsigned long long)i));
    model->encoder.map = (struct word_map){.codes = codes->data, .scales = scale};
    model->encoder.dim = (size_t)codes->shape[1];
done:
    return status;
}

static film_status open_arrays(film_model *model, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    struct features *features = &model->features;
    const struct safetensors_tensor *idf, *sigma;
    uint64_t total = 0;
    for (int g = 0; g < GROUPS; g++) {
        if (features->groups & GROUP_BIT(g)) TRY(open_group(model, g, path, error));
        total += features->vocabulary[g].count;
        if (total >= STRTAB_NONE)
            TRY(status_set(error, FILM_BAD_INPUT, "%s: too many features", path));
        features->first[g + 1] = (uint32_t)total;
    }
    TRY(safetensors_require(model->file, "idf", SAFETENSORS_F32, 1, &total, &idf, error));
    uint64_t any[1] = {SAFETENSORS_ANY};
    TRY(safetensors_require(model->file, "sigma", SAFETENSORS_F32, 1, any, &sigma, error));
    if (total == 0) TRY(status_set(error, FILM_BAD_INPUT, "%s: no features", path));
    features->idf = idf->data;
    model->sigma = sigma->data;
    model->rank = (size_t)sigma->shape[0];
    model->encoder.features = features; /* similarity comes from the settings */
    TRY(relations_from(model->file, path, &model->relations, error));
    if (model->relations.words.count) model->encoder.relations = &model->relations;
    TRY(lexicon_renew(features, model->encoder.relations, error));
    int network = safetensors_metadata(model->file, "bert") != NULL ||
                  safetensors_metadata(model->file, "deep") != NULL;
    if (network) TRY(open_network(model, path, error));
    /* A model of features alone has no map; next to a network, words need none. */
    if (strcmp(model->settings.method, "tfidf") == 0 ||
        (network && !safetensors_find(model->file, "L")))
        goto done;
    TRY(open_map(model, path, error));
    lexicon_set_map(features, &model->encoder.map, model->encoder.dim);
    model->encoder.weighs = network || strcmp(model->settings.method, "rank") == 0;
done:
    return status;
}

film_status model_set_arithmetic(film_model *model, film_arithmetic arithmetic, film_error *error)
{
    film_status status = FILM_OK;
    int encoders = 0;
    if (arithmetic > FILM_ARITHMETIC_INT8)
        return status_set(error, FILM_USAGE, "unknown arithmetic");
    if (arithmetic == FILM_ARITHMETIC_OWN) return FILM_OK;
    for (; model; model = model->parent) {
        struct network *network = model->network;
        if (!network || !network->arithmetic) continue;
        encoders++;
        TRY(network->interface->round(network, arithmetic == FILM_ARITHMETIC_INT8, error));
    }
    if (!encoders)
        TRY(status_set(error, FILM_USAGE,
                       "the model has no BERT encoder; leave out the choice of its arithmetic"));
done:
    return status;
}

/* Returns a metadata string that must exist. */
static film_status metadata(const film_model *model, const char *path, const char *key,
                            const char **value, film_error *error)
{
    *value = safetensors_metadata(model->file, key);
    return *value
               ? FILM_OK
               : status_set(error, FILM_BAD_INPUT,
                            "%s: metadata key \"%s\" is missing; the file is damaged", path, key);
}

/* Reads the contents of the opened file. PATH is for messages. */
static film_status read_model_file(film_model *model, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    const char *format, *version, *settings, *figures;
    format = safetensors_metadata(model->file, "format");
    if (!format || strcmp(format, FORMAT) != 0)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s is a safetensors file but not a FILM model; train a model first", path));
    TRY(metadata(model, path, "format_version", &version, error));
    if (strcmp(version, FORMAT_VERSION) != 0)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s has format version %.20s; this program reads version " FORMAT_VERSION
                       "; train the model again",
                       path, version));
    if (!safetensors_is_checked(model->file))
        TRY(status_set(error, FILM_BAD_INPUT, "%s: the checksums are missing; train again", path));
    TRY(safetensors_check_finite(model->file, path, error));
    TRY(metadata(model, path, "settings", &settings, error));
    TRY(metadata(model, path, "figures", &figures, error));
    TRY(settings_read(settings, path, model, error));
    TRY_ALLOC(model->figures = mem_string(figures, strlen(figures)), error);
    TRY(open_arrays(model, path, error));
    model->decision.encoder = &model->encoder;
    TRY(decision_open(&model->decision, model->file, path, error));
    TRY(known_matches_open(&model->decision.matches, model->file, path, error));
    TRY(parent_open(model, path, error));
    TRY(examples_open(&model->examples, model->file, path, error));
    TRY(classifier_open(&model->classifier, model->file, model->encoder.dim, path, error));
done:
    return status;
}

/* Replaces the message about a file that was never a model; STATUS stays. BYTES NULL: reads it. */
static film_status name_file(const char *path, const void *bytes, size_t size, film_status status,
                             film_error *error)
{
    enum { BEGINNING = 512 };
    char message[160];
    struct file_map map = {bytes, size};
    if (status != FILM_BAD_INPUT) return status;
    if (!bytes && file_map_open(path, &map, NULL) != FILM_OK) return status;
    film_text beginning = {(const char *)map.bytes, map.size < BEGINNING ? map.size : BEGINNING};
    int other = filetype_not_model(beginning, message, sizeof message);
    if (!bytes) file_map_close(&map);
    return other ? status_set(error, status, "%s: %s", path, message) : status;
}

enum { OPEN_PRIVATE = 1, OPEN_PARENT = 2 };

/* Opens a file, mapped or private, or (BYTES not NULL) one in memory. */
static film_status open_model_bytes(const char *path, const void *bytes, size_t size, int flags,
                                    film_model **out, film_error *error)
{
    film_status status = FILM_OK;
    *out = NULL;
    film_model *model = mem_zeroed(1, sizeof *model);
    TRY_ALLOC(model, error);
    int private = (flags & OPEN_PRIVATE) != 0;
    model->is_parent = (flags & OPEN_PARENT) != 0;
    if (bytes && !model->is_parent)
        TRY(compressed_expand(bytes, size, path, &model->expanded, &size, error));
    if (model->expanded) bytes = model->expanded;
    status = bytes ? safetensors_parse(bytes, size, path, &model->file, error)
                   : safetensors_map(path, private ? SAFETENSORS_PRIVATE : 0, &model->file, error);
    TRY(name_file(path, bytes, size, status, error));
    TRY(read_model_file(model, path, error));
done:
    if (status != FILM_OK)
        model_free(model);
    else
        *out = model;
    return status;
}

film_status model_open(const char *path, int private, film_model **out, film_error *error)
{
    return open_model_bytes(path, NULL, 0, private ? OPEN_PRIVATE : 0, out, error);
}

film_status model_parse(const void *bytes, size_t size, const char *name, film_model **out,
                        film_error *error)
{
    return open_model_bytes(name, bytes, size, 0, out, error);
}

film_status model_parse_parent(const void *bytes, size_t size, const char *name, film_model **out,
                               film_error *error)
{
    return open_model_bytes(name, bytes, size, OPEN_PARENT, out, error);
}

/* ---- Saving ---- */

enum {
    OWN_TENSORS = 2 * GROUPS + 5 + DECISION_TENSORS + EXAMPLES_TENSORS + CLASSIFIER_TENSORS +
                  KNOWN_MATCHES_TENSORS + RELATIONS_TENSORS + PARENT_TENSORS
};
/* The tensors of a file, and arrays that exist only while they are written. */
struct layout {
    struct safetensors_tensor *tensors; /* OWN_TENSORS, and those of a network */
    char names[2 * GROUPS][24];
    size_t count;
    uint8_t *lengths[GROUPS], *relation_lengths, *class_items;
    struct decision_arrays decision;
};

static void layout_free(struct layout *layout)
{
    for (int g = 0; g < GROUPS; g++) mem_free(layout->lengths[g]);
    mem_free(layout->relation_lengths);
    mem_free(layout->class_items);
    decision_arrays_free(&layout->decision);
    mem_free(layout->tensors);
}

static void layout_add(struct layout *layout, const char *name, enum safetensors_type type,
                       const void *data, size_t dims, uint64_t rows, uint64_t columns)
{
    layout->tensors[layout->count++] = (struct safetensors_tensor){
        .name = name, .type = type, .dims = dims, .shape = {rows, columns}, .data = data};
}

static film_status place_group(struct layout *layout, int group, const struct strtab *table,
                               film_error *error)
{
    char(*name)[24] = &layout->names[2 * group];
    const char *prefix = group_name((enum group)group);
    uint64_t size;
    film_status status = strtab_lengths(table, &layout->lengths[group], &size, error);
    if (status != FILM_OK) return status;
    snprintf(name[0], 24, "%s.bytes", prefix);
    snprintf(name[1], 24, "%s.lengths", prefix);
    layout_add(layout, name[0], SAFETENSORS_U8, table->bytes, 1, table->offsets[table->count], 0);
    layout_add(layout, name[1], SAFETENSORS_U8, layout->lengths[group], 1, size, 0);
    return FILM_OK;
}

/* Places the map on top of the network, then the network itself. */
static void place_network(struct layout *layout, const film_model *model,
                          const struct network_file *network)
{
    if (!model->network->black_box)
        layout_add(layout, "M", SAFETENSORS_F32, model->encoder.network_map, 2, model->network->dim,
                   model->encoder.network_dim);
    memcpy(layout->tensors + layout->count, network->tensors,
           network->count * sizeof *network->tensors);
    layout->count += network->count;
}

static film_status place_tensors(const film_model *model, struct layout *layout, film_error *error)
{
    film_status status = FILM_OK;
    const struct features *features = &model->features;
    const struct word_map *map = &model->encoder.map;
    size_t count = features_count(features);
    if (map->codes) {
        layout_add(layout, "L", SAFETENSORS_I8, map->codes, 2, count, model->encoder.dim);
        layout_add(layout, "L.scale", SAFETENSORS_F32, map->scales, 1, count, 0);
    }
    layout_add(layout, "idf", SAFETENSORS_F32, features->idf, 1, count, 0);
    layout_add(layout, "sigma", SAFETENSORS_F32, model->sigma, 1, model->rank, 0);
    for (int g = 0; g < GROUPS; g++)
        if (features->groups & GROUP_BIT(g))
            TRY(place_group(layout, g, &features->vocabulary[g], error));
    TRY(relations_tensors(&model->relations, &layout->relation_lengths, layout->tensors,
                          &layout->count, error));
    TRY(decision_tensors(&model->decision, &layout->decision, layout->tensors, &layout->count,
                         error));
    layout->count +=
        known_matches_tensors(&model->decision.matches, layout->tensors + layout->count);
    layout->count += examples_tensors(&model->examples, layout->tensors + layout->count);
    TRY(classifier_tensors(&model->classifier, &layout->class_items, layout->tensors,
                           &layout->count, error));
    layout->count += parent_tensors(model, layout->tensors + layout->count);
done:
    return status;
}

film_status model_save(const film_model *model, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    struct network_file network = {.tensors = NULL};
    struct layout layout = {.count = 0};
    char *settings = NULL;
    if (model->network) TRY(model->network->interface->save(model->network, &network, error));
    TRY_ALLOC(layout.tensors = mem_array(OWN_TENSORS + network.count, sizeof *layout.tensors),
              error);
    TRY(settings_write(model, &settings, error));
    TRY(place_tensors(model, &layout, error));
    if (model->network) place_network(&layout, model, &network);
    const char *keys[6] = {"format", "format_version", "settings", "figures"};
    const char *values[6] = {FORMAT, FORMAT_VERSION, settings, model->figures};
    size_t entries = 4;
    if (network.bert) keys[entries] = "bert", values[entries++] = network.bert;
    if (network.deep) keys[entries] = "deep", values[entries++] = network.deep;
    TRY(safetensors_write(path, layout.tensors, layout.count, keys, values, entries, error));
done:
    layout_free(&layout);
    network_file_free(&network);
    mem_free(settings);
    return status;
}
