/* film predict: computes a probability for each pair of a file, or the paper's verdict by nearest
 * neighbours. Streams rows in file order. */
#include "json.h"
#include "modules.h"
#include "sheet.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum format { FORMAT_TSV, FORMAT_JSONL, FORMAT_KAGGLE };

/* --decision knn follows the decisions of the library. */
enum { KNN = FILM_DECISION_THRESHOLD + 1, PAPER_K = 36 };

struct prediction {
    const film_model *model;
    const char *path;
    double threshold; /* 0: that of the model */
    film_answer_options answer;
    enum format format;
    /* --decision knn: for each row the k from which its sentences are neighbours, in place of a
     * probability; NULL: another decision. */
    uint32_t *depth;
    size_t rows, next, k;
    struct sheet sheet;
    struct kept kept; /* empty without --keep-columns */
    int has_header;
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

/* The file is read a second time, after the neighbours were found. */
static film_status take_depths(struct prediction *prediction, const struct stream_batch *batch,
                               film_error *error)
{
    film_verdict *verdicts = batch->result;
    if (batch->count > prediction->rows - prediction->next) {
        snprintf(error->message, sizeof error->message, "%s changed while it was read; try again",
                 prediction->path);
        return FILM_IO;
    }
    for (size_t i = 0; i < batch->count; i++) {
        uint32_t depth = prediction->depth[prediction->next++];
        verdicts[i] = (film_verdict){.probability = depth, .same = depth <= prediction->k};
    }
    return FILM_OK;
}

static film_status predict_batch(void *user, struct stream_batch *batch, film_error *error)
{
    struct prediction *prediction = user;
    film_verdict *verdicts = batch->result;
    if (prediction->depth) return take_depths(prediction, batch, error);
    film_status status =
        film_match_batch(prediction->model, batch->text[STREAM_A], batch->text[STREAM_B],
                         batch->count, &prediction->answer, verdicts, error);
    for (size_t i = 0; status == FILM_OK && prediction->threshold > 0 && i < batch->count; i++)
        verdicts[i].same = verdicts[i].probability >= prediction->threshold;
    return status;
}

/* ---- Writing ---- */

/* Writes an id as CSV, quoted if necessary. */
static film_status put_csv_id(film_output *output, film_text id, film_error *error)
{
    int plain = 1;
    for (size_t i = 0; i < id.length; i++)
        if (strchr(",\"\n\r", id.bytes[i])) plain = 0;
    if (plain) return film_output_write(output, id.bytes, id.length, error);
    film_status status = film_output_write(output, "\"", 1, error);
    for (size_t i = 0; i < id.length && status == FILM_OK; i++)
        status = film_output_write(output, id.bytes[i] == '"' ? "\"\"" : &id.bytes[i],
                                   id.bytes[i] == '"' ? 2 : 1, error);
    return status == FILM_OK ? film_output_write(output, "\"", 1, error) : status;
}

static film_status put_kaggle(film_output *output, film_text id, const film_verdict *verdict,
                              film_error *error)
{
    char number[48];
    int length = snprintf(number, sizeof number, ",%.9g\n", verdict->probability);
    film_status status = put_csv_id(output, id, error);
    return status == FILM_OK ? film_output_write(output, number, (size_t)length, error) : status;
}

static film_status put_prediction(struct prediction *prediction, film_text id,
                                  const film_verdict *verdict, film_text kept, film_error *error)
{
    struct sheet *sheet = &prediction->sheet;
    if (prediction->format == FORMAT_KAGGLE) return put_kaggle(sheet->output, id, verdict, error);
    if (id.bytes) sheet_text(sheet, "id", id);
    if (prediction->depth && !verdict->same)
        sheet_text(sheet, "depth", (film_text){NULL, 0});
    else
        sheet_number(sheet, prediction->depth ? "depth" : "probability", "%.9g",
                     verdict->probability);
    if (sheet->json)
        sheet_flag(sheet, "same", verdict->same);
    else
        sheet_number(sheet, "same", "%.0f", verdict->same);
    kept_write_packed(sheet, &prediction->kept, kept);
    sheet_end_row(sheet);
    *error = sheet->error;
    return sheet->status;
}

static const char *own_columns(const struct prediction *prediction, int has_id)
{
    const char *names = prediction->depth ? "id\tdepth\tsame" : "id\tprobability\tsame";
    return has_id ? names : names + strlen("id\t");
}

/* Writes the header. Whether there is an id is known only with the first row. */
static film_status put_prediction_header(struct prediction *prediction, int has_id,
                                         film_error *error)
{
    static const char kaggle[] = "test_id,is_duplicate\n";
    struct sheet *sheet = &prediction->sheet;
    prediction->has_header = 1;
    if (prediction->format == FORMAT_KAGGLE)
        return film_output_write(sheet->output, kaggle, sizeof kaggle - 1, error);
    sheet_header(sheet, own_columns(prediction, has_id), &prediction->kept);
    *error = sheet->error;
    return sheet->status;
}

static film_status write_batch(void *user, const struct stream_batch *batch, film_error *error)
{
    struct prediction *prediction = user;
    const film_text *id = batch->text[STREAM_ID];
    const film_verdict *verdicts = batch->result;
    film_status status = FILM_OK;
    if (!prediction->has_header)
        status = put_prediction_header(prediction, id[0].bytes != NULL, error);
    for (size_t i = 0; i < batch->count && status == FILM_OK; i++)
        status =
            put_prediction(prediction, id[i], &verdicts[i], batch->text[STREAM_KEPT][i], error);
    return status;
}

/* ---- The verb ---- */

/* Warns of a prior if the model's threshold was chosen for one: it would count twice. */
static film_status warn_prior(const struct prediction *prediction, const char *name,
                              film_error *error)
{
    char *text = NULL;
    if (prediction->answer.prior == 0 || prediction->threshold > 0) return FILM_OK;
    film_status status = film_describe(prediction->model, &text, error);
    if (status != FILM_OK) return status;
    json_t *about = json_loads(text, 0, NULL);
    const json_t *point = json_object_get(json_object_get(about, "figures"), "operating");
    const char *criterion = json_string_value(json_object_get(point, "criterion"));
    double prior = json_number(point, "prior");
    if (criterion && (strcmp(criterion, "accuracy") != 0 || prior != 0.5))
        print_clean(stderr,
                    "film: warning: %s: the threshold was chosen for %s at %.3g %% duplicates, and "
                    "--prior moves every probability away from it; leave --prior out, or set "
                    "--threshold too\n",
                    name, criterion, 100 * prior);
    json_decref(about);
    film_free(text);
    return FILM_OK;
}

static film_status predict(struct prediction *prediction, film_table *table, const char *path,
                           unsigned long long *rows, film_progress progress, film_error *error)
{
    struct sheet *sheet = &prediction->sheet;
    *sheet = (struct sheet){.json = prediction->format == FORMAT_JSONL, .first_field = 1};
    film_status status = film_output_open(path, &sheet->output, error);
    struct row_stream stream = {table,
                                sizeof(film_verdict),
                                check_row,
                                predict_batch,
                                write_batch,
                                prediction,
                                "predicting",
                                progress,
                                prediction->kept.count ? &prediction->kept : NULL};
    if (status == FILM_OK) status = stream_rows(&stream, rows, error);
    if (status == FILM_OK && !prediction->has_header)
        status = put_prediction_header(prediction, 0, error); /* no rows */
    if (status != FILM_OK) return status;
    film_output *output = sheet->output;
    sheet->output = NULL;
    return film_output_commit(output, error);
}

struct values {
    film_table_options table;
    const char *output;
    enum format format;
    film_answer_options answer;
    double threshold;
    int keep_columns;
    film_neighbour_options neighbours;
    film_arithmetic arithmetic;
};

static const struct option options[] = {
    OUTPUT_OPTION(struct values, output, "OUT"),
    {.name = "keep-columns",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, keep_columns),
     .help = "write the other columns of FILE too, after those of predict"},
    {.name = "format",
     .kind = OPTION_CHOICE,
     .at = offsetof(struct values, format),
     .argument = "tsv|jsonl|kaggle",
     .help = "output format"},
    {.name = "decision",
     .kind = OPTION_CHOICE,
     .at = offsetof(struct values, answer.decision),
     .argument = "auto|full|threshold|knn",
     .help = "use the full decision (default), only the similarity, or nearest neighbours"},
    {.name = "k",
     .letter = 'k',
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, neighbours.k),
     .argument = "K",
     .help = "knn: the same when each is among the K nearest of the other",
     .fallback = "36"},
    {.name = "knn",
     .kind = OPTION_CHOICE,
     .at = offsetof(struct values, neighbours.knn),
     .argument = "mutual|either",
     .help = "knn: each among the K nearest of the other (default), or one of them"},
    {.name = "pool",
     .kind = OPTION_FILE,
     .at = offsetof(struct values, neighbours.pool),
     .argument = "FILE",
     .help = "knn: the sentences of this file are possible neighbours too"},
    OTHER_ANSWER_OPTIONS(struct values, answer),
    THRESHOLD_OPTION(struct values, threshold),
    COLUMNS_OPTION(struct values, table, "id,a,b"),
    FORMAT_OPTION(struct values, table, "input-format", "tsv|csv|jsonl"),
    FIELDS_OPTIONS(struct values, table),
    LABELS_OPTION(struct values, table),
    ENCODING_OPTION(struct values, table),
    SKIP_BAD_OPTION(struct values, table),
    THREADS_OPTION(struct values, answer.threads),
    ENCODER_OPTIONS(struct values, arithmetic),
    END_OF_OPTIONS};

