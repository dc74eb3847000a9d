/* Collects the relations of a model's words from the user's file and from the table of a language.
 * text/relations.c stores them; pair/knowledge.c uses them. */
#include "train/known_words.h"
#include "base/sort.h"
#include "base/mem.h"
#include "base/safetensors.h"
#include "text/relations_file.h"
#include "text/relations_read.h"
#include "text/source.h"
#include "text/tokens.h"

#include <stdlib.h>
#include <string.h>

/* ---- The language ---- */

struct ranked {
    uint32_t word;
    float idf;
};

static int frequent_first(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->idf != b->idf) return a->idf < b->idf ? -1 : 1;
    return a->word < b->word ? -1 : a->word > b->word;
}

/* Returns whether at least half of the frequent words of four letters or more are in the table.
 * Shorter words are often function words, which no table has. */
static film_status is_of_language(const struct features *features, const struct relations *table,
                                  int *fits, film_error *error)
{
    enum { LETTERS = 4, MOST = 500 };
    const struct strtab *words = &features->vocabulary[GROUP_WORD];
    struct ranked *list = mem_array(words->count, sizeof *list);
    size_t count = 0, known = 0;
    if (!list) return status_no_memory(error);
    for (uint32_t w = 0; w < words->count; w++)
        if (strtab_get(words, w).length >= LETTERS)
            list[count++] = (struct ranked){w, features->idf[features->first[GROUP_WORD] + w]};
    if (count) sort_array(list, count, sizeof *list, frequent_first);
    if (count > MOST) count = MOST;
    for (size_t i = 0; i < count; i++)
        known += relations_word(table, strtab_get(words, list[i].word)).count > 0;
    *fits = count && 2 * known >= count;
    mem_free(list);
    return FILM_OK;
}

/* ---- The vocabulary ---- */

/* Marks the words of TABLE that sentences of the vocabulary can contain: those whose tokens are all
 * in it, and the base forms of its words. */
static film_status mark_words(const struct features *features, const struct relations *table,
                              unsigned char *wanted, film_error *error)
{
    film_status status = FILM_OK;
    const struct strtab *words = &features->vocabulary[GROUP_WORD];
    struct tokens tokens = {.items = NULL};
    TRY(tokens_init(&tokens, &features->tokenizer, error));
    for (uint32_t w = 0; w < table->words.count; w++) {
        TRY(tokens_split(&tokens, &features->tokenizer, strtab_get(&table->words, w), error));
        size_t known = 0;
        for (size_t i = 0; i < tokens.count; i++) {
            film_text token = token_text(&tokens, &tokens.items[i]);
            known += strtab_find(words, token.bytes, token.length) != STRTAB_NONE;
        }
        wanted[w] = known > 0 && known == tokens.count;
    }
    for (uint32_t w = 0; w < words->count; w++) {
        struct relations_word word = relations_word(table, strtab_get(words, w));
        for (size_t i = 0; i < word.count; i++) wanted[word.id[i]] = 1;
    }
done:
    tokens_free(&tokens);
    return status;
}

static film_status add_language(const struct features *features, const char *path,
                                struct relations_builder *builder, int *fits, film_error *error)
{
    film_status status = FILM_OK;
    struct safetensors *file = NULL;
    struct relations table;
    unsigned char *wanted = NULL;
    TRY(relations_open(path, &file, &table, error));
    TRY_ALLOC(wanted = mem_zeroed(table.words.count + (size_t)1, 1), error);
    TRY(is_of_language(features, &table, fits, error));
    if (!*fits) goto done;
    TRY(mark_words(features, &table, wanted, error));
    TRY(relations_add_table(builder, &table, wanted, error));
done:
    mem_free(wanted);
    if (file) relations_free(&table);
    safetensors_close(file);
    return status;
}

film_status known_words_read(const struct features *features, const film_train_options *options,
                             struct relations *out, struct training_log *log, film_error *error)
{
    film_status status = FILM_OK;
    struct relations_builder builder = {.pairs = NULL};
    struct source *source = NULL;
    int fits = 0;
    *out = (struct relations){.own = NULL};
    if (!options->words && !options->language) return FILM_OK;
    TRY(relations_builder_init(&builder, error));
    if (options->language) TRY(add_language(features, options->language, &builder, &fits, error));
    if (options->words) {
        TRY(source_open(options->words, &source, error));
        TRY(relations_read(&builder, source, error));
    }
    TRY(relations_build(&builder, out, error));
    if (out->words.count)
        training_log_note(log, "known_words",
                          json_pack("{s:I, s:I, s:b}", "words", (json_int_t)out->words.count,
                                    "relations", (json_int_t)out->offsets[out->words.count],
                                    "language", fits));
    training_log_phase(log, "known_words");
done:
    relations_builder_free(&builder);
    return status;
}
