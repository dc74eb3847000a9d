/* Reads a folder's weights (model.safetensors or its shards) as floats in the network's layout.
 * Every shape is checked before memory is allocated, so the sizes of the files bound it. */
#include "bert/bert_parts.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FILES = 1000, NAME_ROOM = 160, LANES = 16, BLOCK = 16 };
/* ---- Files ---- */

struct tensor_source {
    const char *name; /* for messages */
    struct safetensors *file[MOST_FILES];
    size_t count;
    int borrowed;       /* the caller owns the file */
    const char *prefix; /* of every tensor's name */
};

static void close_source(struct tensor_source *source)
{
    for (size_t i = 0; source && !source->borrowed && i < source->count; i++)
        safetensors_close(source->file[i]);
    mem_free(source);
}

static const struct safetensors_tensor *find(const struct tensor_source *source, const char *name)
{
    char full[NAME_ROOM];
    snprintf(full, sizeof full, "%s%s", source->prefix, name);
    for (size_t i = 0; i < source->count; i++) {
        const struct safetensors_tensor *tensor = safetensors_find(source->file[i], full);
        if (tensor) return tensor;
    }
    return NULL;
}

static film_status open_part(const char *folder, const char *file, struct tensor_source *source,
                             film_error *error)
{
    char path[PATH_MAX];
    film_status status = bert_path(folder, file, path, error);
    if (status == FILM_OK) status = safetensors_open(path, &source->file[source->count], error);
    if (status == FILM_OK) source->count++;
    return status;
}

/* Opens each file that the index names. Tensors are searched for in all of them. */
static film_status open_parts(const char *folder, const char *index, struct tensor_source *source,
                              film_error *error)
{
    film_status status = FILM_OK;
    json_t *root = NULL, *value;
    struct strtab seen = {0};
    const char *key;
    TRY(strtab_init(&seen, error));
    TRY(jsonfile_read(index, &root, error));
    json_t *map = json_object_get(root, "weight_map");
    if (json_object_size(map) == 0)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: \"weight_map\" is missing or empty", index));
    json_object_foreach(map, key, value)
    {
        const char *file = json_string_value(value);
        uint32_t id, before = seen.count;
        if (!file || !*file || strchr(file, '/'))
            TRY(status_set(error, FILM_BAD_INPUT, "%s: tensor %.100s: invalid file name", index,
                           key));
        TRY(strtab_add(&seen, file, strlen(file), &id, error));
        if (id < before) continue;
        if (source->count == MOST_FILES)
            TRY(status_set(error, FILM_BAD_INPUT, "%s: more than %d files are not supported", index,
                           MOST_FILES));
        TRY(open_part(folder, file, source, error));
    }
done:
    strtab_free(&seen);
    json_decref(root);
    return status;
}

static film_status open_tensors(const char *folder, struct tensor_source *source, film_error *error)
{
    film_status status = FILM_OK;
    char path[PATH_MAX];
    TRY(bert_path(folder, "model.safetensors", path, error));
    if (bert_exists(path)) return open_part(folder, "model.safetensors", source, error);
    TRY(bert_path(folder, "model.safetensors.index.json", path, error));
    if (bert_exists(path)) return open_parts(folder, path, source, error);
    TRY(bert_path(folder, "pytorch_model.bin", path, error));
    status = status_set(
        error, FILM_IO, "%s has neither model.safetensors nor model.safetensors.index.json%s",
        folder,
        bert_exists(path) ? "; save it again with save_pretrained(folder, safe_serialization=True)"
                          : "");
done:
    return status;
}

/* ---- One tensor ---- */

/* Two passes over the same list of tensors: the first checks that each exists and counts the
 * floats, the second copies them. */
struct loader {
    const struct tensor_source *source;
    float *block; /* NULL in the first pass */
    size_t used;
    struct bert_weights *out;
};

static float from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Moves exponent and fraction to their positions in a float. The exponent bias differs by 112; a
 * multiplication corrects that, also for subnormal numbers. */
