/* film report: writes a report on a model as one HTML file. */
#include "cli.h"

#include <string.h>

struct values {
    film_report_options report;
    struct option_texts train;
    const char *output;
    film_arithmetic arithmetic;
};

static const struct option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_FILE,
     .at = offsetof(struct values, output),
     .argument = "REPORT.html",
     .help = "output file (required)"},
    {.name = "eval",
     .kind = OPTION_FILE,
     .at = offsetof(struct values, report.eval),
     .argument = "FILE",
     .help = "evaluate the model on this labelled file"},
    {.name = "train",
     .kind = OPTION_FILES,
     .at = offsetof(struct values, train),
     .argument = "FILE",
     .help = "training data, to check for leaks; may be repeated"},
    {.name = "pool",
     .kind = OPTION_FILE,
     .at = offsetof(struct values, report.pool),
     .argument = "FILE",
     .help = "also measure search in this file and that of --eval"},
    {.name = "compare",
     .kind = OPTION_FILE,
     .at = offsetof(struct values, report.compare),
     .argument = "CSV",
     .help = "include a comparison with other systems (docs/explanation/report.md)"},
    TABLE_OPTIONS(struct values, report.eval_table),
    {.name = "train-columns",
     .kind = OPTION_TEXT,
     .at = offsetof(struct values, report.train_table.columns),
     .argument = "LIST",
     .help = "names of the columns of --train (--columns: those of --eval)"},
    {.name = "pool-columns",
     .kind = OPTION_TEXT,
     .at = offsetof(struct values, report.pool_table.columns),
     .argument = "LIST",
     .help = "names of the columns of --pool"},
    {.name = "seed",
     .kind = OPTION_SEED,
     .at = offsetof(struct values, report.seed),
     .argument = "N",
     .help = "random seed of the intervals and the audit",
     .fallback = "1"},
    THREADS_OPTION(struct values, report.threads),
    ENCODER_OPTIONS(struct values, arithmetic),
    END_OF_OPTIONS};

static void prepare(void *given)
{
    ((struct values *)given)->report.size = sizeof(film_report_options);
}

static int run(const struct command *command, void *given)
{
    struct values *values = given;
    film_report_options *wanted = &values->report;
    const char *path = command->words[0], *output = values->output;
    if (!output) return usage_error(command->verb, "-o REPORT.html is missing");
    if (wanted->pool && !wanted->eval)
        return usage_error(command->verb,
                           "--pool needs --eval FILE, whose duplicates are searched for");

    film_error error;
    film_model *model = NULL;
    const char *slash = strrchr(path, '/');
    wanted->name = slash && slash[1] ? slash + 1 : path;
    wanted->train = values->train.item;
    wanted->train_count = values->train.count;
    wanted->train_table.skip_bad = wanted->pool_table.skip_bad = wanted->eval_table.skip_bad;
    wanted->progress = progress_start(command->quiet);
    film_status status = open_model(path, values->arithmetic, &model, &error);
    if (status == FILM_OK) status = film_report(model, wanted, output, &error);
    close_model(model);
    return report_page(command, status, &error, "report", output);
}

const struct verb verb_report = {
    VERB_REPORT,
    .arguments = "MODEL -o REPORT.html [options]",
    .page = "docs/explanation/report.md",
    .min_words = 1,
    .max_words = 1,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .details =
        "The report is one HTML file without external resources. It shows the accuracy of the "
        "model,\n"
        "its errors and their reasons, its strongest features, the training and problems in the\n"
        "data. docs/explanation/report.md explains each section.\n\n"
        "examples:\n"
        "  film report faq.film --eval examples/faq/heldout.tsv --train "
        "examples/faq/train.tsv -o faq.html\n"
        "  film report my.film -o my.html\n"};
