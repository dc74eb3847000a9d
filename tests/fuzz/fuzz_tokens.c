/* Fuzzes sentences: refused, or the tokens stay inside the text and folding and every feature group
 * accept them. */
#include "embed/grams.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const stems[] = {NULL, "english", "russian", "turkish"};
    struct tokenizer tokenizer;
    struct grams grams;
    film_error error;
    if (size == 0) return 0;
    const char *stem = stems[data[0] & 3], *stop = data[0] & 4 ? "english" : NULL;
    film_text text = {(const char *)data + 1, size - 1};
    must(tokenizer_init(&tokenizer, stem, stop, &error) == FILM_OK);
    must(grams_init(&grams, &tokenizer, &error) == FILM_OK);
    if (grams_collect(&grams, &tokenizer, 7, text, &error) == FILM_OK) {
        for (size_t i = 0; i < grams.tokens.count; i++) {
            const struct token *token = &grams.tokens.items[i];
            must(token->from < token->to && token->to <= text.length);
            must(token->start + token->length <= grams.tokens.fold.capacity);
            must(token->length > 0 || stem);
        }
        for (int g = 0; g < GROUPS; g++)
            for (size_t i = 0; i < grams.group[g].count; i++) {
                const struct gram *gram = &grams.group[g].items[i];
                must(gram->start + gram->length <= grams.group[g].length);
                must(gram->token <= gram->last_token && gram->last_token < grams.tokens.count);
            }
    }
    grams_free(&grams);
    tokenizer_free(&tokenizer);
    return 0;
}
