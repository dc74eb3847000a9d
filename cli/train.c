#include "cli.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 256 };

/* "5,749 rows, 10,536 sentences, 12,003 features -> 256 dimensions" */
static void print_summary(json_t *about, const char *output)
{
    json_t *figures = json_object_get(about, "figures"), *sizes = json_object_get(about, "sizes");
    fprintf(stderr, "%s: %lld rows, %lld sentences, ", output, json_whole(figures, "rows"),
            json_whole(figures, "sentences"));
    const char *group;
    json_t *count;
    json_object_foreach(json_object_get(sizes, "features"), group, count)
        fprintf(stderr, "%lld %s features, ", (long long)json_integer_value(count), group);
    fprintf(stderr, "%lld dimensions\n", json_whole(sizes, "dim"));
    if (json_whole(figures, "skipped_rows"))
        fprintf(stderr, "%lld bad rows passed over\n", json_whole(figures, "skipped_rows"));
    json_t *calibration = json_object_get(json_object_get(about, "settings"), "calibration");
    fprintf(stderr, "threshold %.3f", json_number(calibration, "threshold"));
    if (json_object_get(figures, "balanced_accuracy"))
        fprintf(
            stderr, ", accuracy %.1f %% on %lld pairs of the %s file (both labels weighing half)",
            100 * json_number(figures, "balanced_accuracy"), json_whole(figures, "threshold_pairs"),
            json_string_value(json_object_get(figures, "threshold_from")));
    else
        fprintf(stderr, ", which one in 1,000 random pairs reaches (no labels to choose it by)");
    fprintf(stderr, "\n");
}

static int describe(const film_model *model, const char *output, const struct common *common)
{
    film_error error;
    char *text = NULL;
    film_status status = film_describe(model, &text, &error);
    if (status != FILM_OK) return report(status, &error);
    /* With -o - the model itself goes to standard output. */
    if (common->json) fprintf(strcmp(output, "-") == 0 ? stderr : stdout, "%s\n", text);
    json_t *about = json_loads(text, 0, NULL);
    if (!common->quiet && !common->json) print_summary(about, output);
    json_decref(about);
    film_free(text);
    return EXIT_DONE;
}

/* ---- Stopping and going on ---- */

static int is_special(const char *path)
{
    struct stat about;
    return strcmp(path, "-") == 0 ||
           (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode));
}

/* MODEL.checkpoint; NULL beside a pipe or device, or without memory. */
static char *checkpoint_path(const char *output)
{
    static const char ending[] = ".checkpoint";
    char *path = is_special(output) ? NULL : malloc(strlen(output) + sizeof ending);
    if (path) strcat(strcpy(path, output), ending);
    return path;
}

/* Learning was stopped: what it had reached is worth keeping. */
static int keep_best(const film_model *model, const char *output, const char *checkpoint,
                     film_status why, const film_error *reason)
{
    film_error error;
    film_status status = film_save(model, output, &error);
    if (status != FILM_OK) return report(status, &error);
    progress_end();
    fprintf(stderr, "film: %s; %s holds the best so far%s\n", reason->message,
            strcmp(output, "-") == 0 ? "standard output" : output,
            why == FILM_CANCELLED && checkpoint ? "; --resume goes on" : "");
    return why == FILM_CANCELLED ? EXIT_INTERRUPTED : EXIT_IO;
}

/* Training may take an hour; that the model cannot be written is better said before. A FIFO is left
 * alone: whoever reads it would see it end. */
static film_status check_output(const char *path, film_error *error)
{
    film_output *output = NULL;
    if (!path || is_special(path)) return FILM_OK;
    film_status status = film_output_open(path, &output, error);
    film_output_discard(output);
    return status;
}

static int train_model(const char *const *files, size_t count, film_train_options *train,
                       const char *output, const struct common *common)
{
    film_error error;
    film_model *model = NULL;
    int code;
    train->progress = progress_start(common->quiet);
    film_status status = check_output(output, &error);
    if (status == FILM_OK) status = check_output(train->checkpoint, &error);
    if (status == FILM_OK) status = film_train(files, count, train, &model, &error);
    if (status != FILM_OK && model) {
        code = keep_best(model, output, train->checkpoint, status, &error);
        goto done;
    }
    if (status == FILM_OK) status = film_save(model, output, &error);
    code = report(status, &error);
    if (code != EXIT_DONE) goto done;
    if (train->checkpoint) unlink(train->checkpoint); /* mostly there is none */
    code = describe(model, output, common);
done:
    film_close(model);
    return code;
}

