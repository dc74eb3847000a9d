/* film train: trains a model on files and pools and prints a summary. */
#include "train.h"
#include "modules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Prints NAME, a share in per cent and AFTER; nothing for a share that is not known. */
static void print_percent(const char *name, const json_t *object, const char *key,
                          const char *after)
{
    const json_t *share = json_object_get(object, key);
    if (json_is_number(share))
        fprintf(stderr, "%s%.1f %%%s", name, 100 * json_number_value(share), after);
}

void print_promise(FILE *to, const json_t *point)
{
    const char *criterion = json_string_value(json_object_get(point, "criterion"));
    const json_t *value = json_object_get(point, criterion);
    const json_t *interval = json_object_get(point, "interval");
    if (!json_is_array(interval)) return;
    if (json_is_number(value))
        print_clean(to, "%s %.1f %%, ", criterion, 100 * json_number_value(value));
    else
        print_clean(to, "%s undefined, ", criterion);
    fprintf(to, "%.0f to %.0f on %s, ", 100 * json_number_value(json_array_get(interval, 0)),
            100 * json_number_value(json_array_get(interval, 1)),
            counted((unsigned long long)json_whole(point, "pairs"), "pair"));
}

/* Prints the kinds of near misses that are called the same, the most frequent first. */
static void print_near_kinds(FILE *to, const json_t *kinds)
{
    enum { SHOWN = 3 };
    const char *name, *shown[SHOWN] = {NULL};
    json_t *counts;
    for (size_t s = 0; s < SHOWN; s++) {
        long long most = 0;
        json_object_foreach((json_t *)(uintptr_t)kinds, name, counts)
        {
            long long same = json_integer_value(json_array_get(counts, 1));
            int before = 0;
            for (size_t i = 0; i < s; i++) before |= strcmp(shown[i], name) == 0;
            if (before || same <= most) continue;
            most = same;
            shown[s] = name;
        }
        if (!most) return;
        print_clean(
            to, "%s %s %lld of %lld", s ? "," : ":", shown[s], most,
            (long long)json_integer_value(json_array_get(json_object_get(kinds, shown[s]), 0)));
    }
}

void print_near_misses(FILE *to, const json_t *point)
{
    const json_t *near = json_object_get(point, "near_misses");
    const json_t *labelled = json_object_get(near, "labelled");
    const json_t *interval = json_object_get(near, "interval");
    if (json_whole(near, "pairs")) {
        fprintf(to, "near misses: %s of",
                grouped((unsigned long long)json_whole(near, "called_same")));
        fprintf(to, " %s made-up ones called the same (%.1f %%, %.1f to %.1f)",
                grouped((unsigned long long)json_whole(near, "pairs")),
                100 * json_number(near, "share"),
                100 * json_number_value(json_array_get(interval, 0)),
                100 * json_number_value(json_array_get(interval, 1)));
        print_near_kinds(to, json_object_get(near, "kinds"));
        fprintf(to, "\n");
    }
    if (!json_whole(labelled, "pairs")) return;
    interval = json_object_get(labelled, "interval");
    fprintf(to, "near misses: %s",
            grouped((unsigned long long)json_whole(labelled, "called_same")));
    fprintf(to, " of %s labelled ones called the same",
            grouped((unsigned long long)json_whole(labelled, "pairs")));
    if (json_is_number(json_object_get(labelled, "precision")))
        fprintf(to, ", precision %.1f %%, %.0f to %.0f", 100 * json_number(labelled, "precision"),
                100 * json_number_value(json_array_get(interval, 0)),
                100 * json_number_value(json_array_get(interval, 1)));
    fprintf(to, "\n");
}

/* Training saw no pair labelled "different": prints what is known, and what is not. */
static void print_positives_only(const json_t *figures)
{
    unsigned long long random = (unsigned long long)json_whole(figures, "random_negatives");
    if (!random) return;
    fprintf(stderr, "\nno pair is labelled \"different\": %s took their place\n",
            counted(random, "random pair"));
    print_percent("", figures, "recall", " of the labelled pairs are found, ");
    print_percent("", figures, "random_called_same", " of random pairs are called the same\n");
    fprintf(stderr, "how often look-alikes are called the same is unknown; label some pairs "
                    "\"different\" or pass a --dev file that has both");
}