static void prepare(void *given)
{
    struct values *values = given;
    values->output = "-";
    values->answer.size = sizeof values->answer;
}

/* Refuses options that the decision does not use. Returns EXIT_DONE if all fit. */
static int check_options(const struct verb *verb, const struct values *values, const char *path)
{
    int knn = (int)values->answer.decision == KNN;
    if (!knn && (values->neighbours.k || values->neighbours.knn || values->neighbours.pool))
        return usage_error(verb, "--k, --knn and --pool need --decision knn");
    if (!knn) return EXIT_DONE;
    if (values->threshold > 0 || values->answer.prior > 0 || values->answer.no_memory ||
        values->format == FORMAT_KAGGLE)
        return usage_error(verb, "--decision knn has no probabilities; leave out --threshold, "
                                 "--prior, --no-memory and --format kaggle");
    if (strcmp(path, "-") == 0)
        return usage_error(verb, "--decision knn reads its input twice and cannot read standard "
                                 "input; pass a file");
    return EXIT_DONE;
}

static film_status find_known_neighbours(struct prediction *prediction, const struct values *values,
                                         film_progress progress, film_error *error)
{
    film_neighbour_options by = values->neighbours;
    by.size = sizeof by;
    by.table = values->table;
    by.table.size = by.pool_table.size = sizeof by.table;
    by.pool_table.skip_bad = values->table.skip_bad;
    by.threads = values->answer.threads;
    by.progress = progress;
    prediction->k = by.k = by.k ? by.k : PAPER_K;
    const struct train_calls *calls = load_train_calls(error);
    if (!calls) return FILM_IO;
    return calls->neighbours(prediction->model, prediction->path, &by, &prediction->depth,
                             &prediction->rows, error);
}

