/* The encoder in a model file: writes what bert_open read from a folder, and reads it again. The
 * reader validates everything, because a model file may come from anywhere. */
#include "bert/bert_parts.h"
#include "base/jsonfile.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { VOCABULARY_TENSORS = 2 };
static const char *const vocabulary_names[VOCABULARY_TENSORS] = {"bert.vocabulary.bytes",
                                                                 "bert.vocabulary.lengths"};

static const char *const pooling_names[] = {"mean", "cls", "max"};
static const char *const activation_names[] = {"gelu", "gelu_new", "relu"};

/* ---- Writing ---- */

/* Uses the names of config.json, so that reading validates it like a folder's. */
static json_t *config_object(const struct bert_config *c)
{
    json_t *object = json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:s}", "model_type",
        c->distil ? "distilbert" : "bert", "vocab_size", (json_int_t)c->vocabulary,
        c->distil ? "dim" : "hidden_size", (json_int_t)c->hidden,
        c->distil ? "hidden_dim" : "intermediate_size", (json_int_t)c->inner,
        c->distil ? "n_layers" : "num_hidden_layers", (json_int_t)c->layers,
        c->distil ? "n_heads" : "num_attention_heads", (json_int_t)c->heads,
        "max_position_embeddings", (json_int_t)c->positions, "layer_norm_eps", (double)c->epsilon,
        c->distil ? "activation" : "hidden_act", activation_names[c->activation]);
    if (!c->distil) jsonfile_put(object, "type_vocab_size", json_integer((json_int_t)c->types));
    return object;
}

static json_t *tokenizer_object(const struct wordpiece *wordpiece)
{
    const struct wordpiece_rules *rules = &wordpiece->rules;
    json_t *special = json_array();
    for (size_t i = 0; i < wordpiece->special_count; i++)
        jsonfile_append(special, json_integer(wordpiece->special[i]));
    return json_pack("{s:b, s:b, s:b, s:b, s:I, s:s, s:I, s:I, s:I, s:o}", "clean", rules->clean,
                     "space_cjk", rules->space_cjk, "strip_accents", rules->strip_accents,
                     "lowercase", rules->lowercase, "longest_word", (json_int_t)rules->longest_word,
                     "prefix", rules->prefix, "unknown", (json_int_t)wordpiece->unknown, "first",
                     (json_int_t)wordpiece->first, "last", (json_int_t)wordpiece->last, "special",
                     special);
}

film_status bert_settings(const struct bert *bert, int rounded, char **json, film_error *error)
{
    json_t *object =
        json_pack("{s:o, s:o, s:s, s:b, s:I, s:b}", "config", config_object(&bert->config),
                  "tokenizer", tokenizer_object(&bert->wordpiece), "pooling",
                  pooling_names[bert->pool.pooling], "normalise", bert->pool.normalise,
                  "most_tokens", (json_int_t)bert->pool.most_tokens, "rounded", rounded);
    film_status status = jsonfile_dump(object, JSON_COMPACT | JSON_REAL_PRECISION(17), json, error);
    json_decref(object);
    return status;
}

size_t bert_tensor_count(const struct bert *bert)
{
    return VOCABULARY_TENSORS + bert->weights.tensor_count;
}

film_status bert_tensors(const struct bert *bert, struct safetensors_tensor *out, uint8_t **lengths,
                         film_error *error)
{
    const struct strtab *table = &bert->wordpiece.vocabulary;
    uint64_t size;
    film_status status = strtab_lengths(table, lengths, &size, error);
    if (status != FILM_OK) return status;
    const void *data[VOCABULARY_TENSORS] = {table->bytes, *lengths};
    uint64_t count[VOCABULARY_TENSORS] = {table->offsets[table->count], size};
    for (int i = 0; i < VOCABULARY_TENSORS; i++)
        out[i] = (struct safetensors_tensor){.name = vocabulary_names[i],
                                             .type = SAFETENSORS_U8,
                                             .dims = 1,
                                             .shape = {count[i]},
                                             .data = data[i]};
    memcpy(out + VOCABULARY_TENSORS, bert->weights.tensors,
           bert->weights.tensor_count * sizeof *out);
    return FILM_OK;
}

/* ---- Reading: everything is validated ---- */

static film_status read_config(const json_t *root, const char *name, struct bert_config *config,
                               film_error *error)
{
    const json_t *given = json_object_get(root, "config");
    if (!given) return status_set(error, FILM_BAD_INPUT, "%s: \"config\" is missing", name);
    char *text = json_dumps(given, JSON_COMPACT | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
    if (!text) return status_no_memory(error);
    film_status status = bert_config_parse(text, strlen(text), name, config, error);
    jsonfile_free_text(text);
    return status;
}

static film_status read_vocabulary(const struct safetensors *file, const char *name,
                                   struct strtab *table, film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *tensor[VOCABULARY_TENSORS];
    const uint64_t any[1] = {SAFETENSORS_ANY};
    for (int i = 0; i < VOCABULARY_TENSORS; i++)
        TRY(safetensors_require(file, vocabulary_names[i], SAFETENSORS_U8, 1, any, &tensor[i],
                                error));
    TRY(strtab_open(table, safetensors_text(tensor[0]), safetensors_text(tensor[1]), name, error));
done:
    return status;
}

/* Reads the id of a token; it must be in the vocabulary. */
static film_status read_id(const json_t *value, const struct wordpiece *wordpiece, const char *name,
                           uint32_t *id, film_error *error)
{
    double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= 0 && number < wordpiece->vocabulary.count))
        return status_set(error, FILM_BAD_INPUT, "%s: the id of a special token is out of range",
                          name);
    *id = (uint32_t)number;
    if (strtab_get(&wordpiece->vocabulary, *id).length == 0)
        return status_set(error, FILM_BAD_INPUT, "%s: a special token is empty", name);
    return FILM_OK;
}

