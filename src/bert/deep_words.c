/* The black box on word vectors: looks up the words of a sentence, and reads and writes the vectors
 * in a model file. The convolutions are in deep.c. */
#include "bert/deep_words.h"
#include "base/mem.h"
#include "base/threads.h"

#include <math.h>
#include <string.h>

#define TENSOR "deep.words"

void deep_words_free(struct deep_words *words)
{
    mem_free(words->own);
    *words = (struct deep_words){0};
}

static size_t count_word_values(const struct deep_words *words)
{
    return features_count(words->features) * words->width;
}

/* ---- Encoding ---- */

struct word_matrices {
    const struct deep_words *words;
    const film_text *texts;
    const struct bert_states *out;
};

static int is_zero(const float *row, size_t width)
{
    for (size_t i = 0; i < width; i++)
        if (row[i] != 0) return 0;
    return 1;
}

/* Fills the matrix of one sentence. */
static void fill_matrix(const struct word_matrices *job, const struct tokens *tokens, size_t text)
{
    const struct deep_words *words = job->words;
    const struct strtab *vocabulary = &words->features->vocabulary[GROUP_WORD];
    size_t width = words->width, most = job->out->most, count = 0;
    float *matrix = job->out->values + text * most * width;
    for (size_t t = 0; t < tokens->count && count < most; t++) {
        film_text token = token_text(tokens, &tokens->items[t]);
        uint32_t id = strtab_find(vocabulary, token.bytes, token.length);
        const float *row = words->rows + (size_t)id * width;
        if (id == STRTAB_NONE || is_zero(row, width)) continue;
        memcpy(matrix + count++ * width, row, width * sizeof *matrix);
    }
    memset(matrix + count * width, 0, (most - count) * width * sizeof *matrix);
    job->out->lengths[text] = (uint32_t)count;
}

static film_status fill_some(struct threads_worker *worker, void *user, film_error *error)
{
    const struct word_matrices *job = user;
    const struct tokenizer *tokenizer = &job->words->features->tokenizer;
    struct tokens tokens = {0};
    film_status status = FILM_OK;
    size_t begin, end;
    TRY(tokens_init(&tokens, tokenizer, error));
    while (threads_next(worker, &begin, &end))
        for (size_t i = begin; i < end; i++) {
            TRY(tokens_split(&tokens, tokenizer, job->texts[i], error));
            fill_matrix(job, &tokens, i);
        }
done:
    tokens_free(&tokens);
    return status;
}

film_status deep_words_encode(const struct deep_words *words, const film_text *texts, size_t count,
                              int threads, const struct bert_states *out, film_error *error)
{
    enum { GRAIN = 32 };
    struct word_matrices job = {words, texts, out};
    return threads_for(threads_count(threads), count, GRAIN, fill_some, &job, error);
}

/* ---- In a model file ---- */

void deep_words_tensor(const struct deep_words *words, struct safetensors_tensor *out)
{
    *out = (struct safetensors_tensor){.name = TENSOR,
                                       .type = SAFETENSORS_F32,
                                       .dims = 2,
                                       .shape = {features_count(words->features), words->width},
                                       .data = words->rows};
}

film_status deep_words_from_file(struct deep_words *words, const struct safetensors *file,
                                 const struct features *features, const char *name,
                                 film_error *error)
{
    film_status status = FILM_OK;
    const struct safetensors_tensor *tensor;
    uint64_t shape[2] = {features_count(features), SAFETENSORS_ANY};
    *words = (struct deep_words){0};
    if (features->groups != GROUP_BIT(GROUP_WORD))
        TRY(status_set(error, FILM_BAD_INPUT,
                       "%s: word vectors beside features that are not words; the file is damaged",
                       name));
    TRY(safetensors_require(file, TENSOR, SAFETENSORS_F32, 2, shape, &tensor, error));
    *words = (struct deep_words){features, tensor->data, (size_t)tensor->shape[1], NULL};
    for (size_t i = 0; i < count_word_values(words); i++)
        if (!isfinite(words->rows[i]))
            TRY(status_set(error, FILM_BAD_INPUT,
                           "%s: " TENSOR " has a value that is not finite; the file is damaged",
                           name));
done:
    return status;
}
