/* Numbers questions by their tokens, joins those of a row (union-find), and assigns whole
 * components to parts. The caller chooses which rows join. */
#include "learn/questions.h"
#include "base/sort.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/union_find.h"

#include <stdlib.h>
#include <string.h>

film_status questions_init(struct questions *questions, film_error *error)
{
    film_status status = FILM_OK;
    memset(questions, 0, sizeof *questions);
    TRY(tokenizer_init(&questions->tokenizer, NULL, NULL, error));
    TRY(tokens_init(&questions->tokens, &questions->tokenizer, error));
    TRY(strtab_init(&questions->hashes, error));
done:
    if (status != FILM_OK) questions_free(questions);
    return status;
}

void questions_free(struct questions *questions)
{
    tokenizer_free(&questions->tokenizer);
    tokens_free(&questions->tokens);
    mem_free(questions->key);
    strtab_free(&questions->hashes);
    memset(questions, 0, sizeof *questions);
}

film_status questions_hash(struct questions *questions, film_text text, uint64_t *hash,
                           film_error *error)
{
    film_status status = FILM_OK;
    size_t length = 0;
    TRY(tokens_split(&questions->tokens, &questions->tokenizer, text, error));
    for (size_t i = 0; i < questions->tokens.count; i++) {
        film_text token = token_text(&questions->tokens, &questions->tokens.items[i]);
        TRY_ALLOC(mem_grow((void **)&questions->key, &questions->key_capacity,
                           length + token.length + 1, 1),
                  error);
        memcpy(questions->key + length, token.bytes, token.length);
        questions->key[length + token.length] = ' ';
        length += token.length + 1;
    }
    *hash = length ? strtab_hash(questions->key, length) : 0;
done:
    return status;
}

film_status questions_number(struct questions *questions, film_text text, uint32_t *id,
                             film_error *error)
{
    uint64_t hash;
    film_status status = questions_hash(questions, text, &hash, error);
    if (status != FILM_OK) return status;
    return strtab_add(&questions->hashes, (const char *)&hash, sizeof hash, id, error);
}

film_status questions_number_all(const struct corpus *corpus, uint32_t **number, uint32_t *count,
                                 film_error *error)
{
    film_status status = FILM_OK;
    const struct strtab *sentences = &corpus->sentences;
    struct questions questions;
    TRY(questions_init(&questions, error));
    TRY_ALLOC(*number = mem_array(sentences->count, sizeof **number), error);
    for (uint32_t i = 0; i < sentences->count; i++)
        TRY(questions_number(&questions, strtab_get(sentences, i), &(*number)[i], error));
    *count = questions.hashes.count;
done:
    questions_free(&questions);
    return status;
}

struct component {
    uint64_t rows, shuffle;
    uint32_t root;
};

static int larger_first(const void *left, const void *right)
{
    const struct component *a = left, *b = right;
    if (a->rows != b->rows) return a->rows > b->rows ? -1 : 1;
    return a->shuffle < b->shuffle ? -1 : a->shuffle > b->shuffle;
}

/* Lists the components of the joined questions with their number of rows. */
static size_t list_components(struct union_find *joined, const uint32_t (*row)[3], size_t rows,
                              uint64_t seed, struct component *components)
{
    struct rng rng;
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) components[union_find_root(joined, row[i][0])].rows++;
    rng_seed(&rng, seed);
    for (uint32_t root = 0; root < joined->count; root++)
        if (components[root].rows)
            components[count++] = (struct component){components[root].rows, rng_next(&rng), root};
    sort_array(components, count, sizeof *components, larger_first);
    return count;
}

film_status questions_partition(const struct question_rows *all,
                                const struct partition_shares *shares, unsigned char *part,
                                struct partition_result *result, film_error *error)
{
    film_status status = FILM_OK;
    const uint32_t(*row)[3] = all->row;
    size_t rows = all->count, parts = shares->count;
    uint32_t question_count = all->questions;
    struct union_find joined = {0};
    double left[QUESTIONS_MOST_PARTS];
    unsigned char *part_of = NULL; /* by root */
    struct component *components = mem_zeroed(question_count, sizeof *components);
    TRY_ALLOC(components, error);
    TRY_ALLOC(part_of = mem_zeroed(question_count, 1), error);
    TRY(union_find_init(&joined, question_count, error));
    for (size_t i = 0; i < rows; i++)
        for (int j = 1; j < 3; j++) union_find_join(&joined, row[i][0], row[i][j]);
    size_t count = list_components(&joined, row, rows, shares->seed, components);
    left[parts - 1] = (double)rows;
    for (size_t p = 0; p + 1 < parts; p++) {
        left[p] = shares->share[p] * (double)rows;
        left[parts - 1] -= left[p];
    }
    for (size_t i = 0; i < count; i++) {
        size_t choice = 0;
        for (size_t p = 1; p < parts; p++)
            if (left[p] > left[choice]) choice = p;
        part_of[components[i].root] = (unsigned char)choice;
        left[choice] -= (double)components[i].rows;
    }
    for (size_t i = 0; i < rows; i++) part[i] = part_of[union_find_root(&joined, row[i][0])];
    *result = (struct partition_result){count, count ? (size_t)components[0].rows : 0};
done:
    mem_free(components);
    mem_free(part_of);
    union_find_free(&joined);
    return status;
}
