#include "cli.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BATCH = 8192, HEADER_BYTES = 128 };

/* Rows of a batch: the table's texts live only until its next row, so they are copied. */
struct batch {
    film_text texts[BATCH];
    size_t starts[BATCH];
    size_t count;
    char *bytes;
    size_t used, capacity;
};

static int add_text(struct batch *batch, film_text text)
{
    if (batch->used + text.length > batch->capacity) {
        size_t larger = 2 * batch->capacity + text.length + 65536;
        char *bytes = realloc(batch->bytes, larger);
        if (!bytes) return 0;
        batch->bytes = bytes;
        batch->capacity = larger;
    }
    memcpy(batch->bytes + batch->used, text.bytes, text.length);
    batch->starts[batch->count] = batch->used;
    batch->texts[batch->count++].length = text.length;
    batch->used += text.length;
    return 1;
}

static film_status read_batch(film_table *table, struct batch *batch, const char *path,
                              film_error *error)
{
    film_row row;
    film_status status = FILM_OK;
    batch->count = batch->used = 0;
    while (batch->count < BATCH && (status = film_table_next(table, &row, error)) == FILM_OK) {
        if (row.b.bytes) {
            snprintf(error->message, sizeof error->message,
                     "%s has two sentences in a row, embed takes one; choose with --columns, for "
                     "example --columns -,text,-",
                     path);
            return FILM_BAD_INPUT;
        }
        if (!add_text(batch, row.a)) {
            snprintf(error->message, sizeof error->message, "out of memory");
            return FILM_NO_MEMORY;
        }
    }
    for (size_t i = 0; i < batch->count; i++)
        batch->texts[i].bytes = batch->bytes + batch->starts[i];
    return status; /* FILM_END may come with rows: the last ones */
}

/* NumPy's .npy header, padded to a fixed size so that it can be written before the number of rows
 * is known. */
static void make_header(char header[HEADER_BYTES], unsigned long long rows, size_t dim)
{
    char text[HEADER_BYTES];
    int length =
        snprintf(text, sizeof text,
                 "{'descr': '<f4', 'fortran_order': False, 'shape': (%llu, %zu), }", rows, dim);
    memset(header, ' ', HEADER_BYTES);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10); /* version 1.0; 0x76 = 128 - 10 */
    memcpy(header + 10, text, (size_t)length);
    header[HEADER_BYTES - 1] = '\n';
}

/* Where vectors go. A pipe cannot be patched when the number of rows is known at last, so the rows
 * wait in a temporary file. */
struct sink {
    film_output *output;
    FILE *spool;
};

static film_status spool_failed(film_error *error)
{
    snprintf(error->message, sizeof error->message,
             "cannot keep the vectors in a temporary file: %s; write to a file with -o OUT.npy",
             strerror(errno));
    return FILM_IO;
}

static film_status write_rows(struct sink *sink, const void *bytes, size_t count, film_error *error)
{
    if (!sink->spool) return film_output_write(sink->output, bytes, count, error);
    return fwrite(bytes, 1, count, sink->spool) == count ? FILM_OK : spool_failed(error);
}

static film_status finish(struct sink *sink, unsigned long long rows, size_t dim, film_error *error)
{
    char header[HEADER_BYTES], buffer[65536];
    make_header(header, rows, dim);
    film_status status;
    if (!sink->spool) {
        status = film_output_patch(sink->output, 0, header, HEADER_BYTES, error);
    } else {
        status = film_output_write(sink->output, header, HEADER_BYTES, error);
        rewind(sink->spool);
        size_t got;
        while (status == FILM_OK && (got = fread(buffer, 1, sizeof buffer, sink->spool)) > 0)
            status = film_output_write(sink->output, buffer, got, error);
        if (status == FILM_OK && ferror(sink->spool)) return spool_failed(error);
    }
    if (status != FILM_OK) return status;
    film_output *output = sink->output;
    sink->output = NULL;
    return film_output_commit(output, error);
}

/* Embedding takes all cores; reading and writing go on beside it in one more thread: while batch n
 * is embedded, that thread writes the vectors of batch n-1 and reads batch n+1. */
struct pipeline {
    film_table *table;
    const char *path;
    struct sink *sink;
    size_t dim;
    struct batch *batch[2]; /* [turn] is being embedded */
    float *vectors[2];
    int turn;
    film_status read_status, write_status;
    film_error read_error, write_error;
};

/* Writes the batch before this one, reads the one after it: both use the same slot. */
static void *read_and_write(void *argument)
{
    struct pipeline *line = argument;
    struct batch *batch = line->batch[!line->turn];
    line->write_status = FILM_OK;
    if (batch->count)
        line->write_status =
            write_rows(line->sink, line->vectors[!line->turn],
                       batch->count * line->dim * sizeof(float), &line->write_error);
    batch->count = 0;
    if (line->write_status == FILM_OK && line->read_status == FILM_OK)
        line->read_status = read_batch(line->table, batch, line->path, &line->read_error);
    return NULL;
}

/* One turn: embeds the current batch beside the reading and writing. */
static film_status take_turn(const film_model *model, struct pipeline *line, int threads,
                             film_error *error)
{
    pthread_t beside;
    struct batch *batch = line->batch[line->turn];
    int started = pthread_create(&beside, NULL, read_and_write, line) == 0;
    film_status status = film_embed_batch(model, batch->texts, batch->count, threads,
                                          line->vectors[line->turn], error);
    if (started)
        pthread_join(beside, NULL);
    else
        read_and_write(line);
    if (status == FILM_OK && line->write_status != FILM_OK) {
        status = line->write_status;
        *error = line->write_error;
    }
    line->turn = !line->turn;
    return status;
}

