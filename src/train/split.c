/* Rows that share a question, directly or through other rows, form a component and stay together.
 * Questions are the same when their tokens are, so "What is it ?" does not leak as "what's it?".
 *
 * Two passes over the file: the first numbers the questions (by a 64-bit hash of their tokens, so
 * the text itself is not kept: about 12 bytes a row and 40 a distinct question), the second copies
 * each row as it stands to the part its component was dealt to. Components are dealt largest first,
 * equal ones in random order, to whichever part lacks most rows, so the ratio holds even with one
 * giant component. */
#include "train/split.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/strtab.h"
#include "base/union_find.h"
#include "text/tokens.h"

#include <stdlib.h>
#include <string.h>

struct splitter {
    const film_split_options *options;
    struct tokenizer tokenizer;
    struct tokens tokens;
    char *key; /* tokens of a question, each followed by a space */
    size_t key_capacity;
    struct strtab questions; /* the keys' hashes: 8 bytes each */
    uint32_t (*row)[3];      /* questions of each row; missing ones repeat the first */
    size_t rows, row_capacity;
    unsigned char *dev; /* by component root: does it go to dev? */
    struct union_find joined;
};

static film_status question_id(struct splitter *splitter, film_text text, uint32_t *id,
                               film_error *error)
{
    film_status status = FILM_OK;
    size_t length = 0;
    TRY(tokens_split(&splitter->tokens, &splitter->tokenizer, text, error));
    for (size_t i = 0; i < splitter->tokens.count; i++) {
        film_text token = token_text(&splitter->tokens, &splitter->tokens.items[i]);
        TRY_ALLOC(mem_grow((void **)&splitter->key, &splitter->key_capacity,
                           length + token.length + 1, 1),
                  error);
        memcpy(splitter->key + length, token.bytes, token.length);
        splitter->key[length + token.length] = ' ';
        length += token.length + 1;
    }
    uint64_t hash = length ? strtab_hash(splitter->key, length) : 0;
    TRY(strtab_add(&splitter->questions, (const char *)&hash, sizeof hash, id, error));
done:
    return status;
}

static film_status add_row(struct splitter *splitter, const film_row *row, film_error *error)
{
    film_status status = FILM_OK;
    TRY_ALLOC(mem_grow((void **)&splitter->row, &splitter->row_capacity, splitter->rows + 1,
                       sizeof *splitter->row),
              error);
    uint32_t *ids = splitter->row[splitter->rows];
    TRY(question_id(splitter, row->a, &ids[0], error));
    ids[1] = ids[2] = ids[0];
    if (row->b.bytes) TRY(question_id(splitter, row->b, &ids[1], error));
    if (row->c.bytes) TRY(question_id(splitter, row->c, &ids[2], error));
    splitter->rows++;
done:
    return status;
}

