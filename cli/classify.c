/* film classify: the category of a sentence or of every row of a table, or none, with reasons. */
#include "modules.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

struct values {
    film_classify_options classify;
    film_table_options table;
    const char *input, *output, *reference;
};

/* ---- The model ---- */

static film_status set_reference(film_model *model, const struct values *values,
                                 film_progress progress, film_error *error)
{
    const struct train_calls *calls = load_train_calls(error);
    if (!calls) return error->status;
    film_reference_options options = {
        .size = sizeof options, .threads = values->classify.threads, .progress = progress};
    options.table.skip_bad = values->table.skip_bad;
    return calls->set_reference(model, values->reference, &options, error);
}

/* ---- One sentence ---- */

static int print_json(void *user, size_t number, const film_classification *result)
{
    char *json = NULL;
    (void)user;
    (void)number;
    if (film_classification_json(result, &json, NULL) != FILM_OK) return 1;
    puts(json);
    film_free(json);
    return 0;
}

static void print_category(const film_category *category)
{
    print_clean(stdout, "%.3f  %.*s\n", category->probability, (int)category->name.length,
                category->name.bytes);
}

static int print_result(void *user, size_t number, const film_classification *result)
{
    (void)user;
    (void)number;
    if (result->none)
        printf("none of these (probability %.3f, and none from %.3f on); the nearest:\n",
               result->none_probability, result->threshold);
    for (size_t i = 0; i < result->category_count; i++) print_category(&result->categories[i]);
    size_t shown = 0;
    for (size_t i = 0; i < result->reason_count; i++) {
        const film_category_reason *reason = &result->reasons[i];
        if (reason->weight <= 0) continue;
        print_clean(stdout, "%s%.*s %+.2f",
                    shown++ ? ", " : "because of: ", (int)reason->word.length, reason->word.bytes,
                    reason->weight);
    }
    if (shown) printf("\n");
    if (result->example_count) printf("nearest examples:\n");
    for (size_t i = 0; i < result->example_count; i++) {
        const film_category_example *example = &result->examples[i];
        print_clean(stdout, "%.3f  %.*s  %.*s\n", example->similarity,
                    (int)example->category.length, example->category.bytes,
                    (int)example->text.length, example->text.bytes);
    }
    return 0;
}

/* ---- A table ---- */

enum { BATCH = 1024 };

/* The rows of a batch: their sentences, and what is written before the answer. */
struct class_batch {
    film_table *table;
    film_output *output;
    film_format format;
    char separator; /* of columns */
    int json;
    film_text text[BATCH];
    char *row[BATCH]; /* the columns, written */
    size_t row_length[BATCH], count;
    film_status status; /* of writing */
    film_error *error;
};

struct buffer {
    char *bytes;
    size_t length, capacity;
    int failed;
};

static void buffer_append(struct buffer *buffer, const char *bytes, size_t length)
{
    if (buffer->length + length > buffer->capacity) {
        size_t larger = 2 * buffer->capacity + length + 256;
        char *bigger = realloc(buffer->bytes, larger);
        if (!bigger) {
            buffer->failed = 1;
            return;
        }
        buffer->bytes = bigger;
        buffer->capacity = larger;
    }
    if (length) memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
}

/* Writes a field as CSV, quoted if necessary, or as TSV, where control characters become spaces as
 * in other tables. */
static void append_field(struct buffer *buffer, film_text text, char separator)
{
    int quoted = 0, csv = separator != '\t';
    for (size_t i = 0; i < text.length; i++)
        quoted |= csv && (text.bytes[i] == separator || strchr("\"\n\r", text.bytes[i]));
    if (quoted) buffer_append(buffer, "\"", 1);
    for (size_t i = 0, control; i < text.length; i += control ? control : 1) {
        control = csv ? 0 : control_at(text, i);
        if (quoted && text.bytes[i] == '"') buffer_append(buffer, "\"", 1);
        buffer_append(buffer, control ? " " : &text.bytes[i], 1);
    }
    if (quoted) buffer_append(buffer, "\"", 1);
}

/* The columns of a row as they are written: all fields, then a separator; an object of JSON lines
 * without its closing brace. */
static void append_row(struct buffer *buffer, const film_row *row, const struct class_batch *batch)
{
    if (batch->format == FILM_FORMAT_JSONL) {
        size_t length = row->raw.length;
        while (length && row->raw.bytes[length - 1] != '}') length--;
        buffer_append(buffer, row->raw.bytes, length ? length - 1 : 0);
        buffer_append(buffer, ", ", 2);
        return;
    }
    for (size_t i = 0; i < row->field_count; i++) {
        append_field(buffer, row->fields[i], batch->separator);
        buffer_append(buffer, &batch->separator, 1);
    }
}