static float half_to_float(uint16_t bits)
{
    enum { LARGEST_EXPONENT = 0x7C00 };
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, rest = bits & 0x7FFFu;
    if (rest >= LARGEST_EXPONENT) return from_bits(sign | 0x7F800000u | (rest & 1023) << 13);
    float value = from_bits(rest << 13) * 0x1p112f;
    return sign ? -value : value;
}

static float element(const struct safetensors_tensor *tensor, size_t at)
{
    if (tensor->type == SAFETENSORS_F32) return ((const float *)tensor->data)[at];
    uint16_t bits = ((const uint16_t *)tensor->data)[at];
    if (tensor->type == SAFETENSORS_F16) return half_to_float(bits);
    return from_bits((uint32_t)bits << 16);
}

static film_status not_finite(const struct loader *loader, const char *name, film_error *error)
{
    return status_set(error, FILM_BAD_INPUT, "%s: tensor %s%s has a value that is not finite",
                      loader->source->name, loader->source->prefix, name);
}

/* TO[column * stride + row] = the tensor, in blocks: column by column, every value would be in a
 * different cache line. */
static int copy_transposed(const struct safetensors_tensor *tensor, size_t rows, size_t columns,
                           float *to, size_t stride)
{
    int finite = 1;
    for (size_t r = 0; r < rows; r += BLOCK)
        for (size_t c = 0; c < columns; c += BLOCK)
            for (size_t j = c; j < columns && j < c + BLOCK; j++)
                for (size_t i = r; i < rows && i < r + BLOCK; i++) {
                    float value = element(tensor, i * columns + j);
                    finite &= isfinite(value) != 0;
                    to[j * stride + i] = value;
                }
    return finite;
}

static int copy_to(const struct safetensors_tensor *tensor, size_t count, float *to)
{
    int finite = 1;
    for (size_t i = 0; i < count; i++) {
        to[i] = element(tensor, i);
        finite &= isfinite(to[i]) != 0;
    }
    return finite;
}

/* Records the tensor under its name in a model file. */
static film_status note_tensor(struct bert_weights *out, const char *name,
                               const struct safetensors_tensor *tensor, film_error *error)
{
    char full[NAME_ROOM + 8];
    int length = snprintf(full, sizeof full, "bert.%s", name);
    void *tensors = out->tensors;
    if (!mem_grow(&tensors, &out->tensor_capacity, out->tensor_count + 1, sizeof *out->tensors))
        return status_no_memory(error);
    out->tensors = tensors;
    struct safetensors_tensor *kept = &out->tensors[out->tensor_count];
    *kept = *tensor;
    if (!(kept->name = mem_string(full, (size_t)length))) return status_no_memory(error);
    out->tensor_count++;
    return FILM_OK;
}

/* Finds tensor NAME and checks its shape (ROWS 0: a vector). OTHER: its name in older files. */
static film_status look_up(const struct loader *loader, const char *name, const char *other,
                           size_t rows, size_t columns, const struct safetensors_tensor **out,
                           film_error *error)
{
    const struct tensor_source *source = loader->source;
    const struct safetensors_tensor *tensor = find(source, name);
    if (!tensor && other) tensor = find(source, other);
    *out = tensor;
    if (!tensor)
        return status_set(error, FILM_BAD_INPUT, "%s: tensor %s%s is missing", source->name,
                          source->prefix, name);
    if (tensor->type != SAFETENSORS_F32 && tensor->type != SAFETENSORS_F16 &&
        tensor->type != SAFETENSORS_BF16)
        return status_set(error, FILM_BAD_INPUT,
                          "%s: tensor %s%s has type %s; supported: F32, F16, BF16", source->name,
                          source->prefix, name, safetensors_type_name(tensor->type));
    size_t dims = rows ? 2 : 1;
    if (tensor->dims == dims && tensor->shape[0] == (rows ? rows : columns) &&
        (dims == 1 || tensor->shape[1] == columns))
        return loader->block ? FILM_OK : note_tensor(loader->out, name, tensor, error);
    char is[64] = "";
    for (size_t i = 0, at = 0; i < tensor->dims && at < 40; i++)
        at += (size_t)snprintf(is + at, sizeof is - at, "%s%llu", i ? " x " : "",
                               (unsigned long long)tensor->shape[i]);
    char wanted[64];
    if (rows)
        snprintf(wanted, sizeof wanted, "%zu x %zu", rows, columns);
    else
        snprintf(wanted, sizeof wanted, "%zu", columns);
    return status_set(error, FILM_BAD_INPUT,
                      "%s: tensor %s%s should be %s (config.json), but is %s", source->name,
                      source->prefix, name, wanted, tensor->dims ? is : "a single value");
}

