/* Reads the tokenizer of a folder: vocab.txt or tokenizer.json, and the settings of
 * tokenizer_config.json. wordpiece.c tokenizes. */
#include "bert/bert_parts.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

/* By default accents are stripped when text is lower-cased. */
enum { FOLLOW_CASE = -1 };

/* A token, shortened for a message. */
struct shown_token {
    char text[64];
};

static struct shown_token show_token(const char *text, size_t length)
{
    struct shown_token shown;
    length = utf8_cut(text, length, sizeof shown.text - 1);
    for (size_t i = 0; i < length; i++)
        shown.text[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
    shown.text[length] = '\0';
    return shown;
}

/* ---- vocab.txt ---- */

/* One token per line; its id is the line number, from 0. */
film_status bert_parse_vocabulary(const void *bytes, size_t size, const char *name,
                                  struct wordpiece *out, film_error *error)
{
    film_status status = FILM_OK;
    const char *at = bytes, *end = at + size;
    TRY(strtab_init(&out->vocabulary, error));
    for (size_t line = 1; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *next = stop ? stop + 1 : end;
        size_t length = (size_t)((stop ? stop : end) - at);
        uint32_t id;
        if (length && at[length - 1] == '\r') length--;
        if (!utf8_valid(at, length, NULL))
            TRY(status_set(error, FILM_BAD_INPUT, "%s:%zu: invalid UTF-8", name, line));
        TRY(strtab_add(&out->vocabulary, at, length, &id, error));
        if (id != line - 1)
            TRY(status_set(error, FILM_BAD_INPUT,
                           "%s:%zu: duplicate token \"%s\", first in line %u", name, line,
                           show_token(at, length).text, id + 1));
        at = next;
    }
done:
    return status;
}

/* ---- tokenizer.json ---- */

/* Checks that a component of tokenizer.json has the type that BERT uses. */
static film_status check_type(const json_t *root, const char *part, const char *wanted,
                              const char *name, film_error *error)
{
    const char *type = json_string_value(json_object_get(json_object_get(root, part), "type"));
    if (type && strcmp(type, wanted) == 0) return FILM_OK;
    return status_set(error, FILM_BAD_INPUT, "%s: the %s is %s; supported: %s", name, part,
                      type ? show_token(type, strlen(type)).text : "missing", wanted);
}

static film_status read_rules(const json_t *root, const char *name, struct wordpiece_rules *rules,
                              film_error *error)
{
    film_status status = FILM_OK;
    const json_t *normalizer = json_object_get(root, "normalizer");
    const json_t *model = json_object_get(root, "model");
    const char *prefix = "##";
    /* Early versions do not write the type of the model. */
    if (json_object_get(model, "type")) TRY(check_type(root, "model", "WordPiece", name, error));
    TRY(check_type(root, "normalizer", "BertNormalizer", name, error));
    TRY(check_type(root, "pre_tokenizer", "BertPreTokenizer", name, error));
    TRY(bert_json_flag(normalizer, "clean_text", name, &rules->clean, error));
    TRY(bert_json_flag(normalizer, "handle_chinese_chars", name, &rules->space_cjk, error));
    TRY(bert_json_flag(normalizer, "strip_accents", name, &rules->strip_accents, error));
    TRY(bert_json_flag(normalizer, "lowercase", name, &rules->lowercase, error));
    TRY(bert_json_size(model, "max_input_chars_per_word", (struct bert_limits){1, 10000, 100}, name,
                       &rules->longest_word, error));
    TRY(bert_json_text(model, "continuing_subword_prefix", name, &prefix, error));
    if (strlen(prefix) > WORDPIECE_MOST_PREFIX)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: \"continuing_subword_prefix\" is longer than %d bytes", name,
                       WORDPIECE_MOST_PREFIX));
    snprintf(rules->prefix, sizeof rules->prefix, "%s", prefix);
done:
    return status;
}

/* Stores TOKEN at its id. There are as many ids as tokens and none occurs twice, so there is no
 * gap. */
