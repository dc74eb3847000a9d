/* Reads the architecture and settings of an encoder folder: config.json, modules.json and the
 * limits on sentence length. Unsupported settings are errors, never ignored. */
#include "bert/bert_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Limits far above any published encoder; products of values below them fit into 64 bits. */
enum {
    MOST_WORDS = 1 << 24,
    MOST_WIDTH = 1 << 16,
    MOST_LAYERS = 1 << 10,
    MOST_POSITIONS = 1 << 20,
    MOST_TYPES = 1 << 10
};

static film_status unsupported(const char *name, const char *key, const char *value,
                               const char *known, film_error *error)
{
    char shown[64];
    size_t length = 0;
    for (; value[length] && length < sizeof shown - 1; length++)
        shown[length] = (unsigned char)value[length] < 0x20 ? '?' : value[length];
    shown[length] = '\0';
    return status_set(error, FILM_BAD_INPUT, "%s: \"%s\" is \"%s\"; supported: %s", name, key,
                      shown, known);
}

/* ---- config.json ---- */

static film_status read_activation(const json_t *root, const char *key, const char *name,
                                   enum bert_activation *out, film_error *error)
{
    static const struct {
        const char *name;
        enum bert_activation activation;
    } known[] = {{"gelu", BERT_GELU},
                 {"gelu_new", BERT_GELU_TANH},
                 {"gelu_fast", BERT_GELU_TANH},
                 {"gelu_pytorch_tanh", BERT_GELU_TANH},
                 {"relu", BERT_RELU}};
    const char *activation = "gelu";
    film_status status = bert_json_text(root, key, name, &activation, error);
    if (status != FILM_OK) return status;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(activation, known[i].name) == 0) {
            *out = known[i].activation;
            return FILM_OK;
        }
    return unsupported(name, key, activation, "gelu, gelu_new, gelu_fast, gelu_pytorch_tanh, relu",
                       error);
}

static film_status read_sizes(const json_t *root, const char *name, struct bert_config *config,
                              film_error *error)
{
    film_status status = FILM_OK;
    int distil = config->distil;
    const char *heads = distil ? "n_heads" : "num_attention_heads";
    TRY(bert_json_size(root, "vocab_size", (struct bert_limits){4, MOST_WORDS, 0}, name,
                       &config->vocabulary, error));
    TRY(bert_json_size(root, distil ? "dim" : "hidden_size", (struct bert_limits){1, MOST_WIDTH, 0},
                       name, &config->hidden, error));
    TRY(bert_json_size(root, distil ? "hidden_dim" : "intermediate_size",
                       (struct bert_limits){1, MOST_WIDTH, 0}, name, &config->inner, error));
    TRY(bert_json_size(root, distil ? "n_layers" : "num_hidden_layers",
                       (struct bert_limits){1, MOST_LAYERS, 0}, name, &config->layers, error));
    TRY(bert_json_size(root, heads, (struct bert_limits){1, MOST_WIDTH, 0}, name, &config->heads,
                       error));
    TRY(bert_json_size(root, "max_position_embeddings",
                       (struct bert_limits){3, MOST_POSITIONS, 512}, name, &config->positions,
                       error));
    if (!distil)
        TRY(bert_json_size(root, "type_vocab_size", (struct bert_limits){1, MOST_TYPES, 2}, name,
                           &config->types, error));
    if (config->hidden % config->heads)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: width %zu is not divisible by %zu heads (\"%s\")", name, config->hidden,
                       config->heads, heads));
done:
    return status;
}

