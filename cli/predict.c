/* film predict: computes a probability for each pair of a file. Streams rows in file order. */
#include "cli.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

enum format { FORMAT_TSV, FORMAT_JSONL, FORMAT_KAGGLE };

struct prediction {
    const film_model *model;
    const char *path;
    double threshold; /* 0: that of the model */
    film_answer_options answer;
    enum format format;
    film_output *output;
    enum { NO_ROWS, WITHOUT_ID, WITH_ID } first_row;
};

static film_status check_row(void *user, const film_row *row, film_error *error)
{
    const struct prediction *prediction = user;
    if (!row->b.bytes) {
        snprintf(
            error->message, sizeof error->message,
            "%s has one sentence per row, but predict needs two; name them with --columns, for "
            "example --columns a,b",
            prediction->path);
        return FILM_BAD_INPUT;
    }
    if (prediction->format == FORMAT_KAGGLE && !row->id.bytes) {
        snprintf(error->message, sizeof error->message,
                 "%s has no id column, but --format kaggle needs one; name it with --columns, "
                 "for example --columns id,a,b",
                 prediction->path);
        return FILM_BAD_INPUT;
    }
    return FILM_OK;
}

static film_status predict_batch(void *user, struct stream_batch *batch, film_error *error)
{
    const struct prediction *prediction = user;
    film_verdict *verdicts = batch->result;
    film_status status =
        film_match_batch(prediction->model, batch->text[STREAM_A], batch->text[STREAM_B],
                         batch->count, &prediction->answer, verdicts, error);
    for (size_t i = 0; status == FILM_OK && prediction->threshold > 0 && i < batch->count; i++)
        verdicts[i].same = verdicts[i].probability >= prediction->threshold;
    return status;
}

/* ---- Writing ---- */

static film_status put_bytes(struct prediction *prediction, const char *bytes, size_t count,
                             film_error *error)
{
    return film_output_write(prediction->output, bytes, count, error);
}

/* Writes an id as TSV. Tabs and line ends become spaces. */
static film_status put_tsv_id(struct prediction *prediction, film_text id, film_error *error)
{
    film_status status = FILM_OK;
    for (size_t i = 0, end; i < id.length && status == FILM_OK; i = end + 1) {
        for (end = i; end < id.length && !strchr("\t\n\r", id.bytes[end]);) end++;
        status = put_bytes(prediction, id.bytes + i, end - i, error);
        if (status == FILM_OK && end < id.length) status = put_bytes(prediction, " ", 1, error);
    }
    return status;
}

/* Writes an id as CSV, quoted if necessary. */
static film_status put_csv_id(struct prediction *prediction, film_text id, film_error *error)
{
    int plain = 1;
    for (size_t i = 0; i < id.length; i++)
        if (strchr(",\"\n\r", id.bytes[i])) plain = 0;
    if (plain) return put_bytes(prediction, id.bytes, id.length, error);
    film_status status = put_bytes(prediction, "\"", 1, error);
    for (size_t i = 0; i < id.length && status == FILM_OK; i++)
        status = put_bytes(prediction, id.bytes[i] == '"' ? "\"\"" : &id.bytes[i],
                           id.bytes[i] == '"' ? 2 : 1, error);
    return status == FILM_OK ? put_bytes(prediction, "\"", 1, error) : status;
}

static film_status put_prediction_json(struct prediction *prediction, film_text id,
                                       const film_verdict *verdict, film_error *error)
{
    char number[64];
    int length = snprintf(number, sizeof number, "\"probability\": %.9g, \"same\": %s}\n",
                          verdict->probability, verdict->same ? "true" : "false");
    film_status status = put_bytes(prediction, "{", 1, error);
    if (id.bytes && status == FILM_OK) {
        json_t *string = json_stringn(id.bytes, id.length);
        char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
        if (!quoted) {
            status = no_memory(error);
        }
        if (status == FILM_OK) status = put_bytes(prediction, "\"id\": ", 6, error);
        if (status == FILM_OK) status = put_bytes(prediction, quoted, strlen(quoted), error);
        if (status == FILM_OK) status = put_bytes(prediction, ", ", 2, error);
        free(quoted);
        json_decref(string);
    }
    return status == FILM_OK ? put_bytes(prediction, number, (size_t)length, error) : status;
}

static film_status put_prediction(struct prediction *prediction, film_text id,
                                  const film_verdict *verdict, film_error *error)
{
    char number[48];
    int length, kaggle = prediction->format == FORMAT_KAGGLE;
    film_status status = FILM_OK;
    if (prediction->format == FORMAT_JSONL)
        return put_prediction_json(prediction, id, verdict, error);
    if (kaggle)
        length = snprintf(number, sizeof number, ",%.9g\n", verdict->probability);
    else
        length = snprintf(number, sizeof number, "%s%.9g\t%d\n", id.bytes ? "\t" : "",
                          verdict->probability, verdict->same);
    if (id.bytes) status = (kaggle ? put_csv_id : put_tsv_id)(prediction, id, error);
    return status == FILM_OK ? put_bytes(prediction, number, (size_t)length, error) : status;
}

