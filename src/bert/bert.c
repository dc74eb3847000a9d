/* Opens a BERT encoder from a Hugging Face folder, describes it and frees it. bert_config,
 * bert_tokenizer and bert_weights read the files; bert_forward computes. */
#include "bert/bert_parts.h"
#include "base/jsonfile.h"
#include "base/checksum.h"
#include "base/file.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const pooling_names[] = {"mean", "cls", "max"};
static const char *const activation_names[] = {"gelu", "gelu_tanh", "relu"};

/* ---- Opening ---- */

static film_status read_config(const char *folder, struct bert_config *config, film_error *error)
{
    film_status status = FILM_OK;
    struct file_map map = {(const unsigned char *)"", 0};
    char path[PATH_MAX];
    TRY(bert_path(folder, "config.json", path, error));
    TRY(file_map_open(path, &map, error));
    TRY(bert_config_parse(map.bytes, map.size, path, config, error));
done:
    file_map_close(&map);
    return status;
}

static uint64_t add_hash(uint64_t hash, const void *bytes, size_t count)
{
    uint64_t parts[3] = {hash, count, checksum_bytes(bytes, count)};
    return checksum_bytes(parts, sizeof parts);
}

/* Hashes the values, not the files: weights in half precision and the same weights in float give
 * the same vectors. */
uint64_t bert_hash(const struct bert *bert)
{
    const struct bert_config *c = &bert->config;
    const struct wordpiece *w = &bert->wordpiece;
    const uint64_t numbers[] = {c->vocabulary,
                                c->hidden,
                                c->inner,
                                c->layers,
                                c->heads,
                                c->positions,
                                (uint64_t)c->activation,
                                (uint64_t)bert->pool.pooling,
                                (uint64_t)bert->pool.normalise,
                                bert->pool.most_tokens,
                                (uint64_t)w->rules.clean,
                                (uint64_t)w->rules.space_cjk,
                                (uint64_t)w->rules.strip_accents,
                                (uint64_t)w->rules.lowercase,
                                w->rules.longest_word,
                                w->unknown,
                                w->first,
                                w->last};
    uint64_t hash = add_hash(0, numbers, sizeof numbers);
    hash = add_hash(hash, &c->epsilon, sizeof c->epsilon);
    hash = add_hash(hash, w->rules.prefix, strlen(w->rules.prefix));
    hash = add_hash(hash, w->special, w->special_count * sizeof *w->special);
    hash = add_hash(hash, w->vocabulary.bytes, w->vocabulary.offsets[w->vocabulary.count]);
    hash = add_hash(hash, w->vocabulary.offsets,
                    (w->vocabulary.count + (size_t)1) * sizeof *w->vocabulary.offsets);
    return add_hash(hash, bert->weights.block, bert->weights.count * sizeof(float));
}

film_status bert_open(const char *folder, struct bert **out, film_error *error)
{
    film_status status = FILM_OK;
    struct stat about;
    char inner[PATH_MAX];
    *out = NULL;
    struct bert *bert = mem_zeroed(1, sizeof *bert);
    TRY_ALLOC(bert, error);
    if (stat(folder, &about) != 0) TRY(status_errno(error, "cannot open %s", folder));
    if (!S_ISDIR(about.st_mode)) TRY(status_set(error, FILM_IO, "%s is not a folder", folder));
    TRY(bert_read_modules(folder, &bert->pool, inner, error));
    TRY(read_config(inner, &bert->config, error));
    TRY(bert_read_limits(inner, &bert->config, &bert->pool, error));
    TRY(bert_read_tokenizer(inner, &bert->config, &bert->wordpiece, error));
    if (bert->pool.lowercase) bert->wordpiece.rules.lowercase = 1;
    TRY(bert_read_weights(inner, &bert->config, &bert->weights, error));
    bert->fingerprint = bert_hash(bert);
    *out = bert;
done:
    if (status != FILM_OK) bert_free(bert);
    return status;
}

/* ---- 8 bits ---- */