static int run(const struct command *command, void *given)
{
    const struct values *values = given;
    const char *output = values->output, *path = command->count > 1 ? command->words[1] : "-";
    struct prediction prediction = {.path = path,
                                    .threshold = values->threshold,
                                    .answer = values->answer,
                                    .format = values->format};

    if (values->keep_columns && values->format == FORMAT_KAGGLE)
        return usage_error(command->verb, "--keep-columns cannot be combined with --format kaggle");

    int unfit = check_options(command->verb, values, path);
    if (unfit != EXIT_DONE) return unfit;
    film_error error = {0};
    film_model *model = NULL;
    film_table *table = NULL;
    unsigned long long rows = 0, skipped = 0;
    film_progress progress = progress_start(command->quiet);
    film_status status = open_model(command->words[0], values->arithmetic, &model, &error);
    film_table_options reading = values->table;
    if (!reading.labels) reading.labels = FILM_LABELS_NONE; /* not used */
    if (status == FILM_OK) status = stream_open(path, &reading, &table, &error);
    prediction.model = model;
    if (status == FILM_OK && (int)values->answer.decision == KNN)
        status = find_known_neighbours(&prediction, values, progress, &error);
    if (status == FILM_OK && values->keep_columns)
        status = kept_of_table(&prediction.kept, table, 1u << FILM_COLUMN_ID,
                               own_columns(&prediction, 1), &error);
    if (status == FILM_OK && !command->quiet)
        status = warn_prior(&prediction, command->words[0], &error);
    if (status == FILM_OK && !command->quiet) warn_fields(model, table, path, &values->table);
    if (status == FILM_OK) status = predict(&prediction, table, output, &rows, progress, &error);
    if (status == FILM_OK) skipped = film_table_skipped(table);
    int code = report(status, &error);
    FILE *figures = figures_stream(command, code, output);
    if (figures && command->json)
        fprintf(figures, "{\"rows\": %llu, \"skipped\": %llu}\n", rows, skipped);
    else if (figures) {
        fprintf(figures, "%s", counted(rows, "pair"));
        print_skipped(figures, skipped);
        fprintf(figures, "\n");
    }
    film_free(prediction.depth);
    film_output_discard(prediction.sheet.output);
    kept_free(&prediction.kept);
    film_table_close(table);
    close_model(model);
    return code;
}

const struct verb verb_predict = {
    VERB_PREDICT,
    .arguments = "MODEL [FILE] [-o OUT] [options]",
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
        "threshold (else 0). --keep-columns adds all other columns of FILE. --format kaggle writes "
        "the\n"
        "columns test_id and is_duplicate.\n"
        "--decision knn is the rule of the paper: two sentences are the same when each is among "
        "the\n"
        "K nearest of the other, of all sentences of FILE and --pool. It writes the smallest such "
        "K\n"
        "instead of a probability, or nothing.\n\n"
        "examples:\n"
        "  film predict quora.film test.csv --format kaggle -o submission.csv\n"};