static void append_json_text(struct buffer *buffer, film_text text)
{
    char *escaped = malloc(text.length * FILM_JSON_ESCAPED + 1);
    if (!escaped) {
        buffer->failed = 1;
        return;
    }
    buffer_append(buffer, "\"", 1);
    buffer_append(buffer, escaped, film_json_escape(text, escaped));
    buffer_append(buffer, "\"", 1);
    free(escaped);
}

static void append_answer(struct buffer *buffer, const film_classification *result,
                          const struct class_batch *batch)
{
    char number[64];
    int json = batch->format == FILM_FORMAT_JSONL;
    film_text name = result->none ? (film_text){"", 0} : result->categories[0].name;
    double probability =
        result->none ? result->none_probability : result->categories[0].probability;
    if (json) buffer_append(buffer, "\"predicted_category\": ", 22);
    if (json && result->none)
        buffer_append(buffer, "null", 4);
    else if (json)
        append_json_text(buffer, name);
    else
        append_field(buffer, name, batch->separator);
    int length =
        json ? snprintf(number, sizeof number, ", \"predicted_probability\": %.6f}\n", probability)
             : snprintf(number, sizeof number, "%c%.6f\n", batch->separator, probability);
    buffer_append(buffer, number, (size_t)length);
}

static int write_class_row(void *user, size_t number, const film_classification *result)
{
    struct class_batch *batch = user;
    struct buffer buffer = {.bytes = NULL};
    char *json = NULL;
    if (batch->json) {
        if (film_classification_json(result, &json, batch->error) != FILM_OK) buffer.failed = 1;
        if (json) buffer_append(&buffer, json, strlen(json));
        buffer_append(&buffer, "\n", 1);
        film_free(json);
    } else {
        buffer_append(&buffer, batch->row[number], batch->row_length[number]);
        append_answer(&buffer, result, batch);
    }
    batch->status =
        buffer.failed ? no_memory(batch->error)
                      : film_output_write(batch->output, buffer.bytes, buffer.length, batch->error);
    free(buffer.bytes);
    return batch->status != FILM_OK || interrupted();
}

static void class_batch_clear(struct class_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        free((char *)(uintptr_t)batch->text[i].bytes);
        free(batch->row[i]);
    }
    batch->count = 0;
}

static film_status class_batch_add(struct class_batch *batch, const film_row *row,
                                   film_error *error)
{
    struct buffer text = {.bytes = NULL}, columns = {.bytes = NULL};
    buffer_append(&text, row->a.bytes, row->a.length);
    buffer_append(&text, "", 1);
    append_row(&columns, row, batch);
    batch->text[batch->count] = (film_text){text.bytes, row->a.length};
    batch->row[batch->count] = columns.bytes;
    batch->row_length[batch->count++] = columns.length;
    return text.failed || columns.failed ? no_memory(error) : FILM_OK;
}

static film_status classify_batch(const film_model *model, struct class_batch *batch,
                                  const film_classify_options *options, film_error *error)
{
    batch->error = error;
    film_status status = film_classify_many(model, batch->text, batch->count, options,
                                            write_class_row, batch, error);
    class_batch_clear(batch);
    return status == FILM_OK ? batch->status : status;
}

/* The header: that of the file, where it has one, and the two columns of the answer. */
static film_status write_header(struct class_batch *batch, film_error *error)
{
    struct buffer header = {.bytes = NULL};
    const char *separator = &batch->separator;
    int lines = batch->format == FILM_FORMAT_LINES;
    if (batch->json || batch->format == FILM_FORMAT_JSONL) return FILM_OK;
    if (!lines && film_table_header(batch->table).length == 0) return FILM_OK;
    for (size_t i = 0; i < film_table_columns(batch->table) && !lines; i++) {
        append_field(&header, film_table_column(batch->table, i), *separator);
        buffer_append(&header, separator, 1);
    }
    if (lines) buffer_append(&header, "text\t", 5);
    buffer_append(&header, "predicted_category", 18);
    buffer_append(&header, separator, 1);
    buffer_append(&header, "predicted_probability\n", 22);
    film_status status = header.failed
                             ? no_memory(error)
                             : film_output_write(batch->output, header.bytes, header.length, error);
    free(header.bytes);
    return status;
}

static film_status check_row(const film_row *row, const char *path, film_error *error)
{
    if (!row->b.bytes) return FILM_OK;
    snprintf(error->message, sizeof error->message,
             "%s has two sentences per row, but classify takes one; name it with --columns, for "
             "example --columns text,-",
             path);
    return FILM_BAD_INPUT;
}