static film_status run_pipeline(const film_model *model, struct pipeline *line, int threads,
                                unsigned long long *rows, film_progress progress, film_error *error)
{
    film_status status = FILM_OK;
    line->read_status = read_batch(line->table, line->batch[0], line->path, &line->read_error);
    while (status == FILM_OK && line->batch[line->turn]->count) {
        *rows += line->batch[line->turn]->count;
        status = take_turn(model, line, threads, error);
        if (status == FILM_OK &&
            progress.call(progress.user, "embedding", film_table_progress(line->table), 1)) {
            snprintf(error->message, sizeof error->message, "stopped; nothing was written");
            status = FILM_CANCELLED;
        }
    }
    if (status == FILM_OK && line->read_status != FILM_END && line->read_status != FILM_OK) {
        *error = line->read_error;
        status = line->read_status;
    }
    if (status != FILM_OK) return status;
    read_and_write(line); /* the last batch's vectors; there is nothing left to read */
    *error = line->write_error;
    return line->write_status;
}

static film_status embed_all(const film_model *model, film_table *table, const char *path,
                             struct sink *sink, int threads, unsigned long long *rows,
                             film_progress progress, film_error *error)
{
    struct pipeline line = {.table = table, .path = path, .sink = sink, .dim = film_dim(model)};
    film_status status = FILM_OK;
    for (int i = 0; i < 2; i++) {
        line.batch[i] = calloc(1, sizeof *line.batch[i]);
        line.vectors[i] = malloc(BATCH * line.dim * sizeof *line.vectors[i]);
        if (!line.batch[i] || !line.vectors[i]) status = FILM_NO_MEMORY;
    }
    if (status == FILM_OK)
        status = run_pipeline(model, &line, threads, rows, progress, error);
    else
        snprintf(error->message, sizeof error->message, "out of memory");
    for (int i = 0; i < 2; i++) {
        if (line.batch[i]) free(line.batch[i]->bytes);
        free(line.batch[i]);
        free(line.vectors[i]);
    }
    return status;
}

/* Neither a file nor going to be one: a FIFO, /dev/stdout at the end of a pipe. */
static int cannot_be_patched(const char *path)
{
    struct stat about;
    return strcmp(path, "-") == 0 || (stat(path, &about) == 0 && !S_ISREG(about.st_mode));
}

static film_status open_sink(struct sink *sink, const char *path, film_error *error)
{
    static const char blank[HEADER_BYTES];
    film_status status = film_output_open(path, &sink->output, error);
    if (status == FILM_OK && cannot_be_patched(path) && !(sink->spool = tmpfile()))
        status = spool_failed(error);
    if (status == FILM_OK && !sink->spool)
        status = film_output_write(sink->output, blank, HEADER_BYTES, error);
    return status;
}

static int run(const struct verb *verb, int argc, char **argv)
{
    struct common common = {0};
    film_table_options table_options = {0};
    const char *arguments[2] = {NULL, "-"}, *output = "-", *labels = NULL;
    int threads = 0;
    const struct option options[] = {
        {"output", 'o', OPTION_TEXT, &output, "OUT.npy",
         "where to write (default: standard output)"},
        TABLE_OPTIONS(table_options, labels),
        {"threads", 't', OPTION_THREADS, &threads, "N", "default: all cores"},
        {NULL, 0, 0, NULL, NULL, NULL}};
    int count = parse_arguments(verb, options, &common, argc, argv, arguments, 1, 2);
    if (count < 0) return count == -2 ? EXIT_DONE : EXIT_USAGE;
    if ((table_options.labels = parse_labels(labels)) == FILM_LABELS_COUNT) return EXIT_USAGE;
    if (strcmp(output, "-") == 0 && isatty(STDOUT_FILENO))
        return usage_error(verb, "vectors are binary: use -o OUT.npy or a pipe");

    film_error error = {0};
    film_model *model = NULL;
    film_table *table = NULL;
    struct sink sink = {NULL, NULL};
    unsigned long long rows = 0;
    film_progress progress = progress_start(common.quiet);
    film_status status = film_open(arguments[0], &model, &error);
    if (status == FILM_OK) status = film_table_open(arguments[1], &table_options, &table, &error);
    if (status == FILM_OK) status = open_sink(&sink, output, &error);
    if (status == FILM_OK)
        status = embed_all(model, table, arguments[1], &sink, threads, &rows, progress, &error);
    if (status == FILM_OK) status = finish(&sink, rows, film_dim(model), &error);
    int code = report(status, &error);
    unsigned long long skipped = table ? film_table_skipped(table) : 0;
    FILE *notes = common.json && strcmp(output, "-") != 0 ? stdout : stderr;
    if (code == EXIT_DONE && common.json)
        fprintf(notes, "{\"rows\": %llu, \"dim\": %zu, \"skipped\": %llu}\n", rows, film_dim(model),
                skipped);
    else if (code == EXIT_DONE && !common.quiet)
        fprintf(notes, "%llu sentences, %zu numbers each; %llu bad rows passed over\n", rows,
                film_dim(model), skipped);
    film_output_discard(sink.output);
    if (sink.spool) fclose(sink.spool);
    film_table_close(table);
    film_close(model);
    return code;
}

const struct verb verb_embed = {"embed", "MODEL [FILE] [-o OUT.npy]",
                                "Turn sentences into vectors, as a NumPy array",
                                "FILE has a sentence per line or a text column; without it, "
                                "standard input. The rows of the array\n"
                                "are in the order of the file.\n\n"
                                "example:\n"
                                "  film embed faq.film examples/faq/questions.tsv -o faq.npy\n",
                                run};