/* Reserves COUNT floats of the block, from the start of a cache line. */
static void reserve_tensor(struct loader *loader, size_t count, float **where)
{
    *where = loader->block ? loader->block + loader->used : NULL;
    loader->used += (count + LANES - 1) / LANES * LANES;
}

static film_status take_vector(struct loader *loader, const char *name, const char *other,
                               size_t count, float **where, film_error *error)
{
    const struct safetensors_tensor *tensor;
    film_status status = look_up(loader, name, other, 0, count, &tensor, error);
    if (status != FILM_OK) return status;
    reserve_tensor(loader, count, where);
    if (*where && !copy_to(tensor, count, *where)) return not_finite(loader, name, error);
    return FILM_OK;
}

/* Copies the first USED of ROWS rows. */
static film_status take_matrix(struct loader *loader, const char *name, size_t rows, size_t columns,
                               size_t used, float **where, film_error *error)
{
    const struct safetensors_tensor *tensor;
    film_status status = look_up(loader, name, NULL, rows, columns, &tensor, error);
    if (status != FILM_OK) return status;
    reserve_tensor(loader, used * columns, where);
    if (*where && !copy_to(tensor, used * columns, *where)) return not_finite(loader, name, error);
    return FILM_OK;
}

/* ---- The network's tensors ---- */

enum part { QUERY, KEY, VALUE, MIX, NORM, UP, DOWN, LAST_NORM, PARTS };
static const char *const part_names[2][PARTS] = {
    {"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
     "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm"},
    {"attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin", "sa_layer_norm",
     "ffn.lin1", "ffn.lin2", "output_layer_norm"}};

static void part_name(char name[NAME_ROOM], const struct bert_config *config, size_t layer,
                      enum part part, const char *what)
{
    snprintf(name, NAME_ROOM, "%s.layer.%zu.%s.%s", config->distil ? "transformer" : "encoder",
             layer, part_names[config->distil][part], what);
}

/* Transposes a matrix of the file (OUT x IN) into a matrix with STRIDE columns, from column COLUMN
 * on. */
static film_status fill_matrix(const struct loader *loader, const char *name, size_t outputs,
                               size_t inputs, float *to, size_t stride, film_error *error)
{
    const struct safetensors_tensor *tensor;
    film_status status = look_up(loader, name, NULL, outputs, inputs, &tensor, error);
    if (status != FILM_OK || !to) return status;
    if (!copy_transposed(tensor, outputs, inputs, to, stride))
        return not_finite(loader, name, error);
    return FILM_OK;
}

static film_status take_norm(struct loader *loader, const char *name, size_t count, float **weight,
                             float **bias, film_error *error)
{
    char names[4][NAME_ROOM];
    static const char *const what[4] = {"weight", "gamma", "bias", "beta"};
    for (int i = 0; i < 4; i++) snprintf(names[i], NAME_ROOM, "%.100s.%s", name, what[i]);
    film_status status = take_vector(loader, names[0], names[1], count, weight, error);
    if (status == FILM_OK) status = take_vector(loader, names[2], names[3], count, bias, error);
    return status;
}

