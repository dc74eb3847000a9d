#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* "4:1" to 0.8; a negative number when it is something else. */
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

/* The extension of the input's format: the parts are written in it, not compressed. */
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

/* A giant component cannot be cut: the dev part is then smaller than wanted, perhaps too small. */
static void warn_of_ratio(const film_split_result *result, double train_share)
{
    double rows = (double)(result->train_rows + result->dev_rows);
    double got = (double)result->train_rows / rows;
    if (got - train_share < 0.05 && train_share - got < 0.05) return;
    fprintf(
        stderr,
        "film: train has %.1f %% of the rows instead of %.1f %%: a group of connected questions "
        "cannot be cut, and the largest has %.1f %%\n",
        100 * got, 100 * train_share, 100 * (double)result->largest_component / rows);
}

static int run(const struct verb *verb, int argc, char **argv)
{
    film_split_options split = {.size = sizeof split, .table.size = sizeof split.table};
    struct common common = {0};
    const char *path[1], *prefix = NULL, *ratio = "4:1", *extension;
    const struct option options[] = {
        {"output", 'o', OPTION_TEXT, &prefix, "PREFIX",
         "writes PREFIX-train.EXT and PREFIX-dev.EXT (required)"},
        {"ratio", 0, OPTION_TEXT, &ratio, "A:B", "rows in train and dev (default 4:1)"},
        {"seed", 0, OPTION_SEED, &split.seed, "N", "of the random numbers (default 1)"},
        TABLE_OPTIONS(split.table),
        END_OF_OPTIONS};
    int count = parse_arguments(verb, options, &common, argc, argv, path, 1, 1);
    if (count < 0) return count == -2 ? EXIT_DONE : EXIT_USAGE;
    if (!prefix) return usage_error(verb, "-o PREFIX is missing");
    if ((split.train_share = parse_ratio(ratio)) < 0)
        return usage_error(verb, "--ratio %s: expected two numbers such as 4:1", ratio);

    film_error error;
    film_split_result result = {.size = sizeof result};
    if (strcmp(path[0], "-") == 0)
        return usage_error(verb, "split reads its input twice: give a file, not -");
    film_status status = format_extension(path[0], &split.table, &extension, &error);
    if (status != FILM_OK) return report(status, &error);
    size_t room = strlen(prefix) + 32;
    char *train_path = malloc(room), *dev_path = malloc(room);
    if (!train_path || !dev_path) return EXIT_IO;
    snprintf(train_path, room, "%s-train.%s", prefix, extension);
    snprintf(dev_path, room, "%s-dev.%s", prefix, extension);
    split.progress = progress_start(common.quiet);
    status = film_split(path[0], train_path, dev_path, &split, &result, &error);
    int code = report(status, &error);
    if (code == EXIT_DONE && common.json)
        printf(
            "{\"train\": %llu, \"dev\": %llu, \"components\": %llu, \"largest_component\": %llu, "
            "\"skipped\": %llu}\n",
            (unsigned long long)result.train_rows, (unsigned long long)result.dev_rows,
            (unsigned long long)result.components, (unsigned long long)result.largest_component,
            (unsigned long long)result.skipped);
    else if (code == EXIT_DONE && !common.quiet)
        fprintf(stderr,
                "%s: %llu rows\n%s: %llu rows\n%llu groups of connected questions, the largest of "
                "%llu rows; %llu bad rows passed over\n",
                train_path, (unsigned long long)result.train_rows, dev_path,
                (unsigned long long)result.dev_rows, (unsigned long long)result.components,
                (unsigned long long)result.largest_component, (unsigned long long)result.skipped);
    if (code == EXIT_DONE && !common.quiet) warn_of_ratio(&result, split.train_share);
    free(train_path);
    free(dev_path);
    return code;
}

const struct verb verb_split = {
    "split", "FILE -o PREFIX [options]",
    "Cut a file into train and dev parts that share no question",
    "Rows whose questions are connected, directly or through other rows, stay together.\n\n"
    "example:\n"
    "  film split pairs.tsv -o pairs --ratio 9:1\n",
    run};
