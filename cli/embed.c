/* film embed: the sentences of a file to vectors, as a NumPy array. */
#include "modules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER_BYTES = 128, BERT_ROWS = 1024 };

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
 * wait in a temporary file. In a job the header is the first process's. */
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

static film_status put_header_and_spool(struct sink *sink, const char *header, film_error *error)
{
    char buffer[65536];
    size_t got;
    if (!sink->spool) return film_output_patch(sink->output, 0, header, HEADER_BYTES, error);
    film_status status = film_output_write(sink->output, header, HEADER_BYTES, error);
    rewind(sink->spool);
    while (status == FILM_OK && (got = fread(buffer, 1, sizeof buffer, sink->spool)) > 0)
        status = film_output_write(sink->output, buffer, got, error);
    return status == FILM_OK && ferror(sink->spool) ? spool_failed(error) : status;
}

static film_status finish(struct sink *sink, unsigned long long rows, size_t dim, film_error *error)
{
    char header[HEADER_BYTES];
    film_status status = FILM_OK;
    make_header(header, rows, dim);
    if (job_rank() == 0) status = put_header_and_spool(sink, header, error);
    if (status != FILM_OK) return status;
    film_output *output = sink->output;
    sink->output = NULL;
    return film_output_commit(output, error);
}

/* What turns sentences into vectors: a model of ours, or a folder with a BERT encoder. */
struct embedder {
    film_model *model;
    film_bert *bert;
    const struct train_calls *calls; /* of the encoder */
};

static film_status open_embedder(const char *path, int rounded, struct embedder *embedder,
                                 film_error *error)
{
    if (!is_folder(path)) return film_open(path, &embedder->model, error);
    embedder->calls = load_train_calls(error);
    if (!embedder->calls) return error->status;
    film_status status = embedder->calls->bert_open(path, &embedder->bert, error);
    if (status == FILM_OK && rounded) status = embedder->calls->bert_round(embedder->bert, error);
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
             "%s has two sentences in a row, embed takes one; choose with --columns, for "
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
    /* A large encoder needs minutes for a batch: Ctrl-C should not have to wait for it. */
    for (size_t i = 0; i < batch->count && status == FILM_OK; i += BERT_ROWS) {
        size_t count = batch->count - i < BERT_ROWS ? batch->count - i : BERT_ROWS;
        if (interrupted()) break; /* the report after this batch says so */
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

/* Neither a file nor going to be one: a FIFO, /dev/stdout at the end of a pipe. */
static int cannot_be_patched(const char *path)
{
    struct stat about;
    return strcmp(path, "-") == 0 || (stat(path, &about) == 0 && !S_ISREG(about.st_mode));
}

static film_status open_sink(struct sink *sink, const char *path, film_error *error)
{
    static const char blank[HEADER_BYTES];
    film_status status = job_output_open(path, &sink->output, error);
    if (job_rank() > 0) return status;
    if (status == FILM_OK && cannot_be_patched(path) && !(sink->spool = tmpfile()))
        status = spool_failed(error);
    if (status == FILM_OK && !sink->spool)
        status = film_output_write(sink->output, blank, HEADER_BYTES, error);
    return status;
}

struct values {
    film_table_options table;
    const char *output;
    int threads, rounded;
};

static const struct option options[] = {
    OUTPUT_OPTION(struct values, output, "OUT.npy"),
    TABLE_OPTIONS(struct values, table),
    THREADS_OPTION(struct values, threads),
    {.name = "round",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, rounded),
     .help = "BERT: round to 8 bits, faster and slightly different"},
    END_OF_OPTIONS};

static void prepare(void *given)
{
    ((struct values *)given)->output = "-";
}

static int run(const struct command *command, void *given)
{
    const struct values *values = given;
    const char *output = values->output, *model = command->words[0];
    const char *path = command->count > 1 ? command->words[1] : "-";
    /* What mpirun gives its processes looks like a terminal wherever its own output goes. */
    if (strcmp(output, "-") == 0 && !job && isatty(STDOUT_FILENO))
        return usage_error(command->verb, "vectors are binary: use -o OUT.npy or a pipe");
    if (values->rounded && !is_folder(model))
        return usage_error(command->verb, "--round is for a folder with a BERT encoder");

    film_error error = {0};
    struct embedder embedder = {.model = NULL};
    film_table *table = NULL;
    struct sink sink = {NULL, NULL};
    unsigned long long rows = 0, skipped = 0;
    film_progress progress = progress_start(command->quiet);
    film_status status = open_embedder(model, values->rounded, &embedder, &error);
    if (status == FILM_OK) status = stream_open(path, &values->table, &table, &error);
    if (status == FILM_OK) status = open_sink(&sink, output, &error);
    size_t dim = dim_of(&embedder);
    struct embedding embedding = {embedder, path, &sink, dim, values->threads};
    struct stream stream = {table,       embedding.dim * sizeof(float),
                            check_row,   embed_batch,
                            write_batch, &embedding,
                            "embedding", progress};
    if (status == FILM_OK) status = stream_rows(&stream, &rows, &error);
    if (status == FILM_OK) status = stream_total(table, &rows, &skipped, &error);
    if (status == FILM_OK) status = finish(&sink, rows, dim, &error);
    int code = report(status, &error);
    FILE *notes = command->json && strcmp(output, "-") != 0 ? stdout : stderr;
    int tells = code == EXIT_DONE && job_rank() == 0;
    if (tells && command->json)
        fprintf(notes, "{\"rows\": %llu, \"dim\": %zu, \"skipped\": %llu}\n", rows, dim, skipped);
    else if (tells && !command->quiet)
        fprintf(notes, "%llu sentences, %zu numbers each; %llu bad rows passed over\n", rows, dim,
                skipped);
    film_output_discard(sink.output);
    if (sink.spool) fclose(sink.spool);
    film_table_close(table);
    film_close(embedder.model);
    if (embedder.bert) embedder.calls->bert_close(embedder.bert);
    return code;
}

const struct verb verb_embed = {
    VERB_EMBED,
    .arguments = "MODEL [FILE] [-o OUT.npy] [options]",
    .page = "docs/how-to/use-bert.md",
    .shared = 1,
    .least = 1,
    .most = 2,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .details = "FILE has a sentence per line or a text column; without it, "
               "standard input. The rows of the array\n"
               "are in the order of the file. MODEL may be a folder with a BERT "
               "encoder as Hugging Face has them\n"
               "(docs/how-to/use-bert.md).\n\n"
               "examples:\n"
               "  film embed faq.film examples/faq/questions.tsv -o faq.npy\n"
               "  mpirun -n 4 film embed faq.film questions.tsv -o all.npy    "
               "several processes share the rows\n"};
