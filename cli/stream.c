/* Processes the rows of a table in batches, in constant memory and in file order.
 *
 * While batch n is computed on all cores, one more thread writes the results of batch n-1 and reads
 * batch n+1. */
#include "sheet.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_BYTES = 16 << 20 }; /* of text: batches of long sentences have fewer rows */

struct pipeline {
    const struct row_stream *stream;
    struct stream_batch batch[2]; /* [current] is being computed */
    int current;
    film_status read_status, write_status;
    film_error read_error, write_error;
};

/* ---- Batches: a row's texts are valid only until the next row, so they are copied ---- */

static film_status batch_init(struct stream_batch *batch, size_t result_size, film_error *error)
{
    memset(batch, 0, sizeof *batch);
    for (int column = 0; column < STREAM_COLUMNS; column++) {
        batch->text[column] = malloc(STREAM_ROWS * sizeof *batch->text[column]);
        batch->start[column] = malloc(STREAM_ROWS * sizeof *batch->start[column]);
        if (!batch->text[column] || !batch->start[column]) {
            no_memory(error);
            return FILM_NO_MEMORY; /* a checker of one file does not know what no_memory returns */
        }
    }
    batch->result = malloc(STREAM_ROWS * result_size);
    return batch->result ? FILM_OK : no_memory(error);
}

static void stream_batch_free(struct stream_batch *batch)
{
    for (int column = 0; column < STREAM_COLUMNS; column++) {
        free(batch->text[column]);
        free(batch->start[column]);
    }
    free(batch->result);
    free(batch->bytes);
}

static int add_field(struct stream_batch *batch, int column, film_text text)
{
    if (batch->used + text.length > batch->capacity || !batch->bytes) {
        size_t larger = batch->capacity + batch->capacity / 2 + text.length + 65536;
        char *bytes = realloc(batch->bytes, larger);
        if (!bytes) return 0;
        batch->bytes = bytes;
        batch->capacity = larger;
    }
    if (text.length) memcpy(batch->bytes + batch->used, text.bytes, text.length);
    batch->start[column][batch->count] = text.bytes ? batch->used : SIZE_MAX; /* no such column */
    batch->text[column][batch->count].length = text.length;
    batch->used += text.length;
    return 1;
}

static film_status read_batch(const struct row_stream *stream, struct stream_batch *batch,
                              film_error *error)
{
    film_row row;
    film_status status = FILM_OK;
    film_text kept = {NULL, 0};
    char *memory = NULL;
    size_t capacity = 0;
    batch->count = batch->used = 0;
    while (batch->count < STREAM_ROWS && batch->used < BATCH_BYTES &&
           (status = film_table_next(stream->table, &row, error)) == FILM_OK) {
        if ((status = stream->check(stream->user, &row, error)) != FILM_OK) break;
        if (stream->kept) kept = kept_pack(stream->kept, &row, &memory, &capacity);
        if ((stream->kept && !kept.bytes) || !add_field(batch, STREAM_A, row.a) ||
            !add_field(batch, STREAM_B, row.b) || !add_field(batch, STREAM_ID, row.id) ||
            !add_field(batch, STREAM_KEPT, kept)) {
            status = no_memory(error);
            break;
        }
        batch->count++;
    }
    free(memory);
    for (int column = 0; column < STREAM_COLUMNS; column++)
        for (size_t i = 0; i < batch->count; i++) {
            size_t start = batch->start[column][i];
            batch->text[column][i].bytes = start == SIZE_MAX ? NULL : batch->bytes + start;
        }
    return status; /* with FILM_END, the batch may contain the last rows */
}

/* ---- The pipeline ---- */

/* Writes the preceding batch and reads the next one into the same slot. */
static void *read_and_write(void *argument)
{
    struct pipeline *line = argument;
    struct stream_batch *batch = &line->batch[!line->current];
    line->write_status = FILM_OK;
    if (batch->count)
        line->write_status = line->stream->write(line->stream->user, batch, &line->write_error);
    batch->count = 0;
    if (line->write_status == FILM_OK && line->read_status == FILM_OK)
        line->read_status = read_batch(line->stream, batch, &line->read_error);
    return NULL;
}

/* Computes the current batch while another thread reads and writes. */
static film_status run_step(struct pipeline *line, film_error *error)
{
    pthread_t helper;
    const struct row_stream *stream = line->stream;
    int started = pthread_create(&helper, NULL, read_and_write, line) == 0;
    film_status status = stream->compute(stream->user, &line->batch[line->current], error);
    if (started)
        pthread_join(helper, NULL);
    else
        read_and_write(line);
    if (status == FILM_OK && line->write_status != FILM_OK) {
        status = line->write_status;
        *error = line->write_error;
    }
    line->current = !line->current;
    return status;
}

static film_status run_pipeline(struct pipeline *line, unsigned long long *rows, film_error *error)
{
    film_status status = FILM_OK;
    const struct row_stream *stream = line->stream;
    line->read_status = read_batch(stream, &line->batch[0], &line->read_error);
    while (status == FILM_OK && line->batch[line->current].count) {
        *rows += line->batch[line->current].count;
        status = run_step(line, error);
        if (status == FILM_OK && stream->progress.call(stream->progress.user, stream->phase,
                                                       film_table_progress(stream->table), 1))
            status = stopped(error);
    }
    if (status == FILM_OK && line->read_status != FILM_END && line->read_status != FILM_OK) {
        *error = line->read_error;
        status = line->read_status;
    }
    if (status != FILM_OK) return status;
    read_and_write(line); /* writes the last results; reads nothing */
    *error = line->write_error;
    return line->write_status;
}

film_status stream_rows(const struct row_stream *stream, unsigned long long *rows,
                        film_error *error)
{
    struct pipeline line = {.stream = stream};
    film_status status = batch_init(&line.batch[0], stream->result_size, error);
    if (status == FILM_OK) status = batch_init(&line.batch[1], stream->result_size, error);
    if (status == FILM_OK) status = run_pipeline(&line, rows, error);
    stream_batch_free(&line.batch[0]);
    stream_batch_free(&line.batch[1]);
    return status;
}

film_status stream_open(const char *path, const film_table_options *options, film_table **table,
                        film_error *error)
{
    film_table_options with = *options;
    with.size = sizeof with; /* OPTIONS may be a member of a larger struct without a size */
    return film_table_open(path, &with, table, error);
}
