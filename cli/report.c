#include "cli.h"
#include "json.h"

#include <string.h>

static int run(const struct verb *verb, int argc, char **argv)
{
    film_report_options wanted = {.size = sizeof wanted};
    struct common common = {0};
    struct option_texts train = {.count = 0};
    const char *path[1], *output = NULL;
    const struct option options[] = {
        {"output", 'o', OPTION_TEXT, &output, "REPORT.html", "the page to write (required)"},
        {"eval", 0, OPTION_TEXT, &wanted.eval, "FILE", "measure the model on this labelled file"},
        {"train", 0, OPTION_TEXTS, &train, "FILE",
         "what it was trained on, to look for leaks; may be repeated"},
        {"pool", 0, OPTION_TEXT, &wanted.pool, "FILE",
         "search for the duplicates among its sentences and those of --eval"},
        {"compare", 0, OPTION_TEXT, &wanted.compare, "CSV",
         "show a table of other systems: accuracy, times, sizes (docs/report.md)"},
        TABLE_OPTIONS(wanted.eval_table),
        {"train-columns", 0, OPTION_TEXT, &wanted.train_table.columns, "LIST",
         "name the columns of --train, as --columns does those of --eval"},
        {"pool-columns", 0, OPTION_TEXT, &wanted.pool_table.columns, "LIST", "and those of --pool"},
        {"seed", 0, OPTION_SEED, &wanted.seed, "N", "of the intervals and the audit (default 1)"},
        {"threads", 't', OPTION_THREADS, &wanted.threads, "N", "default: all cores"},
        END_OF_OPTIONS};
    int count = parse_arguments(verb, options, &common, argc, argv, path, 1, 1);
    if (count < 0) return count == -2 ? EXIT_DONE : EXIT_USAGE;
    if (!output) return usage_error(verb, "-o REPORT.html is missing");
    if (wanted.pool && !wanted.eval)
        return usage_error(verb, "--pool is searched for the duplicates of --eval FILE; give one");

    film_error error;
    film_model *model = NULL;
    const char *slash = strrchr(path[0], '/');
    wanted.name = slash && slash[1] ? slash + 1 : path[0];
    wanted.train = train.item;
    wanted.train_count = train.count;
    wanted.train_table.skip_bad = wanted.pool_table.skip_bad = wanted.eval_table.skip_bad;
    wanted.progress = progress_start(common.quiet);
    film_status status = film_open(path[0], &model, &error);
    if (status == FILM_OK) status = film_report(model, &wanted, output, &error);
    film_close(model);
    int code = report(status, &error);
    if (code == EXIT_DONE && common.json && strcmp(output, "-") != 0) {
        json_t *answer = json_pack("{s:s}", "report", output);
        if (answer) json_dumpf(answer, stdout, 0);
        puts("");
        json_decref(answer);
    } else if (code == EXIT_DONE && !common.quiet && strcmp(output, "-") != 0)
        fprintf(stderr, "%s: open it in a browser\n", output);
    return code;
}

const struct verb verb_report = {"report", "MODEL -o REPORT.html [options]",
                                 "Write a page about a model: quality, mistakes, data",
                                 "One HTML file that needs nothing else: how good the model is, "
                                 "what it gets wrong and why, what it\n"
                                 "looks at, how it learned, and what is wrong with the data. "
                                 "docs/report.md explains each part.\n\n"
                                 "examples:\n"
                                 "  film report faq.film --eval examples/faq/heldout.tsv --train "
                                 "examples/faq/train.tsv -o faq.html\n"
                                 "  film report my.film -o my.html\n",
                                 run};
