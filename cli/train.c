/* film train: files to a model, what was learned in two lines, and what is kept when it is stopped.
 */
#include "train.h"
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Which pairs the threshold was chosen on. */
static const char *where(const char *threshold_from)
{
    if (strcmp(threshold_from, "dev") == 0) return "of the --dev file";
    return strcmp(threshold_from, "train") == 0 ? "it was trained on" : "held out from training";
}

/* What was chosen where the user chose; a precision that is out of reach is said in any case. */
static void print_operating(const json_t *point)
{
    const char *criterion = json_string_value(json_object_get(point, "criterion"));
    if (!criterion || (strcmp(criterion, "accuracy") == 0 && json_number(point, "prior") == 0.5))
        return;
    if (json_is_false(json_object_get(point, "reached")))
        fprintf(stderr, "\nno threshold has %s %g on these pairs; this one comes nearest",
                criterion, json_number(point, "target"));
    fprintf(
        stderr,
        "\nchosen for %s: precision %.1f %%, recall %.1f %%, F1 %.1f %% with %.3g %% duplicates",
        criterion, 100 * json_number(point, "precision"), 100 * json_number(point, "recall"),
        100 * json_number(point, "f1"), 100 * json_number(point, "prior"));
}

/* A full decision says "same" from a probability on, one threshold from a similarity on. */
static void print_threshold(const json_t *settings)
{
    const json_t *line = json_object_get(json_object_get(settings, "decision"), "calibration");
    if (!line) {
        fprintf(stderr, "threshold %.3f",
                json_number(json_object_get(settings, "calibration"), "threshold"));
        return;
    }
    double log_odds =
        json_number(line, "scale") * json_number(line, "threshold") + json_number(line, "bias");
    fprintf(stderr, "the same from probability %.3f on", 1 / (1 + exp(-log_odds)));
}

/* What came from the cache, and why one could not be used. */
static void print_encoding(const json_t *figures)
{
    const json_t *seconds = json_object_get(figures, "seconds");
    const char *problem = json_string_value(json_object_get(seconds, "cache_problem"));
    if (json_whole(seconds, "from_cache"))
        fprintf(stderr, "%lld of %lld vectors came from the cache\n",
                json_whole(seconds, "from_cache"), json_whole(figures, "encoded"));
    if (problem) fprintf(stderr, "vectors were not cached: %s\n", problem);
}

/* "5,749 rows, 10,536 sentences, 12,003 features -> 256 dimensions" */
static void print_summary(json_t *about, const struct train_values *values)
{
    json_t *figures = json_object_get(about, "figures"), *sizes = json_object_get(about, "sizes");
    fprintf(stderr, "%s: %lld rows, %lld sentences, ", values->model, json_whole(figures, "rows"),
            json_whole(figures, "sentences"));
    const char *group;
    json_t *count;
    json_object_foreach(json_object_get(sizes, "features"), group, count)
        fprintf(stderr, "%lld %s features, ", (long long)json_integer_value(count), group);
    fprintf(stderr, "%lld dimensions\n", json_whole(sizes, "dim"));
    if (json_whole(figures, "skipped_rows"))
        fprintf(stderr, "%lld bad rows passed over\n", json_whole(figures, "skipped_rows"));
    print_encoding(figures);
    if (json_object_get(figures, "too_few_for_full"))
        fprintf(stderr, "too few labelled pairs for a full decision: one threshold\n");
    print_threshold(json_object_get(about, "settings"));
    if (json_object_get(figures, "balanced_accuracy"))
        fprintf(stderr, ", accuracy %.1f %% on %lld pairs %s (both labels weighing half)",
                100 * json_number(figures, "balanced_accuracy"),
                json_whole(figures, "threshold_pairs"),
                where(json_string_value(json_object_get(figures, "threshold_from"))));
    else
        fprintf(stderr, ", which one in 1,000 %s",
                strcmp(json_string_value(json_object_get(figures, "labels")), "none") == 0
                    ? "random pairs reaches (no labels to choose it by)"
                    : "pairs reaches (none is labelled the same, to choose it by)");
    print_operating(json_object_get(figures, "operating"));
    if (json_whole(figures, "random_negatives"))
        fprintf(stderr, "\nno pair is labelled different: %lld random pairs stand for them",
                json_whole(figures, "random_negatives"));
    fprintf(stderr, "\n");
    const char *from = json_string_value(json_object_get(figures, "threshold_from"));
    if (values->train.bert && from && strcmp(from, "held out") == 0)
        fprintf(stderr,
                "if the encoder was trained on this file it is trusted too much: give pairs "
                "it has not seen with --dev\n");
}