/* Prints the balanced accuracy and the pairs on which it was measured. */
static void print_accuracy(const json_t *figures)
{
    enum { ENOUGH = 1000 }; /* pairs; an interval is then within two points */
    const char *from = json_string_value(json_object_get(figures, "threshold_from"));
    const char *pairs = counted((unsigned long long)json_whole(figures, "threshold_pairs"), "pair");
    /* For a promise the whole training was repeated, and few labels learn only weights.
     * Otherwise vocabulary, line and number of trees have seen every pair. */
    int whole = json_is_array(json_object_get(json_object_get(figures, "operating"), "interval")) ||
                json_object_get(figures, "few_labels");
    const json_t *interval = json_object_get(figures, "balanced_accuracy_interval");
    fprintf(stderr, "; balanced accuracy %.1f %%", 100 * json_number(figures, "balanced_accuracy"));
    if (json_is_array(interval) && json_whole(figures, "threshold_pairs") < ENOUGH)
        fprintf(stderr, ", %.0f to %.0f", 100 * json_number_value(json_array_get(interval, 0)),
                100 * json_number_value(json_array_get(interval, 1)));
    fprintf(stderr, " (");
    if (strcmp(from, "dev") == 0)
        fprintf(stderr, "on %s of the --dev file)", pairs);
    else if (strcmp(from, "train") == 0)
        fprintf(stderr, "on %s of the training data; new pairs are harder)", pairs);
    else if (strcmp(from, "folds") == 0 && whole)
        fprintf(stderr, "cross-validated on %s)", pairs);
    else if (strcmp(from, "folds") == 0)
        fprintf(stderr, "out of fold on %s; new pairs are harder)", pairs);
    else
        fprintf(stderr, "on %s held out from training)", pairs);
}

/* Prints the operating point if the user chose one, and warns of a target that was not reached. */
static void print_operating(const json_t *point)
{
    const char *criterion = json_string_value(json_object_get(point, "criterion"));
    if (!criterion || (strcmp(criterion, "accuracy") == 0 && json_number(point, "prior") == 0.5))
        return;
    fprintf(stderr, "\n");
    print_clean(stderr, "chosen for %s: ", criterion);
    print_promise(stderr, point);
    if (strcmp(criterion, "precision") != 0) print_percent("precision ", point, "precision", ", ");
    if (strcmp(criterion, "recall") != 0) print_percent("recall ", point, "recall", ", ");
    print_percent("F1 ", point, "f1", ", ");
    fprintf(stderr, "at %.3g %% duplicates", 100 * json_number(point, "prior"));
}

/* Warns of a network that cannot be told from chance, since its vectors are all alike after few
 * steps, and of a precision or recall that is not sure. */
static void print_warnings(const json_t *figures)
{
    const json_t *point = json_object_get(figures, "operating");
    const char *criterion = json_string_value(json_object_get(point, "criterion"));
    const json_t *interval = json_object_get(figures, "balanced_accuracy_interval");
    json_int_t steps = json_whole(json_object_get(figures, "network"), "steps");
    progress_end();
    if (steps && interval && json_number_value(json_array_get(interval, 0)) < 0.52)
        fprintf(stderr,
                "film: warning: after %s the network decides hardly better than chance; train for "
                "longer (--epochs) or leave out --method deep\n",
                counted((unsigned long long)steps, "step"));
    if (!json_is_false(json_object_get(point, "reached"))) return;
    fprintf(stderr,
            "film: warning: no threshold is sure to reach %s %g (95 %% confidence), so the %s one "
            "is used; add labelled pairs or choose a lower %s\n",
            criterion, json_number(point, "target"),
            strcmp(criterion, "recall") == 0 ? "lowest" : "strictest", criterion);
}

/* A full decision has a threshold on the probability, otherwise it is on the similarity. The
 * probability is printed with two digits, or three if the third is not 0. */
static void print_threshold(const json_t *settings)
{
    const json_t *line = json_object_get(json_object_get(settings, "decision"), "calibration");
    if (!line) {
        fprintf(stderr, "similarity threshold %.3f",
                json_number(json_object_get(settings, "calibration"), "threshold"));
        return;
    }
    double log_odds =
        json_number(line, "scale") * json_number(line, "threshold") + json_number(line, "bias");
    char text[16];
    int length = snprintf(text, sizeof text, "%.3f", 1 / (1 + exp(-log_odds)));
    if (text[length - 1] == '0') text[length - 1] = 0;
    fprintf(stderr, "threshold %s", text);
}

/* Prints how many vectors came from the cache, and why it could not be written. */
static void print_encoding(const json_t *figures)
{
    const json_t *seconds = json_object_get(figures, "seconds");
    const char *problem = json_string_value(json_object_get(seconds, "cache_problem"));
    if (json_whole(seconds, "from_cache"))
        fprintf(stderr, "%s of %s read from the cache\n",
                grouped((unsigned long long)json_whole(seconds, "from_cache")),
                counted((unsigned long long)json_whole(figures, "encoded"), "vector"));
    if (problem) print_clean(stderr, "vectors not cached: %s\n", problem);
}

