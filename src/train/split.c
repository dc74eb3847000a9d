/* Splits a file in two passes. The first numbers the questions; it stores about 13 bytes per row
 * and 40 per distinct question, but not the text. The second copies each row unchanged to the part
 * it was assigned to. */
#include "train/split.h"
#include "text/table.h"
#include "base/mem.h"
#include "learn/questions.h"

#include <string.h>

struct splitter {
    const film_split_options *options;
    struct questions questions;
    uint32_t (*row)[3]; /* questions of each row; missing ones repeat the first */
    size_t rows, row_capacity;
    unsigned char *dev; /* by row */
};

static film_status add_split_row(struct splitter *splitter, const film_row *row, film_error *error)
{
    film_status status = FILM_OK;
    TRY_ALLOC(mem_grow((void **)&splitter->row, &splitter->row_capacity, splitter->rows + 1,
                       sizeof *splitter->row),
              error);
    uint32_t *ids = splitter->row[splitter->rows];
    if (splitter->options->by_rows) { /* every row is a group of its own */
        if (splitter->rows >= UINT32_MAX) TRY(status_set(error, FILM_BAD_INPUT, "too many rows"));
        ids[0] = ids[1] = ids[2] = (uint32_t)splitter->rows++;
        goto done;
    }
    TRY(questions_number(&splitter->questions, row->a, &ids[0], error));
    ids[1] = ids[2] = ids[0];
    if (row->b.bytes) TRY(questions_number(&splitter->questions, row->b, &ids[1], error));
    if (row->c.bytes) TRY(questions_number(&splitter->questions, row->c, &ids[2], error));
    splitter->rows++;
done:
    return status;
}

static film_status number_questions(struct splitter *splitter, const char *path, film_error *error)
{
    film_status status = FILM_OK;
    film_table *table = NULL;
    film_row row;
    TRY(table_open(path, &splitter->options->table, &table, error));
    while ((status = film_table_next(table, &row, error)) == FILM_OK) {
        TRY(add_split_row(splitter, &row, error));
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
    TRY(table_open(path, &splitter->options->table, &table, error));
    film_text header = film_table_header(table);
    for (int part = 0; header.length && part < 2; part++)
        TRY(write_line(outputs[part], header, error));
    while ((status = film_table_next(table, &row, error)) == FILM_OK && at < splitter->rows) {
        int dev = splitter->dev[at++];
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

static film_status assign_parts(struct splitter *splitter, film_split_result *result,
                                film_error *error)
{
    const film_split_options *options = splitter->options;
    struct partition_result found;
    splitter->dev = mem_array(splitter->rows, 1);
    if (!splitter->dev) return status_no_memory(error);
    struct question_rows rows = {(const uint32_t(*)[3])splitter->row, splitter->rows,
                                 options->by_rows ? (uint32_t)splitter->rows
                                                  : splitter->questions.hashes.count};
    struct partition_shares shares = {&options->train_share, 2, options->seed};
    film_status status = questions_partition(&rows, &shares, splitter->dev, &found, error);
    result->components = found.components;
    result->largest_component = found.largest;
    return status;
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
        return status_set(
            error, FILM_USAGE,
            "split reads its input twice and cannot use a pipe; save it to a file first");
    TRY(questions_init(&splitter.questions, error));
    TRY(number_questions(&splitter, path, error));
    TRY(assign_parts(&splitter, result, error));
    if (result->components < 2)
        TRY(status_set(
            error, FILM_BAD_INPUT,
            "%s: all rows are connected through shared questions, so the file cannot be split",
            path));
    TRY(film_output_open(train_path, &outputs[0], error));
    TRY(film_output_open(dev_path, &outputs[1], error));
    TRY(copy_rows(&splitter, path, outputs, result, error));
    for (int part = 0; part < 2; part++) {
        film_output *output = outputs[part];
        outputs[part] = NULL; /* commit frees it, also on failure */
        TRY(film_output_commit(output, error));
    }
done:
    film_output_discard(outputs[0]);
    film_output_discard(outputs[1]);
    questions_free(&splitter.questions);
    mem_free(splitter.row);
    mem_free(splitter.dev);
    return status;
}