static int describe(const film_model *model, const struct command *command,
                    const struct train_values *values)
{
    film_error error;
    char *text = NULL;
    film_status status = film_describe(model, &text, &error);
    if (status != FILM_OK) return report(status, &error);
    /* With -o - the model itself goes to standard output. */
    if (command->json) fprintf(strcmp(values->model, "-") == 0 ? stderr : stdout, "%s\n", text);
    json_t *about = json_loads(text, 0, NULL);
    if (!command->quiet && !command->json) print_summary(about, values);
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
static int keep_best(const film_model *model, const struct train_values *values, film_status why,
                     const film_error *reason)
{
    film_error error;
    film_status status = film_save(model, values->model, &error);
    if (status != FILM_OK) return report(status, &error);
    progress_end();
    int resumable = values->train.checkpoint && access(values->train.checkpoint, F_OK) == 0;
    fprintf(stderr, "film: %s; %s holds the best so far%s\n", reason->message,
            strcmp(values->model, "-") == 0 ? "standard output" : values->model,
            why == FILM_CANCELLED && resumable ? "; --resume goes on" : "");
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

/* The pools' labels to train.pairs: by the first process alone, which sends them to the others. PAIRS owns them. */
static film_status add_pools(struct train_values *values, struct pool_pairs *pairs,
                             film_error *error)
{
    film_train_options *train = &values->train;
    if (values->pools.count && train->method == FILM_METHOD_MFILM) {
        snprintf(error->message, sizeof error->message,
                 "method mfilm streams files and takes no pool; choose another method");
        return FILM_USAGE;
    }
    if (job_rank() > 0) return FILM_OK;
    film_status status = read_pool_pairs(&values->pools, pairs, error);
    if (status != FILM_OK && job) /* the others wait for the pairs, whatever went wrong */
        job_abort(report(status, error));
    train->pairs = pairs->list;
    train->pair_count = pairs->count;
    return status;
}

static int train_model(const struct command *command, struct train_values *values)
{
    film_train_options *train = &values->train;
    struct pool_pairs pairs = {.list = NULL};
    film_error error;
    film_model *model = NULL;
    int code, first = job_rank() == 0; /* the one that writes */
    train->job = job;
    if (train->checkpoint_every == FILM_ZERO) train->checkpoint_only_when_cancelled = 1;
    train->progress = progress_start(command->quiet);
    film_status status = first ? check_output(values->model, &error) : FILM_OK;
    if (status == FILM_OK && first) status = check_output(train->checkpoint, &error);
    if (status == FILM_OK) status = add_pools(values, &pairs, &error);
    if (status == FILM_OK)
        status = film_train(command->words, (size_t)command->count, train, &model, &error);
    if (status != FILM_OK && model) {
        code = keep_best(model, values, status, &error);
        goto done;
    }
    if (status == FILM_OK && first) status = film_save(model, values->model, &error);
    code = report(status, &error);
    if (code != EXIT_DONE || !first) goto done;
    if (train->checkpoint) unlink(train->checkpoint); /* mostly there is none */
    code = describe(model, command, values);
done:
    film_close(model);
    pool_pairs_free(&pairs);
    return code;
}

/* ---- The encoder's vectors ---- */

/* XDG_CACHE_HOME/film, or ~/.cache/film; NULL where the user has neither or wants none. To be
 * freed. */
static char *cache_path(const char *wanted)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (wanted) return strcmp(wanted, "none") == 0 ? NULL : strdup(wanted);
    int own = base && base[0] == '/'; /* the rule: others are to be ignored */
    if (!own && !(home && home[0] == '/')) return NULL;
    size_t room = strlen(own ? base : home) + sizeof "/.cache/film";
    char *path = malloc(room);
    if (path) snprintf(path, room, "%s%s", own ? base : home, own ? "/film" : "/.cache/film");
    return path;
}

/* ---- The verb ---- */

static void prepare(void *given)
{
    ((struct train_values *)given)->train.size = sizeof(film_train_options);
}

static int run(const struct command *command, void *given)
{
    const struct verb *verb = command->verb;
    struct train_values *values = given;
    film_train_options *train = &values->train;
    if (command->count == 0 && values->pools.count == 0)
        return usage_error(verb, "usage: film %s %s", verb->name, verb->arguments);
    if (!values->model) return usage_error(verb, "-o MODEL is missing");
    if (strcmp(values->model, "-") == 0 && isatty(STDOUT_FILENO))
        return usage_error(verb, "a model is binary: use -o MODEL with a file name, or a pipe");

    char *checkpoint = checkpoint_path(values->model);
    if (train->resume && !checkpoint)
        return usage_error(verb, "--resume needs -o MODEL with a file name, beside which the "
                                 "checkpoint lies");
    train->checkpoint = checkpoint;
    char *vectors = cache_path(values->cache);
    train->cache = vectors;
    int code = train_model(command, values);
    free(checkpoint);
    free(vectors);
    return code;
}

const struct verb verb_train = {
    VERB_TRAIN,
    .arguments = "FILE... -o MODEL [options]",
    .page = "docs/explanation/methods.md",
    .shared = 1,
    .options = train_options,
    .settings = train_settings,
    .size = sizeof(struct train_values),
    .prepare = prepare,
    .run = run,
    .details =
        "Files: TSV, CSV, JSON lines or plain lines, also .gz and .zst. Columns are recognised by "
        "name\n"
        "(question1, question2, is_duplicate; sentence1, sentence2, score; text, category; ...) or "
        "by\n"
        "layout (Kaggle's Quora file, STS Benchmark, GLUE).\n\n"
        "examples:\n"
        "  film train examples/faq/train.tsv --dev examples/faq/heldout.tsv -o faq.film\n"
        "  zcat tickets.txt.gz | film train - -o tickets.film\n"};
