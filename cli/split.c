/* film split: splits a labelled file into a train and a dev set. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* Converts "4:1" to 0.8. Returns a negative number for an invalid ratio. */
static double parse_ratio(const char *text)
{
    char *end;
    double train = strtod(text, &end);
    if (end == text || *end != ':') return -1;
    char *rest = end + 1;
    double dev = strtod(rest, &end);
    if (end == rest || *end || !(train > 0) || !(dev > 0) || train > 1e9 || dev > 1e9) return -1;
    return train / (train + dev);
}

/* Finds the extension for the input's format. The output has the same format, uncompressed. */
static film_status format_extension(const char *path, const film_table_options *options,
                                    const char **extension, film_error *error)
{
    film_table *table = NULL;
    film_status status = film_table_open(path, options, &table, error);
    *extension = "txt";
    if (status == FILM_OK) {
        film_format format = film_table_format(table);
        *extension = format == FILM_FORMAT_LINES ? "txt" : film_format_name(format);
    }
    film_table_close(table);
    return status;
}

/* Warns if the ratio was missed: a large connected component cannot be split. */
static void warn_of_ratio(const film_split_result *result, double train_share)
{
    double rows = (double)(result->train_rows + result->dev_rows);
    double got = (double)result->train_rows / rows;
    if (got - train_share < 0.05 && train_share - got < 0.05) return;
    fprintf(
        stderr,
        "film: train has %.1f %% of the rows instead of %.1f %%: a group of connected questions "
        "cannot be split, and the largest has %.1f %%\n",
        100 * got, 100 * train_share, 100 * (double)result->largest_component / rows);
}

static void print_result(const film_split_result *result, const char *train, const char *dev,
                         int by_rows)
{
    print_clean(stderr, "%s: %s\n", train, counted(result->train_rows, "row"));
    print_clean(stderr, "%s: %s\n", dev, counted(result->dev_rows, "row"));
    if (by_rows)
        fprintf(stderr, "rows split at random");
    else
        fprintf(stderr, "%s of connected questions, largest %s",
                counted(result->components, "group"), counted(result->largest_component, "row"));
    print_skipped(stderr, result->skipped);
    fprintf(stderr, "\n");
}

struct values {
    film_split_options split;
    const char *prefix, *ratio;
};

static const struct option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_FILE,
     .at = offsetof(struct values, prefix),
     .argument = "PREFIX",
     .help = "write PREFIX-train.EXT and PREFIX-dev.EXT (required)"},
    {.name = "ratio",
     .kind = OPTION_TEXT,
     .at = offsetof(struct values, ratio),
     .argument = "A:B",
     .help = "ratio of train rows to dev rows",
     .fallback = "4:1",
     .proposals = "4:1 9:1 1:1"},
    {.name = "by",
     .kind = OPTION_CHOICE,
     .at = offsetof(struct values, split.by_rows),
     .argument = "questions|rows",
     .help = "keep rows that share a question together (default), or split rows at random"},
    {.name = "seed",
     .kind = OPTION_SEED,
     .at = offsetof(struct values, split.seed),
     .argument = "N",
     .help = "random seed",
     .fallback = "1"},
    TABLE_OPTIONS(struct values, split.table),
    END_OF_OPTIONS};

static void prepare(void *given)
{
    struct values *values = given;
    values->split.seed = 1;
    values->ratio = "4:1";
}

static int run(const struct command *command, void *given)
{
    struct values *values = given;
    film_split_options *split = &values->split;
    split->size = sizeof *split;
    split->table.size = sizeof split->table;
    const char *path = command->words[0], *prefix = values->prefix, *extension;
    if (!prefix) return usage_error(command->verb, "-o PREFIX is missing");
    if ((split->train_share = parse_ratio(values->ratio)) < 0)
        return usage_error(command->verb, "--ratio %s: expected two numbers such as 4:1",
                           values->ratio);

    film_error error;
    film_split_result result = {.size = sizeof result};
    if (strcmp(path, "-") == 0)
        return usage_error(
            command->verb,
            "split reads its input twice and cannot read standard input; pass a file");
    film_status status = format_extension(path, &split->table, &extension, &error);
    if (status != FILM_OK) return report(status, &error);
    size_t room = strlen(prefix) + 32;
    char *train_path = malloc(room), *dev_path = malloc(room);
    if (!train_path || !dev_path) {
        free(train_path);
        free(dev_path);
        return report(no_memory(&error), &error);
    }
    snprintf(train_path, room, "%s-train.%s", prefix, extension);
    snprintf(dev_path, room, "%s-dev.%s", prefix, extension);
    split->progress = progress_start(command->quiet);
    status = film_split(path, train_path, dev_path, split, &result, &error);
    int code = report(status, &error);
    if (code == EXIT_DONE && command->json)
        printf(
            "{\"train\": %llu, \"dev\": %llu, \"components\": %llu, \"largest_component\": %llu, "
            "\"skipped\": %llu}\n",
            (unsigned long long)result.train_rows, (unsigned long long)result.dev_rows,
            (unsigned long long)result.components, (unsigned long long)result.largest_component,
            (unsigned long long)result.skipped);
    else if (code == EXIT_DONE && !command->quiet)
        print_result(&result, train_path, dev_path, split->by_rows);
    if (code == EXIT_DONE && !command->quiet) warn_of_ratio(&result, split->train_share);
    free(train_path);
    free(dev_path);
    return code;
}

const struct verb verb_split = {
    VERB_SPLIT,
    .arguments = "FILE -o PREFIX [options]",
    .min_words = 1,
    .max_words = 1,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .details =
        "Rows that share a question, directly or through other rows, stay in the same set.\n"
        "--by rows splits as published splits of Quora do: questions recur in both sets, and\n"
        "accuracies are higher than for new questions.\n\n"
        "example:\n"
        "  film split pairs.tsv -o pairs --ratio 9:1\n"};