static int run(const struct verb *verb, int argc, char **argv)
{
    film_train_options train;
    film_train_defaults(&train);
    const char *output = NULL, *labels = NULL, *files[MOST_FILES];
    struct common common = {0};
    const struct option options[] = {
        {"output", 'o', OPTION_TEXT, &output, "MODEL", "where to write the model (required)"},
        {"dev", 0, OPTION_TEXT, &train.dev, "FILE", "labelled file to choose the threshold on"},
        {"method", 0, OPTION_CHOICE, &train.method, "auto|svd|film|mfilm|rank",
         "how to learn (default: rank with labels, svd without)"},
        {"features", 0, OPTION_FEATURES, &train.features, "LIST",
         "some of word,bigram,char (default: word,char for rank, else word)"},
        {"rank", 0, OPTION_COUNT, &train.rank, "N", "rank of the SVD (default 256)"},
        {"dim", 0, OPTION_COUNT, &train.dim, "N",
         "length of a vector (default: 200 for rank, 100 for film, else the rank)"},
        {"sim", 0, OPTION_CHOICE, &train.similarity, "cosine|dot|euclidean",
         "how two vectors are compared (default cosine)"},
        {"power", 0, OPTION_NUMBER, &train.solver.power, "P",
         "film: Sigma^-P; 1 in the paper (default 0.5)"},
        {"init", 0, OPTION_CHOICE, &train.solver.eigen, "random|eigen", "film: where to start"},
        {"margin", 0, OPTION_NUMBER, &train.solver.margin_ratio, "R",
         "film: margin over mean squared length (default 1)"},
        {"positives", 0, OPTION_COUNT, &train.solver.positives, "N",
         "film: most positives of an anchor (default 5)"},
        {"labelled", 0, OPTION_COUNT, &train.solver.labelled, "N",
         "film: most labelled negatives of an anchor (default 5)"},
        {"hard", 0, OPTION_COUNT, &train.solver.hard, "N",
         "film: hard negatives of an anchor (default 5)"},
        {"random", 0, OPTION_COUNT, &train.solver.random, "N",
         "film: random negatives of an anchor (default 5)"},
        {"iterations", 0, OPTION_COUNT, &train.solver.iterations, "N",
         "film: at most so many (default 20)"},
        {"epsilon", 0, OPTION_NUMBER, &train.solver.epsilon, "E",
         "film: stop below this gradient norm (default 1e-5)"},
        {"least-change", 0, OPTION_NUMBER, &train.solver.least_change, "E",
         "film: stop below this relative change (default 1e-7)"},
        {"rho", 0, OPTION_NUMBER, &train.solver.rho, "X",
         "film: share of the slope a step must gain (default 1e-4)"},
        {"gamma", 0, OPTION_NUMBER, &train.solver.gamma, "X",
         "film: memory of the non-monotone search (default 0.85)"},
        {"shrink", 0, OPTION_NUMBER, &train.solver.shrink, "X",
         "film: factor of a shortened step (default 0.2)"},
        {"first-step", 0, OPTION_NUMBER, &train.solver.first_tau, "X",
         "film: length of the first step (default 1e-3)"},
        {"epochs", 0, OPTION_COUNT, &train.ranking.epochs, "N", "rank: passes (default 2)"},
        {"batch", 0, OPTION_COUNT, &train.ranking.batch, "N",
         "rank: pairs per step (default 1024)"},
        {"rate", 0, OPTION_NUMBER, &train.ranking.rate, "X",
         "rank: first step size (default 0.05)"},
        {"temperature", 0, OPTION_NUMBER, &train.ranking.temperature, "T",
         "rank: sharpness of the softmax (default 14)"},
        {"min-df", 0, OPTION_COUNT, &train.min_df, "N",
         "keep features of at least N sentences (default 2)"},
        {"max-features", 0, OPTION_COUNT, &train.max_features, "N",
         "keep the N most frequent of each group"},
        {"stem", 0, OPTION_TEXT, &train.stem, "LANGUAGE",
         "Snowball stemming: english, german, ..."},
        {"stop", 0, OPTION_TEXT, &train.stop, "WORDS",
         "words to leave out: english, or a file with one per line"},
        TABLE_OPTIONS(train.table, labels),
        {"resume", 0, OPTION_FLAG, &train.resume, NULL,
         "film, rank: go on where the same command was stopped"},
        {"checkpoint-every", 0, OPTION_NUMBER, &train.checkpoint_every, "SECONDS",
         "film, rank: write MODEL.checkpoint so often (default 60; 0: only on Ctrl-C)"},
        {"seed", 0, OPTION_SEED, &train.seed, "N", "of all random numbers (default 1)"},
        {"threads", 't', OPTION_THREADS, &train.threads, "N", "default: all cores"},
        {NULL, 0, 0, NULL, NULL, NULL}};
    int count = parse_arguments(verb, options, &common, argc, argv, files, 1, MOST_FILES);
    if (count < 0) return count == -2 ? EXIT_DONE : EXIT_USAGE;
    if (!output) return usage_error(verb, "-o MODEL is missing");
    if (strcmp(output, "-") == 0 && isatty(STDOUT_FILENO))
        return usage_error(verb, "a model is binary: use -o MODEL with a file name, or a pipe");
    if ((train.table.labels = parse_labels(labels)) == FILM_LABELS_COUNT) return EXIT_USAGE;

    char *checkpoint = checkpoint_path(output);
    if (train.resume && !checkpoint)
        return usage_error(verb, "--resume needs -o MODEL with a file name, beside which the "
                                 "checkpoint lies");
    train.checkpoint = checkpoint;
    int code = train_model(files, (size_t)count, &train, output, &common);
    free(checkpoint);
    return code;
}

const struct verb verb_train = {
    "train", "FILE... -o MODEL [options]", "Learn a model from sentences, with or without labels",
    "Files: TSV, CSV, JSON lines or plain lines, also .gz and .zst. Columns are recognised by "
    "name\n"
    "(question1, question2, is_duplicate; sentence1, sentence2, score; text, category; ...) or by\n"
    "layout (Kaggle's Quora file, STS Benchmark, GLUE).\n\n"
    "examples:\n"
    "  film train examples/faq/train.tsv --dev examples/faq/heldout.tsv -o faq.film\n"
    "  zcat tickets.txt.gz | film train - -o tickets.film\n",
    run};
