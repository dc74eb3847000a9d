/* Lists the features of a sentence as strings: words, word pairs, character n-grams. features.c
 * weighs them. */
#include "embed/grams.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <string.h>

enum { CHAR_MIN_LENGTH = 3, CHAR_MAX_LENGTH = 4 };

const char *group_name(enum group group)
{
    static const char *const names[GROUPS] = {"word", "bigram", "char"};
    return names[group];
}

film_status grams_init(struct grams *grams, const struct tokenizer *tokenizer, film_error *error)
{
    memset(grams, 0, sizeof *grams);
    return tokens_init(&grams->tokens, tokenizer, error);
}

void grams_free(struct grams *grams)
{
    tokens_free(&grams->tokens);
    for (int g = 0; g < GROUPS; g++) {
        mem_free(grams->group[g].items);
        mem_free(grams->group[g].bytes);
    }
    memset(grams, 0, sizeof *grams);
}

static int reserve_grams(struct gram_list *list, size_t items, size_t bytes)
{
    return mem_grow((void **)&list->items, &list->capacity, list->count + items,
                    sizeof *list->items) &&
           mem_grow((void **)&list->bytes, &list->bytes_capacity, list->length + bytes, 1);
}

static void append_gram(struct gram_list *list, film_text text)
{
    memcpy(list->bytes + list->length, text.bytes, text.length);
    list->length += text.length;
}

static film_status collect_words(struct grams *grams, film_error *error)
{
    const struct tokens *tokens = &grams->tokens;
    struct gram_list *list = &grams->group[GROUP_WORD];
    for (size_t i = 0; i < tokens->count; i++) {
        film_text word = token_text(tokens, &tokens->items[i]);
        if (!reserve_grams(list, 1, word.length)) return status_no_memory(error);
        uint32_t token = (uint32_t)i;
        list->items[list->count++] =
            (struct gram){(uint32_t)list->length, (uint32_t)word.length, token, token};
        append_gram(list, word);
    }
    return FILM_OK;
}

/* Adjacent characters of a script without spaces are skipped: their pair is already a feature of
 * the word group. */
static film_status collect_bigrams(struct grams *grams, film_error *error)
{
    const struct tokens *tokens = &grams->tokens;
    struct gram_list *list = &grams->group[GROUP_BIGRAM];
    const struct token *left = NULL;
    for (size_t i = 0; i < tokens->count; i++) {
        const struct token *right = &tokens->items[i];
        if (right->kind == TOKEN_PAIR) continue;
        if (left && (left->kind == TOKEN_WORD || right->kind == TOKEN_WORD)) {
            film_text first = token_text(tokens, left), second = token_text(tokens, right);
            size_t length = first.length + 1 + second.length;
            if (!reserve_grams(list, 1, length)) return status_no_memory(error);
            list->items[list->count++] =
                (struct gram){(uint32_t)list->length, (uint32_t)length,
                              (uint32_t)(left - tokens->items), (uint32_t)i};
            append_gram(list, first);
            append_gram(list, film_string(" "));
            append_gram(list, second);
        }
        left = right;
    }
    return FILM_OK;
}

/* Appends the n-grams of the padded word bytes[start .. end) and returns their number. Characters
 * are code points. */
static size_t slide(struct gram_list *list, size_t start, size_t end, int n, uint32_t token)
{
    const char *bytes = list->bytes;
    size_t left = start, right = start, made = 0;
    for (int i = 0; i < n && right < end; i++) right = utf8_next(bytes, end, right);
    for (;;) {
        list->items[list->count++] =
            (struct gram){(uint32_t)left, (uint32_t)(right - left), token, token};
        made++;
        if (right >= end) return made;
        left = utf8_next(bytes, end, left);
        right = utf8_next(bytes, end, right);
    }
}

/* Returns the word that starts with token *i, or the whole run of characters of a script without
 * spaces; *i moves to its last token. */
static film_text word_or_run(const struct tokens *tokens, size_t *i)
{
    const struct token *first = &tokens->items[*i];
    film_text text = token_text(tokens, first);
    if (first->kind == TOKEN_WORD) return text;
    for (size_t j = *i + 1; j < tokens->count; j++) {
        const struct token *next = &tokens->items[j];
        if (next->kind == TOKEN_WORD || next->start > first->start + text.length) break;
        text.length = next->start + next->length - first->start;
        *i = j;
    }
    return text;
}

/* As in scikit-learn: a word shorter than n characters is used whole, once. */
static film_status add_characters(struct gram_list *list, film_text word, uint32_t token,
                                  film_error *error)
{
    size_t start = list->length, kinds = CHAR_MAX_LENGTH - CHAR_MIN_LENGTH + 1;
    if (!reserve_grams(list, kinds * (word.length + 2), word.length + 2))
        return status_no_memory(error);
    append_gram(list, film_string(" "));
    append_gram(list, word);
    append_gram(list, film_string(" "));
    for (int n = CHAR_MIN_LENGTH; n <= CHAR_MAX_LENGTH; n++)
        if (slide(list, start, list->length, n, token) == 1) break;
    return FILM_OK;
}

static film_status collect_characters(struct grams *grams, film_error *error)
{
    film_status status = FILM_OK;
    const struct tokens *tokens = &grams->tokens;
    for (size_t i = 0; i < tokens->count && status == FILM_OK; i++) {
        uint32_t token = (uint32_t)i;
        film_text word = word_or_run(tokens, &i);
        status = add_characters(&grams->group[GROUP_CHAR], word, token, error);
    }
    return status;
}

film_status grams_of_word(struct grams *grams, film_text word, film_error *error)
{
    struct gram_list *list = &grams->group[GROUP_CHAR];
    list->count = list->length = 0;
    return add_characters(list, word, 0, error);
}

film_status grams_list(struct grams *grams, unsigned groups_wanted, film_error *error)
{
    film_status status = FILM_OK;
    for (int g = 0; g < GROUPS; g++) grams->group[g].count = grams->group[g].length = 0;
    if (groups_wanted & GROUP_BIT(GROUP_WORD)) TRY(collect_words(grams, error));
    if (groups_wanted & GROUP_BIT(GROUP_BIGRAM)) TRY(collect_bigrams(grams, error));
    if (groups_wanted & GROUP_BIT(GROUP_CHAR)) TRY(collect_characters(grams, error));
done:
    return status;
}

film_status grams_split(struct grams *grams, const struct tokenizer *tokenizer, film_text text,
                        film_error *error)
{
    film_status status = tokens_split(&grams->tokens, tokenizer, text, error);
    if (status != FILM_OK) return status;
    if (grams->tokens.fold.length > UINT32_MAX / 8) /* the padded words must fit 32-bit offsets */
        return status_set(error, FILM_BAD_INPUT, "a sentence of %zu bytes is too long",
                          text.length);
    return FILM_OK;
}

film_status grams_collect(struct grams *grams, const struct tokenizer *tokenizer,
                          unsigned groups_wanted, film_text text, film_error *error)
{
    film_status status = grams_split(grams, tokenizer, text, error);
    return status == FILM_OK ? grams_list(grams, groups_wanted, error) : status;
}