static film_status classify_table(const film_model *model, const struct values *values, int json,
                                  film_error *error)
{
    film_row row;
    film_table_options how = values->table;
    const char *path = values->input;
    struct class_batch *batch = calloc(1, sizeof *batch);
    if (!batch) return no_memory(error);
    how.size = sizeof how;
    how.labels = FILM_LABELS_NONE;
    batch->json = json;
    film_status status = film_table_open(path, &how, &batch->table, error);
    if (status == FILM_OK) status = film_output_open(values->output, &batch->output, error);
    if (status == FILM_OK) {
        batch->format = film_table_format(batch->table);
        batch->separator = film_table_separator(batch->table);
        status = write_header(batch, error);
    }
    while (status == FILM_OK && !interrupted()) {
        film_status next = film_table_next(batch->table, &row, error);
        if (next == FILM_OK) status = check_row(&row, path, error);
        if (next == FILM_OK && status == FILM_OK) status = class_batch_add(batch, &row, error);
        if (next != FILM_OK && next != FILM_END) status = next;
        if (status == FILM_OK && (batch->count == BATCH || next == FILM_END))
            status = classify_batch(model, batch, &values->classify, error);
        if (next == FILM_END) break;
    }
    class_batch_clear(batch);
    if (status == FILM_OK && !interrupted())
        status = film_output_commit(batch->output, error);
    else
        film_output_discard(batch->output);
    film_table_close(batch->table);
    free(batch);
    return status;
}

/* ---- The verb ---- */

static const struct option options[] = {
    {.name = "top",
     .letter = 'k',
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, classify.top),
     .argument = "N",
     .help = "number of categories to print",
     .fallback = "1"},
    {.name = "examples",
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, classify.examples),
     .argument = "N",
     .help = "number of nearest examples to print",
     .fallback = "3"},
    {.name = "threshold",
     .kind = OPTION_PROBABILITY,
     .at = offsetof(struct values, classify.threshold),
     .argument = "P",
     .help = "answer \"none of these\" from this probability of none on (default: learned)"},
    {.name = "always",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, classify.always),
     .help = "always answer with the best category, never with none"},
    {.name = "reference",
     .kind = OPTION_FILE,
     .at = offsetof(struct values, reference),
     .argument = "FILE",
     .help = "use the sentences and categories of FILE instead of those of the model"},
    {.name = "input",
     .letter = 'i',
     .kind = OPTION_FILE,
     .at = offsetof(struct values, input),
     .argument = "FILE",
     .help = "classify every row of a table",
     .fallback = "standard input"},
    OUTPUT_OPTION(struct values, output, "OUT"),
    COLUMNS_OPTION(struct values, table, "text"),
    FORMAT_OPTION(struct values, table, "format", "tsv|csv|jsonl|lines"),
    SKIP_BAD_OPTION(struct values, table),
    THREADS_OPTION(struct values, classify.threads),
    END_OF_OPTIONS};

static void prepare(void *given)
{
    struct values *values = given;
    values->output = "-";
    values->classify.size = sizeof values->classify;
}

static int run(const struct command *command, void *given)
{
    struct values *values = given;
    const char *text = command->count > 1 ? command->words[1] : "-";
    int table = values->input || strcmp(text, "-") == 0;
    if (values->input && command->count > 1)
        return usage_error(command->verb, "TEXT and --input exclude each other");
    if (values->classify.always && values->classify.threshold > 0)
        return usage_error(command->verb, "--always and --threshold exclude each other");
    if (values->reference && is_pool_file(command->words[0]))
        return usage_error(command->verb, "--reference needs a model, not a pool");
    if (!values->input) values->input = "-";

    film_error error = {0};
    film_model *model = NULL;
    film_progress progress = progress_start(command->quiet);
    film_status status = open_model(command->words[0], FILM_ARITHMETIC_OWN, &model, &error);
    if (status == FILM_OK && values->reference)
        status = set_reference(model, values, progress, &error);
    if (status == FILM_OK && table)
        status = classify_table(model, values, command->json, &error);
    else if (status == FILM_OK) {
        film_text sentence = film_string(text);
        status = film_classify_many(model, &sentence, 1, &values->classify,
                                    command->json ? print_json : print_result, NULL, &error);
    }
    int code = interrupted() ? EXIT_INTERRUPTED : report(status, &error);
    close_model(model);
    return code;
}

const struct verb verb_classify = {
    VERB_CLASSIFY,
    .arguments = "MODEL|POOL [TEXT|-] [options]",
    .page = "docs/how-to/classify.md",
    .min_words = 1,
    .max_words = 2,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .details =
        "Prints probability and category, the words that speak for it, and the nearest training\n"
        "examples, or \"none of these\". The model must be trained on a file with a category\n"
        "column. Without TEXT, or with -, classifies every row of a table and writes its columns\n"
        "with two more: predicted_category (empty: none) and predicted_probability.\n\n"
        "examples:\n"
        "  film classify bank.film \"my card was stolen\" -k 3\n"
        "  film classify bank.film --input questions.csv --always -o classified.csv\n"};
