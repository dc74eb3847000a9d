/* The key that is equal for records with the same words: a hash of the words in order, and of signs
 * that change a word (C, C++, 5 %). It ignores case and punctuation. */
#include "base/mem.h"
#include "dedup/record_set_parts.h"

#include <string.h>

film_status record_set_key_init(struct record_set_key_maker *maker, film_error *error)
{
    film_status status = FILM_OK;
    *maker = (struct record_set_key_maker){.key = NULL};
    TRY(tokenizer_init(&maker->tokenizer, NULL, NULL, error));
    maker->tokenizer.version = TOKENIZER_PLAIN; /* record_set_key_make adds the signs */
    TRY(tokens_init(&maker->tokens, &maker->tokenizer, error));
done:
    return status;
}

void record_set_key_free(struct record_set_key_maker *maker)
{
    tokens_free(&maker->tokens);
    tokenizer_free(&maker->tokenizer);
    mem_free(maker->key);
    maker->key = NULL;
    maker->capacity = 0;
}

/* Signs that change the meaning of a word (C, C++, C#; 5, 5 %, $5), unlike sentence punctuation. */
static size_t add_signs(char *key, size_t length, film_text text)
{
    for (size_t i = 0; i < text.length; i++)
        if (memchr("+#%$&@*/=<>^~", text.bytes[i], 13)) key[length++] = text.bytes[i];
    return length;
}

film_status record_set_key_make(struct record_set_key_maker *maker, film_text text, uint64_t *out,
                                film_error *error)
{
    film_status status = FILM_OK;
    size_t length = 0;
    TRY(tokens_split(&maker->tokens, &maker->tokenizer, text, error));
    size_t room = text.length + 1;
    for (size_t i = 0; i < maker->tokens.count; i++) room += maker->tokens.items[i].length + 1;
    void *key = maker->key;
    TRY_ALLOC(mem_grow(&key, &maker->capacity, room, 1), error);
    maker->key = key;
    for (size_t i = 0; i < maker->tokens.count; i++) {
        film_text token = token_text(&maker->tokens, &maker->tokens.items[i]);
        memcpy(maker->key + length, token.bytes, token.length);
        length += token.length;
        maker->key[length++] = ' ';
    }
    /* Without any word, the text itself is hashed: "?" differs from "!". */
    film_text signs = {maker->key, 0};
    signs.length = length ? add_signs(maker->key, length, text) : 0;
    *out = length ? strtab_hash(signs.bytes, signs.length) : ~strtab_hash(text.bytes, text.length);
    if (*out == 0) *out = 1;
done:
    return status;
}

film_status record_set_keys(struct record_set *set, const film_progress *progress,
                            film_error *error)
{
    film_status status = FILM_OK;
    struct record_set_key_maker maker = {.key = NULL};
    if (set->keys) return FILM_OK;
    TRY(record_set_key_init(&maker, error));
    TRY_ALLOC(set->keys = mem_array(set->count, sizeof *set->keys), error);
    for (size_t i = 0; i < set->count; i++) {
        TRY(record_set_key_make(&maker, set->records[i].text, &set->keys[i], error));
        if (i % 16384 == 0)
            TRY(progress_report(progress, "identical", (double)i, (double)set->count, error));
    }
done:
    record_set_key_free(&maker);
    return status;
}
