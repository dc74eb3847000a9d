/* film embed: computes the vectors of a file's sentences and writes them as a NumPy array. */
#include "modules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER_BYTES = 128, BERT_ROWS = 1024 };

/* Makes the header of a .npy file. Its size is fixed, so that space can be reserved before the
 * number of rows is known. */
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

/* The output. In a file, the header is overwritten when the number of rows is known. That is
 * impossible in a pipe, so the rows are first written to a temporary file (spool). */
struct sink {
    film_output *output;
    FILE *spool;
};

static film_status temporary_failed(film_error *error)
{
    snprintf(error->message, sizeof error->message,
             "cannot write the vectors to a temporary file: %s; write to a file with -o OUT.npy",
             strerror(errno));
    return FILM_IO;
}

static film_status write_rows(struct sink *sink, const void *bytes, size_t count, film_error *error)
{
    if (!sink->spool) return film_output_write(sink->output, bytes, count, error);
    return fwrite(bytes, 1, count, sink->spool) == count ? FILM_OK : temporary_failed(error);
}

static film_status put_header_and_spool(struct sink *sink, const char *header, film_error *error)
{
    char buffer[65536];
    size_t got;
    if (!sink->spool) return film_output_patch(sink->output, 0, header, HEADER_BYTES, error);
    film_status status = film_output_write(sink->output, header, HEADER_BYTES, error);
    rewind(sink->spool);
    while (status == FILM_OK && (got = fread(buffer, 1, sizeof buffer, sink->spool)) > 0)
        status = film_output_write(sink->output, buffer, got, error);
    return status == FILM_OK && ferror(sink->spool) ? temporary_failed(error) : status;
}

static film_status finish_output(struct sink *sink, unsigned long long rows, size_t dim,
                                 film_error *error)
{
    char header[HEADER_BYTES];
    make_header(header, rows, dim);
    film_status status = put_header_and_spool(sink, header, error);
    if (status != FILM_OK) return status;
    film_output *output = sink->output;
    sink->output = NULL;
    return film_output_commit(output, error);
}

/* The source of the vectors: a model file, or a folder with a BERT encoder. */
struct embedder {
    film_model *model;
    film_bert *bert;
    const struct train_calls *calls; /* of the encoder */
};

static film_status open_embedder(const char *path, film_arithmetic arithmetic,
                                 struct embedder *embedder, film_error *error)
{
    if (!is_folder(path)) return open_model(path, arithmetic, &embedder->model, error);
    embedder->calls = load_train_calls(error);
    if (!embedder->calls) return error->status;
    film_status status = embedder->calls->bert_open(path, &embedder->bert, error);
    if (status == FILM_OK && arithmetic == FILM_ARITHMETIC_INT8)
        status = embedder->calls->bert_round(embedder->bert, error);
    return status;
}

static size_t dim_of(const struct embedder *embedder)
{
    return embedder->bert ? embedder->calls->bert_dim(embedder->bert) : film_dim(embedder->model);
}

struct embedding {
    struct embedder embedder;
    const char *path;
    struct sink *sink;
    size_t dim;
    int threads;
};

static film_status check_row(void *user, const film_row *row, film_error *error)
{
    const struct embedding *embedding = user;
    if (!row->b.bytes) return FILM_OK;
    snprintf(error->message, sizeof error->message,
             "%s has two sentences per row, but embed needs one; choose it with --columns, for "
             "example --columns -,text,-",
             embedding->path);
    return FILM_BAD_INPUT;
}

static film_status embed_batch(void *user, struct stream_batch *batch, film_error *error)
{
    const struct embedding *embedding = user;
    const film_text *texts = batch->text[STREAM_A];
    float *out = batch->result;
    film_status status = FILM_OK;
    if (embedding->embedder.model)
        return film_embed_batch(embedding->embedder.model, texts, batch->count, embedding->threads,
                                out, error);
    /* A large encoder needs minutes for a batch. Smaller chunks let Ctrl-C take effect earlier. */
    for (size_t i = 0; i < batch->count && status == FILM_OK; i += BERT_ROWS) {
        size_t count = batch->count - i < BERT_ROWS ? batch->count - i : BERT_ROWS;
        if (interrupted()) break; /* reported after this batch */
        status = embedding->embedder.calls->bert_embed(embedding->embedder.bert, texts + i, count,
                                                       embedding->threads, out + i * embedding->dim,
                                                       error);
    }
    return status;
}