/* Returns the noun for a row of the training data. */
static const char *row_noun(const char *labels)
{
    if (!labels) return "row";
    if (strcmp(labels, "pairs") == 0) return "pair";
    if (strcmp(labels, "scores") == 0) return "scored pair";
    return strcmp(labels, "triplets") == 0 ? "triplet" : "row";
}

/* Prints "919 word and 4,546 character features, ". */
static void print_features(const json_t *features)
{
    const char *group;
    json_t *count;
    size_t groups = json_object_size(features), i = 0;
    json_object_foreach((json_t *)(uintptr_t)features, group, count)
    {
        const char *separator = i == 0 ? "" : i + 1 < groups ? ", " : " and ";
        fprintf(stderr, "%s%s %s", separator,
                grouped((unsigned long long)json_integer_value(count)),
                strcmp(group, "char") == 0 ? "character" : group);
        i++;
    }
    if (groups) fprintf(stderr, " features, ");
}

/* Prints what the threshold was chosen by. */
static void print_choice(const json_t *figures)
{
    const char *labels = json_string_value(json_object_get(figures, "labels"));
    if (json_object_get(figures, "balanced_accuracy"))
        print_accuracy(figures);
    else if (!json_object_get(figures, "recall"))
        fprintf(stderr, ", reached by at most 1 in 1,000 %s",
                strcmp(labels, "none") == 0 ? "random pairs (no labels)"
                                            : "pairs (none is labelled \"same\")");
    print_operating(json_object_get(figures, "operating"));
    print_positives_only(figures);
    fprintf(stderr, "\n");
    print_near_misses(stderr, json_object_get(figures, "operating"));
}

/* Prints what to expect without labels or with few, and how many would change it. */
static void print_expectation(const json_t *figures)
{
    const char *labels = json_string_value(json_object_get(figures, "labels"));
    unsigned long long needed = (unsigned long long)json_whole(figures, "few_labels");
    if (needed)
        fprintf(stderr, "below %s labels only weights and threshold are learned from them; %s\n",
                grouped(needed),
                json_is_true(json_object_get(figures, "labels_used"))
                    ? "they changed"
                    : "these labels do not support a change");
    else if (labels && strcmp(labels, "none") == 0)
        fprintf(stderr, "without labels: finds near copies with few errors, but few paraphrases; "
                        "50 labels improve the\nweights, 300 train the decision "
                        "(film dedup POOL --review N)\n");
}

static void print_summary(json_t *about, const struct train_values *values)
{
    json_t *figures = json_object_get(about, "figures"), *sizes = json_object_get(about, "sizes");
    const char *noun = row_noun(json_string_value(json_object_get(figures, "labels")));
    print_clean(stderr, "%s: %s, %s, ", values->model,
                counted((unsigned long long)json_whole(figures, "rows"), noun),
                counted((unsigned long long)json_whole(figures, "sentences"), "sentence"));
    print_features(json_object_get(sizes, "features"));
    fprintf(stderr, "%s", counted((unsigned long long)json_whole(sizes, "dim"), "dimension"));
    print_skipped(stderr, (unsigned long long)json_whole(figures, "skipped_rows"));
    fprintf(stderr, "\n");
    print_encoding(figures);
    const json_t *vectors = json_object_get(figures, "word_vectors");
    if (vectors) {
        fprintf(stderr, "vectors for %s of ",
                grouped((unsigned long long)json_whole(vectors, "found")));
        fprintf(stderr, "%s\n", counted((unsigned long long)json_whole(vectors, "words"), "word"));
    }
    if (json_object_get(figures, "too_few_for_full"))
        fprintf(stderr,
                "too few labelled pairs for the full decision; uses a similarity threshold\n");
    print_threshold(json_object_get(about, "settings"));
    print_choice(figures);
    print_expectation(figures);
    const char *from = json_string_value(json_object_get(figures, "threshold_from"));
    if (values->train.bert && from && strcmp(from, "held out") == 0)
        fprintf(stderr, "if the encoder was trained on this file, the model overrates it; "
                        "pass pairs that it has not seen with --dev\n");
}

static int describe_training(const film_model *model, const struct command *command,
                             const struct train_values *values)
{
    film_error error;
    char *text = NULL;
    film_status status = film_describe(model, &text, &error);
    if (status != FILM_OK) return report(status, &error);
    /* With -o - the model is written to standard output. */
    if (command->json) fprintf(strcmp(values->model, "-") == 0 ? stderr : stdout, "%s\n", text);
    json_t *about = json_loads(text, 0, NULL);
    if (about && !command->quiet && !command->json) print_summary(about, values);
    print_warnings(json_object_get(about, "figures"));
    json_decref(about);
    film_free(text);
    return EXIT_DONE;
}

/* ---- Output ---- */