static film_status place_token(const char **tokens, size_t count, const char *token,
                               const json_t *number, const char *name, film_error *error)
{
    double id = json_is_number(number) ? json_number_value(number) : -1;
    if (!(id >= 0 && id < (double)count) || id != (double)(size_t)id)
        return status_set(error, FILM_BAD_INPUT,
                          "%s: token \"%s\": the id is not between 0 and %zu", name,
                          show_token(token, strlen(token)).text, count - 1);
    if (tokens[(size_t)id])
        return status_set(error, FILM_BAD_INPUT, "%s: tokens \"%s\" and \"%s\" have the same id",
                          name, show_token(tokens[(size_t)id], strlen(tokens[(size_t)id])).text,
                          show_token(token, strlen(token)).text);
    tokens[(size_t)id] = token;
    return FILM_OK;
}

/* Checks the tokens that were added to the vocabulary. Added tokens that are not special would have
 * to be matched in normalised text; no supported encoder needs that. */
static film_status check_added(const json_t *added, const json_t *vocabulary, size_t *more,
                               const char *name, film_error *error)
{
    size_t i;
    const json_t *token;
    *more = 0;
    json_array_foreach(added, i, token)
    {
        const char *content = json_string_value(json_object_get(token, "content"));
        if (!content)
            return status_set(error, FILM_BAD_INPUT, "%s: added token %zu: \"content\" is missing",
                              name, i);
        if (!json_is_true(json_object_get(token, "special")))
            return status_set(
                error, FILM_BAD_INPUT,
                "%s: added token \"%s\" is not special; only special tokens are supported", name,
                show_token(content, strlen(content)).text);
        *more += !json_object_get(vocabulary, content);
    }
    return FILM_OK;
}

static film_status read_tokens(const json_t *root, const char *name, struct wordpiece *out,
                               film_error *error)
{
    film_status status = FILM_OK;
    const char *token, **tokens = NULL;
    json_t *number, *entry;
    size_t more, i;
    json_t *vocabulary = json_object_get(json_object_get(root, "model"), "vocab");
    const json_t *added = json_object_get(root, "added_tokens");
    if (json_object_size(vocabulary) == 0)
        return status_set(error, FILM_BAD_INPUT, "%s: \"vocab\" is not a JSON object of tokens",
                          name);
    TRY(check_added(added, vocabulary, &more, name, error));
    size_t count = json_object_size(vocabulary) + more;
    TRY_ALLOC(tokens = mem_zeroed(count, sizeof *tokens), error);
    json_object_foreach(vocabulary, token, number)
        TRY(place_token(tokens, count, token, number, name, error));
    json_array_foreach(added, i, entry)
    {
        token = json_string_value(json_object_get(entry, "content"));
        if (!json_object_get(vocabulary, token))
            TRY(place_token(tokens, count, token, json_object_get(entry, "id"), name, error));
    }
    TRY(strtab_init(&out->vocabulary, error));
    for (i = 0; i < count; i++) {
        uint32_t id;
        TRY(strtab_add(&out->vocabulary, tokens[i], strlen(tokens[i]), &id, error));
        if (id != i) /* only an added token can repeat: the keys of an object are unique */
            TRY(status_set(error, FILM_BAD_INPUT, "%s: duplicate added token \"%s\"", name,
                           show_token(tokens[i], strlen(tokens[i])).text));
    }
    json_array_foreach(added, i, entry)
    {
        uint32_t id;
        token = json_string_value(json_object_get(entry, "content"));
        TRY(wordpiece_add_special(out, token, &id, error));
    }
done:
    mem_free(tokens);
    return status;
}

film_status bert_parse_tokenizer(const void *bytes, size_t size, const char *name,
                                 struct wordpiece *out, film_error *error)
{
    film_status status = FILM_OK;
    json_t *root = NULL;
    TRY(jsonfile_parse(bytes, size, name, &root, error));
    TRY(read_rules(root, name, &out->rules, error));
    TRY(read_tokens(root, name, out, error));
done:
    json_decref(root);
    return status;
}