static film_status take_part_norm(struct loader *loader, const struct bert_config *config,
                                  size_t layer, enum part part, float **weight, float **bias,
                                  film_error *error)
{
    char name[NAME_ROOM];
    part_name(name, config, layer, part, "");
    name[strlen(name) - 1] = '\0'; /* remove the final dot */
    return take_norm(loader, name, config->hidden, weight, bias, error);
}

struct dense_part { /* a matrix with its bias */
    enum part part;
    size_t outputs, inputs;
};

static film_status take_dense(struct loader *loader, const struct bert_config *config, size_t layer,
                              struct dense_part part, float **matrix, float **bias,
                              film_error *error)
{
    char name[NAME_ROOM];
    part_name(name, config, layer, part.part, "weight");
    reserve_tensor(loader, part.outputs * part.inputs, matrix);
    film_status status =
        fill_matrix(loader, name, part.outputs, part.inputs, *matrix, part.outputs, error);
    if (status != FILM_OK) return status;
    part_name(name, config, layer, part.part, "bias");
    return take_vector(loader, name, NULL, part.outputs, bias, error);
}

static film_status take_qkv(struct loader *loader, const struct bert_config *config, size_t layer,
                            float **qkv, float *biases[3], film_error *error)
{
    char name[NAME_ROOM];
    size_t hidden = config->hidden;
    reserve_tensor(loader, 3 * hidden * hidden, qkv);
    for (int i = 0; i < 3; i++) {
        enum part part = (enum part)(QUERY + i);
        part_name(name, config, layer, part, "weight");
        film_status status =
            fill_matrix(loader, name, hidden, hidden, *qkv ? *qkv + (size_t)i * hidden : NULL,
                        3 * hidden, error);
        if (status != FILM_OK) return status;
        part_name(name, config, layer, part, "bias");
        status = take_vector(loader, name, NULL, hidden, &biases[i], error);
        if (status != FILM_OK) return status;
    }
    return FILM_OK;
}

/* Attention weights sum to 1, so the bias b of the values passes through the attention unchanged
 * and is a constant after the next matrix: mix_bias += mix' b. */
static void fold_value_bias(const struct bert_layer *layer, const float *value_bias, size_t hidden)
{
    for (size_t o = 0; o < hidden; o++) {
        double sum = (double)layer->mix_bias[o];
        for (size_t i = 0; i < hidden; i++)
            sum += (double)layer->mix[i * hidden + o] * (double)value_bias[i];
        layer->mix_bias[o] = (float)sum;
    }
}

static film_status take_layer(struct loader *loader, const struct bert_config *config, size_t i,
                              struct bert_layer *layer, film_error *error)
{
    film_status status = FILM_OK;
    size_t hidden = config->hidden, inner = config->inner;
    float *bias[3];
    TRY(take_qkv(loader, config, i, &layer->qkv, bias, error));
    layer->query_bias = bias[0];
    TRY(take_dense(loader, config, i, (struct dense_part){MIX, hidden, hidden}, &layer->mix,
                   &layer->mix_bias, error));
    if (loader->block) fold_value_bias(layer, bias[2], hidden);
    TRY(take_part_norm(loader, config, i, NORM, &layer->norm, &layer->norm_bias, error));
    TRY(take_dense(loader, config, i, (struct dense_part){UP, inner, hidden}, &layer->up,
                   &layer->up_bias, error));
    TRY(take_dense(loader, config, i, (struct dense_part){DOWN, hidden, inner}, &layer->down,
                   &layer->down_bias, error));
    TRY(take_part_norm(loader, config, i, LAST_NORM, &layer->last_norm, &layer->last_norm_bias,
                       error));
done:
    return status;
}