film_status bert_weights_round(struct bert_weights *weights, const struct bert_config *config,
                               film_error *error)
{
    film_status status = FILM_OK;
    size_t hidden = config->hidden, inner = config->inner;
    TRY_ALLOC(weights->int8 = mem_zeroed(config->layers, sizeof *weights->int8), error);
    for (size_t i = 0; i < config->layers; i++) {
        const struct bert_layer *layer = &weights->layers[i];
        struct bert_int8 *to = weights->int8[i]; /* one per matrix */
        TRY(bert_int8_init(&to[BERT_QKV], layer->qkv, hidden, 3 * hidden, error));
        TRY(bert_int8_init(&to[BERT_MIX], layer->mix, hidden, hidden, error));
        TRY(bert_int8_init(&to[BERT_UP], layer->up, hidden, inner, error));
        TRY(bert_int8_init(&to[BERT_DOWN], layer->down, inner, hidden, error));
    }
done:
    if (status != FILM_OK) bert_weights_forget_rounded(weights, config);
    return status;
}

void bert_weights_forget_rounded(struct bert_weights *weights, const struct bert_config *config)
{
    for (size_t i = 0; weights->int8 && i < config->layers; i++)
        for (int m = 0; m < BERT_MATRICES; m++) bert_int8_free(&weights->int8[i][m]);
    mem_free(weights->int8);
    weights->int8 = NULL;
}

film_status bert_round(struct bert *bert, int rounded, film_error *error)
{
    if (!rounded) bert_weights_forget_rounded(&bert->weights, &bert->config);
    if (!rounded || bert->weights.int8) return FILM_OK;
    return bert_weights_round(&bert->weights, &bert->config, error);
}

int bert_is_rounded(const struct bert *bert)
{
    return bert->weights.int8 != NULL;
}

const char *bert_arithmetic(const struct bert *bert)
{
    return bert_is_rounded(bert) ? "int8" : "float";
}

void bert_free(struct bert *bert)
{
    if (!bert) return;
    wordpiece_free(&bert->wordpiece);
    bert_weights_free(&bert->weights, &bert->config);
    mem_free(bert);
}

/* ---- Properties ---- */

size_t bert_dim(const struct bert *bert)
{
    return bert->config.hidden;
}

size_t bert_most_tokens(const struct bert *bert)
{
    return bert->pool.most_tokens;
}

uint64_t bert_fingerprint(const struct bert *bert)
{
    return bert->weights.int8 ? add_hash(bert->fingerprint, "int8", 4) : bert->fingerprint;
}

film_status bert_describe(const struct bert *bert, char **json, film_error *error)
{
    const struct bert_config *c = &bert->config;
    const struct wordpiece_rules *rules = &bert->wordpiece.rules;
    json_t *object = json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:s, s:I, s:s, s:b, s:I, s:I, s:b, s:b, s:s, s:s}", "encoder",
        c->distil ? "distilbert" : "bert", "dim", (json_int_t)c->hidden, "layers",
        (json_int_t)c->layers, "heads", (json_int_t)c->heads, "inner", (json_int_t)c->inner,
        "activation", activation_names[c->activation], "tokens",
        (json_int_t)bert->wordpiece.vocabulary.count, "pooling", pooling_names[bert->pool.pooling],
        "normalised", bert->pool.normalise, "most_tokens", (json_int_t)bert->pool.most_tokens,
        "weights", (json_int_t)bert->weights.count, "lowercase", rules->lowercase, "strip_accents",
        rules->strip_accents, "arithmetic", bert_arithmetic(bert), "fingerprint",
        checksum_print(bert_fingerprint(bert)).digits);
    film_status status = jsonfile_dump(object, JSON_COMPACT, json, error);
    json_decref(object);
    return status;
}

film_status bert_tokenize(const struct bert *bert, film_text text, size_t most, uint32_t *ids,
                          size_t *count, film_error *error)
{
    struct wordpiece_scratch scratch = {0};
    if (most > bert->pool.most_tokens) most = bert->pool.most_tokens;
    film_status status =
        wordpiece_encode(&bert->wordpiece, &scratch, text, most, ids, count, error);
    wordpiece_scratch_free(&scratch);
    return status;
}