static int is_device_or_pipe(const char *path)
{
    struct stat about;
    return strcmp(path, "-") == 0 ||
           (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode));
}

/* Reports before the training that the model cannot be written. Skips a FIFO: opening and closing
 * it would end its reader. */
static film_status check_output(const char *path, film_error *error)
{
    film_output *output = NULL;
    if (is_device_or_pipe(path)) return FILM_OK;
    film_status status = film_output_open(path, &output, error);
    film_output_discard(output);
    return status;
}

/* Reads the labels of the pools into train.pairs. PAIRS owns them. */
static film_status add_pools(struct train_values *values, struct pool_pairs *pairs,
                             film_error *error)
{
    film_train_options *train = &values->train;
    if (values->pools.count && train->method == FILM_METHOD_MFILM) {
        snprintf(error->message, sizeof error->message,
                 "--pool cannot be used with --method mfilm, which streams files; choose another "
                 "method");
        return FILM_USAGE;
    }
    film_status status = read_pool_pairs(&values->pools, pairs, error);
    train->pairs = pairs->list;
    train->pair_count = pairs->count;
    train->sentences = pairs->sentences;
    train->sentence_count = pairs->sentence_count;
    if (values->pools.count == 1) train->random_share = pairs->random_share;
    return status;
}

/* Prints the fields of records and their types before training. Standard input and pipes cannot be
 * read twice. */
static void print_fields(const struct command *command, const struct train_values *values)
{
    film_error error;
    char *text = NULL;
    size_t i;
    json_t *list, *field;
    film_table_options table = values->train.table;
    table.size = sizeof table;
    struct stat file;
    if (command->quiet || !command->count || stat(command->words[0], &file) != 0 ||
        !S_ISREG(file.st_mode) ||
        film_guess_fields(command->words[0], &table, &text, &error) != FILM_OK)
        return; /* training reports the error */
    list = json_loads(text, 0, NULL);
    json_array_foreach(list, i, field)
        print_clean(stderr, "%s%s (%s)",
                    i ? ", " : "fields: ", json_string_value(json_object_get(field, "name")),
                    json_string_value(json_object_get(field, "type")));
    if (json_array_size(list)) fprintf(stderr, "\n");
    json_decref(list);
    film_free(text);
}

static int train_model(const struct command *command, struct train_values *values)
{
    film_train_options *train = &values->train;
    struct pool_pairs pairs = {.list = NULL};
    film_error error;
    film_model *model = NULL, *edited = NULL;
    print_fields(command, values);
    train->progress = progress_start(command->quiet);
    film_status status = check_output(values->model, &error);
    if (status == FILM_OK && values->edits) status = film_open(values->edits, &edited, &error);
    train->edits = edited;
    if (status == FILM_OK) status = add_pools(values, &pairs, &error);
    if (status == FILM_OK)
        status = film_train(command->words, (size_t)command->count, train, &model, &error);
    if (status == FILM_OK) status = film_save(model, values->model, &error);
    int code = report(status, &error);
    if (code == EXIT_DONE) code = describe_training(model, command, values);
    film_close(model);
    film_close(edited);
    pool_pairs_free(&pairs);
    return code;
}

/* ---- The encoder's vectors ---- */

/* Returns XDG_CACHE_HOME/film or ~/.cache/film, to be freed. NULL if neither exists or the user
 * wants no cache. */
static char *cache_path(const char *wanted)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (wanted) return strcmp(wanted, "none") == 0 ? NULL : strdup(wanted);
    int own = base && base[0] == '/'; /* XDG: relative paths are ignored */
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
        return usage_error(
            verb, "a model is binary and cannot be printed on a terminal; use -o MODEL with a file "
                  "name, or a pipe");

    char language[PATH_MAX];
    if (!values->no_language && find_data("english.words", language)) train->language = language;
    char *vectors = cache_path(values->cache);
    train->cache = vectors;
    int code = train_model(command, values);
    free(vectors);
    return code;
}

const struct verb verb_train = {
    VERB_TRAIN,
    .arguments = "FILE... -o MODEL [options]",
    .page = "docs/explanation/methods.md",
    .options = train_options,
    .settings = train_settings,
    .size = sizeof(struct train_values),
    .prepare = prepare,
    .run = run,
    .details = "FILE is TSV, CSV, JSON lines or plain lines, optionally compressed (.gz, .zst). "
               "Columns are\n"
               "recognised by name (question1, question2, is_duplicate; sentence1, sentence2, "
               "score; text,\n"
               "category; ...) or by layout (Kaggle's Quora file, STS Benchmark, GLUE).\n\n"
               "examples:\n"
               "  film train examples/faq/train.tsv --dev examples/faq/heldout.tsv -o faq.film\n"
               "  zcat tickets.txt.gz | film train - -o tickets.film\n"};