static film_status read_kind(const json_t *root, const char *name, struct bert_config *config,
                             film_error *error)
{
    film_status status = FILM_OK;
    const char *type = NULL, *position = "absolute";
    int decoder = 0, crossed = 0;
    TRY(bert_json_text(root, "model_type", name, &type, error));
    if (!type) TRY(status_set(error, FILM_BAD_INPUT, "%s: \"model_type\" is missing", name));
    if (strcmp(type, "bert") != 0 && strcmp(type, "distilbert") != 0)
        TRY(unsupported(name, "model_type", type, "bert, distilbert", error));
    config->distil = strcmp(type, "distilbert") == 0;
    TRY(bert_json_text(root, "position_embedding_type", name, &position, error));
    if (strcmp(position, "absolute") != 0)
        TRY(unsupported(name, "position_embedding_type", position, "absolute", error));
    TRY(bert_json_flag(root, "is_decoder", name, &decoder, error));
    TRY(bert_json_flag(root, "add_cross_attention", name, &crossed, error));
    if (decoder || crossed)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: \"%s\" is true; only encoders are supported",
                       name, decoder ? "is_decoder" : "add_cross_attention"));
done:
    return status;
}

static film_status read_epsilon(const json_t *root, const char *name, float *out, film_error *error)
{
    const json_t *value = json_object_get(root, "layer_norm_eps");
    double epsilon = value ? json_number_value(value) : 1e-12;
    if ((value && !json_is_number(value)) || !(epsilon >= 0 && epsilon <= 1))
        return status_set(error, FILM_BAD_INPUT,
                          "%s: \"layer_norm_eps\" is not a number between 0 and 1", name);
    *out = (float)epsilon;
    return FILM_OK;
}

film_status bert_config_parse(const void *bytes, size_t size, const char *name,
                              struct bert_config *config, film_error *error)
{
    film_status status = FILM_OK;
    json_t *root = NULL;
    memset(config, 0, sizeof *config);
    TRY(jsonfile_parse(bytes, size, name, &root, error));
    if (!json_is_object(root))
        TRY(status_set(error, FILM_BAD_INPUT, "%s: not a JSON object", name));
    TRY(read_kind(root, name, config, error));
    TRY(read_sizes(root, name, config, error));
    TRY(read_epsilon(root, name, &config->epsilon, error));
    TRY(read_activation(root, config->distil ? "activation" : "hidden_act", name,
                        &config->activation, error));
done:
    json_decref(root);
    return status;
}

/* ---- sentence-transformers ---- */

static film_status read_pooling(const char *folder, struct bert_pool *pool, film_error *error)
{
    static const struct {
        const char *key;
        int pooling; /* -1: known but not supported */
    } modes[] = {
        {"pooling_mode_mean_tokens", BERT_MEAN},  {"pooling_mode_cls_token", BERT_CLS},
        {"pooling_mode_max_tokens", BERT_MAX},    {"pooling_mode_mean_sqrt_len_tokens", -1},
        {"pooling_mode_weightedmean_tokens", -1}, {"pooling_mode_lasttoken", -1}};
    film_status status = FILM_OK;
    json_t *root = NULL;
    char path[PATH_MAX];
    int chosen = 0;
    TRY(bert_path(folder, "config.json", path, error));
    TRY(jsonfile_read(path, &root, error));
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        int on = 0;
        TRY(bert_json_flag(root, modes[i].key, path, &on, error));
        if (!on) continue;
        if (modes[i].pooling < 0)
            TRY(unsupported(path, modes[i].key, "true", "mean, cls and max pooling", error));
        pool->pooling = (enum bert_pooling)modes[i].pooling;
        chosen++;
    }
    if (chosen != 1)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: %d pooling modes are enabled (pooling_mode_...); enable exactly one of "
                       "mean, cls and max",
                       path, chosen));
done:
    json_decref(root);
    return status;
}

/* Resolves a module's folder: a subfolder of FOLDER, or FOLDER itself (""). */
static film_status module_folder(const char *folder, const json_t *module, const char *name,
                                 char *out, film_error *error)
{
    const char *path = "";
    film_status status = bert_json_text(module, "path", name, &path, error);
    if (status != FILM_OK) return status;
    if (path[0] == '/' || strstr(path, ".."))
        return status_set(error, FILM_BAD_INPUT,
                          "%s: the path of a module is outside of the folder", name);
    if (*path) return bert_path(folder, path, out, error);
    snprintf(out, PATH_MAX, "%s", folder); /* fits: it was a path before */
    return FILM_OK;
}