/* Writes the header. Whether there is an id is known only with the first row. */
static film_status put_prediction_header(struct prediction *prediction, int has_id,
                                         film_error *error)
{
    const char *header = prediction->format == FORMAT_KAGGLE  ? "test_id,is_duplicate\n"
                         : prediction->format == FORMAT_JSONL ? ""
                         : has_id                             ? "id\tprobability\tsame\n"
                                                              : "probability\tsame\n";
    return put_bytes(prediction, header, strlen(header), error);
}

static film_status write_batch(void *user, const struct stream_batch *batch, film_error *error)
{
    struct prediction *prediction = user;
    const film_text *id = batch->text[STREAM_ID];
    const film_verdict *verdicts = batch->result;
    film_status status = FILM_OK;
    if (prediction->first_row == NO_ROWS) {
        prediction->first_row = id[0].bytes ? WITH_ID : WITHOUT_ID;
        if (job_rank() == 0) status = put_prediction_header(prediction, id[0].bytes != NULL, error);
    }
    for (size_t i = 0; i < batch->count && status == FILM_OK; i++)
        status = put_prediction(prediction, id[i], &verdicts[i], error);
    return status;
}

/* ---- The verb ---- */

/* Writes the header if the first process has no rows: another has the first row, or the file is
 * empty. */
static film_status put_late_header(struct prediction *prediction, film_error *error)
{
    size_t processes = (size_t)job_size(), first = 0;
    uint64_t *rows = calloc(processes, sizeof *rows);
    if (!rows) return no_memory(error);
    rows[job_rank()] = prediction->first_row;
    film_status status = job_sum(rows, processes, error);
    while (first + 1 < processes && rows[first] == NO_ROWS) first++;
    if (status == FILM_OK && job_rank() == 0 && rows[0] == NO_ROWS)
        status = put_prediction_header(prediction, rows[first] == WITH_ID, error);
    free(rows);
    return status;
}

static film_status predict(struct prediction *prediction, film_table *table, const char *path,
                           unsigned long long *rows, film_progress progress, film_error *error)
{
    film_status status = job_output_open(path, &prediction->output, error);
    struct row_stream stream = {table,       sizeof(film_verdict), check_row,    predict_batch,
                                write_batch, prediction,           "predicting", progress};
    if (status == FILM_OK) status = stream_rows(&stream, rows, error);
    if (status == FILM_OK) status = put_late_header(prediction, error);
    if (status != FILM_OK) return status;
    film_output *output = prediction->output;
    prediction->output = NULL;
    return film_output_commit(output, error);
}

struct values {
    film_table_options table;
    const char *output;
    enum format format;
    film_answer_options answer;
    double threshold;
};

static const struct option options[] = {
    OUTPUT_OPTION(struct values, output, "OUT"),
    {.name = "format",
     .kind = OPTION_CHOICE,
     .at = offsetof(struct values, format),
     .argument = "tsv|jsonl|kaggle",
     .help = "output format"},
    ANSWER_OPTIONS(struct values, answer),
    THRESHOLD_OPTION(struct values, threshold),
    COLUMNS_OPTION(struct values, table, "id,a,b"),
    FORMAT_OPTION(struct values, table, "input-format", "tsv|csv|jsonl"),
    LABELS_OPTION(struct values, table),
    SKIP_BAD_OPTION(struct values, table),
    THREADS_OPTION(struct values, answer.threads),
    END_OF_OPTIONS};

static void prepare(void *given)
{
    struct values *values = given;
    values->output = "-";
    values->answer.size = sizeof values->answer;
}

static int run(const struct command *command, void *given)
{
    const struct values *values = given;
    const char *output = values->output, *path = command->count > 1 ? command->words[1] : "-";
    struct prediction prediction = {.path = path,
                                    .threshold = values->threshold,
                                    .answer = values->answer,
                                    .format = values->format};

    film_error error = {0};
    film_model *model = NULL;
    film_table *table = NULL;
    unsigned long long rows = 0, skipped = 0;
    film_progress progress = progress_start(command->quiet);
    film_status status = film_open(command->words[0], &model, &error);
    if (status == FILM_OK) status = stream_open(path, &values->table, &table, &error);
    prediction.model = model;
    if (status == FILM_OK) status = predict(&prediction, table, output, &rows, progress, &error);
    if (status == FILM_OK) status = stream_total(table, &rows, &skipped, &error);
    int code = report(status, &error);
    FILE *figures = figures_stream(command, code, output);
    if (figures && command->json)
        fprintf(figures, "{\"rows\": %llu, \"skipped\": %llu}\n", rows, skipped);
    else if (figures) {
        fprintf(figures, "%s", counted(rows, "pair"));
        print_skipped(figures, skipped);
        fprintf(figures, "\n");
    }
    film_output_discard(prediction.output);
    film_table_close(table);
    film_close(model);
    return code;
}

const struct verb verb_predict = {
    VERB_PREDICT,
    .arguments = "MODEL [FILE] [-o OUT] [options]",
    .shared = 1,
    .min_words = 1,
    .max_words = 2,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .details =
        "FILE has two sentences per row; the default is standard input. Output columns: the id of "
        "the\n"
        "row if FILE has ids, the probability that both mean the same, and 1 if it reaches the\n"
        "threshold (else 0). --format kaggle writes the columns test_id and is_duplicate.\n\n"
        "examples:\n"
        "  film predict quora.film test.csv --format kaggle -o submission.csv\n"
        "  mpirun -n 4 film predict quora.film pairs.tsv -o out.tsv    runs in 4 processes\n"};