static film_status write_batch(void *user, const struct stream_batch *batch, film_error *error)
{
    const struct embedding *embedding = user;
    return write_rows(embedding->sink, batch->result, batch->count * embedding->dim * sizeof(float),
                      error);
}

/* Returns whether PATH is not a regular file: standard output, a FIFO or a device. */
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
        status = temporary_failed(error);
    if (status == FILM_OK && !sink->spool)
        status = film_output_write(sink->output, blank, HEADER_BYTES, error);
    return status;
}

struct values {
    film_table_options table;
    const char *output;
    int threads;
    film_arithmetic arithmetic;
};

static const struct option options[] = {OUTPUT_OPTION(struct values, output, "OUT.npy"),
                                        TABLE_OPTIONS(struct values, table),
                                        THREADS_OPTION(struct values, threads),
                                        ENCODER_OPTIONS(struct values, arithmetic), END_OF_OPTIONS};

static void prepare(void *given)
{
    ((struct values *)given)->output = "-";
}

static int run(const struct command *command, void *given)
{
    const struct values *values = given;
    const char *output = values->output, *model = command->words[0];
    const char *path = command->count > 1 ? command->words[1] : "-";
    if (strcmp(output, "-") == 0 && isatty(STDOUT_FILENO))
        return usage_error(
            command->verb,
            "vectors are binary and cannot be printed on a terminal; use -o OUT.npy or a pipe");

    film_error error = {0};
    struct embedder embedder = {.model = NULL};
    film_table *table = NULL;
    struct sink sink = {NULL, NULL};
    unsigned long long rows = 0, skipped = 0;
    film_progress progress = progress_start(command->quiet);
    film_status status = open_embedder(model, values->arithmetic, &embedder, &error);
    if (status == FILM_OK) status = stream_open(path, &values->table, &table, &error);
    if (status == FILM_OK) status = open_sink(&sink, output, &error);
    size_t dim = dim_of(&embedder);
    struct embedding embedding = {embedder, path, &sink, dim, values->threads};
    struct row_stream stream = {table,       embedding.dim * sizeof(float),
                                check_row,   embed_batch,
                                write_batch, &embedding,
                                "embedding", progress,
                                NULL};
    if (status == FILM_OK) status = stream_rows(&stream, &rows, &error);
    if (status == FILM_OK) skipped = film_table_skipped(table);
    if (status == FILM_OK) status = finish_output(&sink, rows, dim, &error);
    int code = report(status, &error);
    FILE *figures = figures_stream(command, code, output);
    if (figures && command->json)
        fprintf(figures, "{\"rows\": %llu, \"dim\": %zu, \"skipped\": %llu}\n", rows, dim, skipped);
    else if (figures) {
        fprintf(figures, "%s, %s", counted(rows, "sentence"), counted(dim, "dimension"));
        print_skipped(figures, skipped);
        fprintf(figures, "\n");
    }
    film_output_discard(sink.output);
    if (sink.spool) fclose(sink.spool);
    film_table_close(table);
    close_model(embedder.model);
    if (embedder.bert) embedder.calls->bert_close(embedder.bert);
    return code;
}

const struct verb verb_embed = {
    VERB_EMBED,
    .arguments = "MODEL [FILE] [-o OUT.npy] [options]",
    .page = "docs/explanation/bert.md",
    .min_words = 1,
    .max_words = 2,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .details = "FILE has one sentence per line, or a text column; the default "
               "is standard input. The rows\n"
               "of the array are in file order. MODEL may be a folder with a "
               "BERT encoder in the format of\n"
               "Hugging Face (docs/explanation/bert.md).\n\n"
               "examples:\n"
               "  film embed faq.film examples/faq/questions.tsv -o faq.npy\n"};