/* Reads one module; its kind is the last component of a type such as
 * sentence_transformers.models.Pooling. */
static film_status read_module(const char *folder, const json_t *module, size_t place,
                               const char *name, struct bert_pool *pool, char *inner,
                               film_error *error)
{
    static const char *const kinds[] = {"Transformer", "Pooling", "Normalize"};
    film_status status = FILM_OK;
    const char *type = "";
    char path[PATH_MAX];
    TRY(bert_json_text(module, "type", name, &type, error));
    const char *kind = strrchr(type, '.') ? strrchr(type, '.') + 1 : type;
    if (place >= 3 || strcmp(kind, kinds[place]) != 0)
        TRY(status_set(
            error, FILM_BAD_INPUT,
            "%s: module %zu is %.60s; supported: Transformer, Pooling, Normalize, in this order",
            name, place, *kind ? kind : "without a type"));
    TRY(module_folder(folder, module, name, path, error));
    if (place == 0) memcpy(inner, path, sizeof path);
    if (place == 1) TRY(read_pooling(path, pool, error));
    if (place == 2) pool->normalise = 1;
done:
    return status;
}

film_status bert_read_modules(const char *folder, struct bert_pool *pool, char *inner,
                              film_error *error)
{
    film_status status = FILM_OK;
    json_t *root = NULL;
    char path[PATH_MAX];
    *pool = (struct bert_pool){BERT_MEAN, 0, 0, 0};
    TRY(bert_path(folder, "modules.json", path, error)); /* longer than the folder's name alone */
    snprintf(inner, PATH_MAX, "%s", folder);
    if (!bert_exists(path)) goto done;
    TRY(jsonfile_read(path, &root, error));
    if (!json_is_array(root) || json_array_size(root) == 0)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: not a list of modules", path));
    for (size_t i = 0; i < json_array_size(root); i++)
        TRY(read_module(folder, json_array_get(root, i), i, path, pool, inner, error));
done:
    json_decref(root);
    return status;
}

/* ---- Limits ---- */

/* Reads the limit KEY from file NAME, if both exist. A limit beyond the network's POSITIONS is
 * ignored: folders state 512 for networks with fewer, and 1e30 for "no limit". */
static film_status read_limit(const char *folder, const char *name, const char *key,
                              size_t positions, struct bert_pool *pool, film_error *error)
{
    film_status status = FILM_OK;
    json_t *root = NULL;
    char path[PATH_MAX];
    TRY(bert_path(folder, name, path, error));
    if (!bert_exists(path)) goto done;
    TRY(jsonfile_read(path, &root, error));
    const json_t *value = json_object_get(root, key);
    if (value && !json_is_null(value)) {
        double limit = json_number_value(value);
        if (!json_is_number(value) || limit < 3 || limit != floor(limit))
            TRY(status_set(error, FILM_BAD_INPUT, "%s: \"%s\" is not a whole number of at least 3",
                           path, key));
        pool->most_tokens = limit < (double)positions ? (size_t)limit : positions;
    }
    if (strcmp(key, "max_seq_length") == 0)
        TRY(bert_json_flag(root, "do_lower_case", path, &pool->lowercase, error));
done:
    json_decref(root);
    return status;
}

film_status bert_read_limits(const char *folder, const struct bert_config *config,
                             struct bert_pool *pool, film_error *error)
{
    size_t positions = pool->most_tokens = config->positions;
    film_status status =
        read_limit(folder, "tokenizer_config.json", "model_max_length", positions, pool, error);
    if (status == FILM_OK) /* sentence-transformers' setting takes precedence */
        status = read_limit(folder, "sentence_bert_config.json", "max_seq_length", positions, pool,
                            error);
    return status;
}