static film_status number_questions(struct splitter *splitter, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    film_table *table = NULL;
    film_row row;
    TRY(film_table_open(path, &splitter->options->table, &table, error));
    while ((status = film_table_next(table, &row, error)) == FILM_OK) {
        TRY(add_row(splitter, &row, error));
        if (splitter->rows % 65536 == 0)
            TRY(progress_report(&splitter->options->progress, "reading", film_table_progress(table),
                                1, error));
    }
    if (status == FILM_END) status = FILM_OK;
    if (status == FILM_OK && splitter->rows == 0)
        status = status_set(error, FILM_BAD_INPUT, "%s: no rows", path);
done:
    film_table_close(table);
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

/* The components and how many rows each has. */
static film_status find_components(struct splitter *splitter, struct component **out, size_t *count,
                                   film_error *error)
{
    film_status status = FILM_OK;
    struct rng rng;
    uint32_t questions = splitter->questions.count;
    struct component *components = mem_zeroed(questions, sizeof *components);
    TRY_ALLOC(components, error);
    TRY(union_find_init(&splitter->joined, questions, error));
    for (size_t i = 0; i < splitter->rows; i++)
        for (int j = 1; j < 3; j++)
            union_find_join(&splitter->joined, splitter->row[i][0], splitter->row[i][j]);
    for (size_t i = 0; i < splitter->rows; i++)
        components[union_find_root(&splitter->joined, splitter->row[i][0])].rows++;
    rng_seed(&rng, splitter->options->seed);
    *count = 0;
    for (uint32_t root = 0; root < questions; root++)
        if (components[root].rows)
            components[(*count)++] =
                (struct component){components[root].rows, rng_next(&rng), root};
done:
    *out = components;
    return status;
}

static film_status deal(struct splitter *splitter, film_split_result *result, film_error *error)
{
    film_status status = FILM_OK;
    struct component *components = NULL;
    size_t count = 0;
    TRY(find_components(splitter, &components, &count, error));
    TRY_ALLOC(splitter->dev = mem_zeroed(splitter->questions.count, 1), error);
    qsort(components, count, sizeof *components, larger_first);
    double train_left = splitter->options->train_share * (double)splitter->rows;
    double dev_left = (double)splitter->rows - train_left;
    for (size_t i = 0; i < count; i++) {
        int to_dev = dev_left > train_left;
        splitter->dev[components[i].root] = (unsigned char)to_dev;
        *(to_dev ? &dev_left : &train_left) -= (double)components[i].rows;
    }
    result->components = count;
    result->largest_component = count ? components[0].rows : 0;
done:
    mem_free(components);
    return status;
}

static film_status write_line(film_output *output, film_text line, film_error *error)
{
    film_status status = film_output_write(output, line.bytes, line.length, error);
    return status == FILM_OK ? film_output_write(output, "\n", 1, error) : status;
}

static film_status copy_rows(struct splitter *splitter, const char *path, film_output *outputs[2],
                             film_split_result *result, film_error *error)
{
    film_status status = FILM_OK;
    film_table *table = NULL;
    film_row row;
    size_t at = 0;
    TRY(film_table_open(path, &splitter->options->table, &table, error));
    film_text header = film_table_header(table);
    for (int part = 0; header.length && part < 2; part++)
        TRY(write_line(outputs[part], header, error));
    while ((status = film_table_next(table, &row, error)) == FILM_OK && at < splitter->rows) {
        int dev = splitter->dev[union_find_root(&splitter->joined, splitter->row[at++][0])];
        TRY(write_line(outputs[dev], row.raw, error));
        *(dev ? &result->dev_rows : &result->train_rows) += 1;
        if (at % 65536 == 0)
            TRY(progress_report(&splitter->options->progress, "writing", film_table_progress(table),
                                1, error));
    }
    if (status == FILM_OK || (status == FILM_END && at < splitter->rows))
        TRY(status_set(error, FILM_IO, "%s changed while it was read; try again", path));
    if (status == FILM_END) status = FILM_OK;
    result->skipped = film_table_skipped(table);
done:
    film_table_close(table);
    return status;
}

static void free_splitter(struct splitter *splitter)
{
    tokenizer_free(&splitter->tokenizer);
    tokens_free(&splitter->tokens);
    mem_free(splitter->key);
    strtab_free(&splitter->questions);
    union_find_free(&splitter->joined);
    mem_free(splitter->row);
    mem_free(splitter->dev);
}

film_status split_file(const char *path, const char *train_path, const char *dev_path,
                       const film_split_options *options, film_split_result *result,
                       film_error *error)
{
    film_status status = FILM_OK;
    struct splitter splitter = {.options = options};
    film_output *outputs[2] = {NULL, NULL};
    memset(result, 0, sizeof *result);
    if (strcmp(path, "-") == 0)
        return status_set(error, FILM_USAGE,
                          "split reads its input twice; give a file, not a pipe");
    TRY(tokenizer_init(&splitter.tokenizer, NULL, NULL, error));
    TRY(tokens_init(&splitter.tokens, &splitter.tokenizer, error));
    TRY(strtab_init(&splitter.questions, error));
    TRY(number_questions(&splitter, path, error));
    TRY(deal(&splitter, result, error));
    if (result->components < 2)
        TRY(status_set(
            error, FILM_BAD_INPUT,
            "%s: all rows are connected through shared questions, so no two parts can be "
            "made that share none",
            path));
    TRY(film_output_open(train_path, &outputs[0], error));
    TRY(film_output_open(dev_path, &outputs[1], error));
    TRY(copy_rows(&splitter, path, outputs, result, error));
    for (int part = 0; part < 2; part++) {
        film_output *output = outputs[part];
        outputs[part] = NULL; /* commit frees it, also when it fails */
        TRY(film_output_commit(output, error));
    }
done:
    film_output_discard(outputs[0]);
    film_output_discard(outputs[1]);
    free_splitter(&splitter);
    return status;
}