/* ---- tokenizer_config.json ---- */

enum { UNKNOWN, FIRST, LAST, PADDING, MASK, TOKENS };
static const char *const token_keys[TOKENS] = {"unk_token", "cls_token", "sep_token", "pad_token",
                                               "mask_token"};

/* "[CLS]", or {"content": "[CLS]", ...}. */
static film_status read_token(const json_t *root, const char *key, const char *name,
                              const char **token, film_error *error)
{
    const json_t *value = json_object_get(root, key);
    if (json_is_object(value)) return bert_json_text(value, "content", name, token, error);
    return bert_json_text(root, key, name, token, error);
}

/* CONFIG is the content of the file; NULL without a file. */
static film_status apply_config(const json_t *config, const char *name, struct wordpiece *out,
                                const char *vocabulary, film_error *error)
{
    film_status status = FILM_OK;
    const char *tokens[TOKENS] = {"[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"};
    struct wordpiece_rules *rules = &out->rules;
    uint32_t id;
    int words = 1;
    TRY(bert_json_flag(config, "do_basic_tokenize", name, &words, error));
    if (!words)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: \"do_basic_tokenize\" is false; only true is supported", name));
    TRY(bert_json_flag(config, "do_lower_case", name, &rules->lowercase, error));
    TRY(bert_json_flag(config, "strip_accents", name, &rules->strip_accents, error));
    TRY(bert_json_flag(config, "tokenize_chinese_chars", name, &rules->space_cjk, error));
    if (rules->strip_accents == FOLLOW_CASE) rules->strip_accents = rules->lowercase;
    for (int i = 0; i < TOKENS; i++)
        TRY(read_token(config, token_keys[i], name, &tokens[i], error));
    TRY(wordpiece_add_special(out, tokens[PADDING], &id, error));
    TRY(wordpiece_add_special(out, tokens[MASK], &id, error));
    TRY(wordpiece_finish(out, tokens[UNKNOWN], tokens[FIRST], tokens[LAST], vocabulary, error));
done:
    return status;
}

/* ---- The folder ---- */

static film_status read_vocabulary(const char *folder, char *path, struct wordpiece *out,
                                   film_error *error)
{
    film_status status = FILM_OK;
    struct file_map map = {(const unsigned char *)"", 0};
    TRY(bert_path(folder, "tokenizer.json", path, error));
    int json = bert_exists(path);
    if (!json) TRY(bert_path(folder, "vocab.txt", path, error));
    if (!json && !bert_exists(path))
        TRY(status_set(error, FILM_IO, "%s has neither tokenizer.json nor vocab.txt", folder));
    TRY(file_map_open(path, &map, error));
    TRY((json ? bert_parse_tokenizer : bert_parse_vocabulary)(map.bytes, map.size, path, out,
                                                              error));
done:
    file_map_close(&map);
    return status;
}

film_status bert_read_tokenizer(const char *folder, const struct bert_config *config,
                                struct wordpiece *out, film_error *error)
{
    film_status status = FILM_OK;
    char path[PATH_MAX], vocabulary[PATH_MAX];
    json_t *settings = NULL;
    memset(out, 0, sizeof *out);
    out->rules = wordpiece_default_rules();
    out->rules.strip_accents = FOLLOW_CASE;
    TRY(read_vocabulary(folder, vocabulary, out, error));
    TRY(bert_path(folder, "tokenizer_config.json", path, error));
    if (bert_exists(path)) TRY(jsonfile_read(path, &settings, error));
    TRY(apply_config(settings, path, out, vocabulary, error));
    if (out->vocabulary.count > config->vocabulary)
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s has %u tokens, but \"vocab_size\" of config.json is %zu", vocabulary,
                       out->vocabulary.count, config->vocabulary));
done:
    json_decref(settings);
    return status;
}