static film_status read_special(const json_t *tokens, const char *name, struct wordpiece *wordpiece,
                                film_error *error)
{
    film_status status = FILM_OK;
    const json_t *list = json_object_get(tokens, "special");
    size_t count = json_array_size(list);
    TRY(read_id(json_object_get(tokens, "unknown"), wordpiece, name, &wordpiece->unknown, error));
    TRY(read_id(json_object_get(tokens, "first"), wordpiece, name, &wordpiece->first, error));
    TRY(read_id(json_object_get(tokens, "last"), wordpiece, name, &wordpiece->last, error));
    TRY_ALLOC(wordpiece->special = mem_array(count, sizeof *wordpiece->special), error);
    wordpiece->special_capacity = count;
    for (size_t i = 0; i < count; i++, wordpiece->special_count++)
        TRY(read_id(json_array_get(list, i), wordpiece, name, &wordpiece->special[i], error));
    for (uint32_t i = 0; i < wordpiece->vocabulary.count; i++) {
        size_t length = strtab_get(&wordpiece->vocabulary, i).length;
        if (length > wordpiece->longest_piece) wordpiece->longest_piece = length;
    }
done:
    return status;
}

static film_status read_stored_tokenizer(const json_t *tokens, const char *name,
                                         struct wordpiece *wordpiece, film_error *error)
{
    film_status status = FILM_OK;
    struct wordpiece_rules *rules = &wordpiece->rules;
    const char *prefix = "";
    TRY(bert_json_flag(tokens, "clean", name, &rules->clean, error));
    TRY(bert_json_flag(tokens, "space_cjk", name, &rules->space_cjk, error));
    TRY(bert_json_flag(tokens, "strip_accents", name, &rules->strip_accents, error));
    TRY(bert_json_flag(tokens, "lowercase", name, &rules->lowercase, error));
    TRY(bert_json_size(tokens, "longest_word", (struct bert_limits){1, 1 << 20, 0}, name,
                       &rules->longest_word, error));
    TRY(bert_json_text(tokens, "prefix", name, &prefix, error));
    if (strlen(prefix) > WORDPIECE_MOST_PREFIX)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: \"prefix\" is longer than %d bytes", name,
                       WORDPIECE_MOST_PREFIX));
    strcpy(rules->prefix, prefix);
    TRY(read_special(tokens, name, wordpiece, error));
done:
    return status;
}

static film_status read_pooling(const json_t *root, const char *name, struct bert *bert,
                                film_error *error)
{
    film_status status = FILM_OK;
    const char *pooling = "";
    size_t known = sizeof pooling_names / sizeof *pooling_names, chosen = 0;
    TRY(bert_json_text(root, "pooling", name, &pooling, error));
    while (chosen < known && strcmp(pooling, pooling_names[chosen]) != 0) chosen++;
    if (chosen == known)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: \"pooling\" is not mean, cls or max", name));
    bert->pool.pooling = (enum bert_pooling)chosen;
    TRY(bert_json_flag(root, "normalise", name, &bert->pool.normalise, error));
    TRY(bert_json_size(root, "most_tokens", (struct bert_limits){3, bert->config.positions, 0},
                       name, &bert->pool.most_tokens, error));
done:
    return status;
}

film_status bert_from_file(struct safetensors *file, const char *settings, const char *name,
                           struct bert **out, film_error *error)
{
    film_status status = FILM_OK;
    json_t *root = NULL;
    int rounded = 0;
    *out = NULL;
    struct bert *bert = mem_zeroed(1, sizeof *bert);
    TRY_ALLOC(bert, error);
    TRY(jsonfile_parse(settings, strlen(settings), name, &root, error));
    TRY(read_config(root, name, &bert->config, error));
    TRY(read_pooling(root, name, bert, error));
    TRY(read_vocabulary(file, name, &bert->wordpiece.vocabulary, error));
    if (bert->wordpiece.vocabulary.count > bert->config.vocabulary)
        TRY(status_set(error, FILM_BAD_INPUT, "%s: %u tokens, but \"vocab_size\" is %zu", name,
                       bert->wordpiece.vocabulary.count, bert->config.vocabulary));
    TRY(read_stored_tokenizer(json_object_get(root, "tokenizer"), name, &bert->wordpiece, error));
    TRY(bert_take_weights(file, 1, name, &bert->config, &bert->weights, error));
    bert->fingerprint = bert_hash(bert);
    TRY(bert_json_flag(root, "rounded", name, &rounded, error));
    TRY(bert_round(bert, rounded, error));
    *out = bert;
done:
    json_decref(root);
    if (status != FILM_OK) bert_free(bert);
    return status;
}