static film_status take_tensors(struct loader *loader, const struct bert_config *config,
                                struct bert_weights *out, film_error *error)
{
    film_status status = FILM_OK;
    size_t hidden = config->hidden;
    float *type = NULL;
    TRY(take_matrix(loader, "embeddings.word_embeddings.weight", config->vocabulary, hidden,
                    config->vocabulary, &out->words, error));
    TRY(take_matrix(loader, "embeddings.position_embeddings.weight", config->positions, hidden,
                    config->positions, &out->positions, error));
    if (config->types)
        TRY(take_matrix(loader, "embeddings.token_type_embeddings.weight", config->types, hidden, 1,
                        &type, error));
    TRY(take_norm(loader, "embeddings.LayerNorm", hidden, &out->norm, &out->norm_bias, error));
    for (size_t i = 0; i < config->layers; i++)
        TRY(take_layer(loader, config, i, &out->layers[i], error));
    if (type) /* all tokens of a single sentence have the first type */
        for (size_t p = 0; p < config->positions * hidden; p++)
            out->positions[p] += type[p % hidden];
done:
    return status;
}

/* ---- The folder ---- */

/* Finds the prefix before "embeddings": a folder saved with a head has the name of its network
 * there. */
static film_status find_prefix(struct tensor_source *source, film_error *error)
{
    static const char *const prefixes[] = {"", "bert.", "distilbert."};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        source->prefix = prefixes[i];
        if (find(source, "embeddings.word_embeddings.weight")) return FILM_OK;
    }
    return status_set(error, FILM_BAD_INPUT,
                      "%s: tensor embeddings.word_embeddings.weight is missing, with or without "
                      "the prefix bert. or distilbert.",
                      source->name);
}

static film_status load_weights(struct tensor_source *source, const struct bert_config *config,
                                struct bert_weights *out, film_error *error)
{
    film_status status = FILM_OK;
    struct loader loader = {source, NULL, 0, out};
    out->source = source;
    TRY(find_prefix(source, error));
    TRY_ALLOC(out->layers = mem_zeroed(config->layers, sizeof *out->layers), error);
    TRY(take_tensors(&loader, config, out, error));
    out->count = loader.used;
    TRY_ALLOC(loader.block = out->block = mem_aligned(out->count, sizeof *out->block), error);
    mem_large_pages(out->block, out->count * sizeof *out->block);
    /* including the padding of cache lines */
    memset(out->block, 0, out->count * sizeof *out->block);
    loader.used = 0;
    TRY(take_tensors(&loader, config, out, error));
done:
    return status;
}

film_status bert_read_weights(const char *folder, const struct bert_config *config,
                              struct bert_weights *out, film_error *error)
{
    memset(out, 0, sizeof *out);
    struct tensor_source *source = mem_zeroed(1, sizeof *source);
    if (!source) return status_no_memory(error);
    source->name = folder;
    film_status status = open_tensors(folder, source, error);
    if (status == FILM_OK) return load_weights(source, config, out, error);
    close_source(source);
    return status;
}

film_status bert_take_weights(struct safetensors *file, int borrowed, const char *name,
                              const struct bert_config *config, struct bert_weights *out,
                              film_error *error)
{
    memset(out, 0, sizeof *out);
    struct tensor_source *source = mem_zeroed(1, sizeof *source);
    if (!source && !borrowed) safetensors_close(file);
    if (!source) return status_no_memory(error);
    *source =
        (struct tensor_source){.name = name, .file = {file}, .count = 1, .borrowed = borrowed};
    return load_weights(source, config, out, error);
}

film_status bert_parse_weights(const void *bytes, size_t size, const char *name,
                               const struct bert_config *config, struct bert_weights *out,
                               film_error *error)
{
    struct safetensors *file = NULL;
    memset(out, 0, sizeof *out);
    film_status status = safetensors_parse(bytes, size, name, &file, error);
    return status == FILM_OK ? bert_take_weights(file, 0, name, config, out, error) : status;
}

void bert_weights_free(struct bert_weights *weights, const struct bert_config *config)
{
    bert_weights_forget_rounded(weights, config);
    for (size_t i = 0; i < weights->tensor_count; i++) mem_free((char *)weights->tensors[i].name);
    mem_free(weights->tensors);
    close_source(weights->source);
    mem_free(weights->layers);
    mem_free_aligned(weights->block);
    memset(weights, 0, sizeof *weights);
}
