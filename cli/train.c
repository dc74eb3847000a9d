#include "cli.h"
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 256 };

/* Filled by the command line. Not local to run, so that the list of options can stand by itself. */
static film_train_options train;
static const char *model_path;
static struct option_texts pools;
static const char *cache;

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
static void print_summary(json_t *about)
{
    json_t *figures = json_object_get(about, "figures"), *sizes = json_object_get(about, "sizes");
    fprintf(stderr, "%s: %lld rows, %lld sentences, ", model_path, json_whole(figures, "rows"),
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
    if (train.bert && from && strcmp(from, "held out") == 0)
        fprintf(stderr,
                "if the encoder was trained on this file it is trusted too much: give pairs "
                "it has not seen with --dev\n");
}

static int describe(const film_model *model, const struct common *common)
{
    film_error error;
    char *text = NULL;
    film_status status = film_describe(model, &text, &error);
    if (status != FILM_OK) return report(status, &error);
    /* With -o - the model itself goes to standard output. */
    if (common->json) fprintf(strcmp(model_path, "-") == 0 ? stderr : stdout, "%s\n", text);
    json_t *about = json_loads(text, 0, NULL);
    if (!common->quiet && !common->json) print_summary(about);
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
static int keep_best(const film_model *model, film_status why, const film_error *reason)
{
    film_error error;
    film_status status = film_save(model, model_path, &error);
    if (status != FILM_OK) return report(status, &error);
    progress_end();
    int resumable = train.checkpoint && access(train.checkpoint, F_OK) == 0;
    fprintf(stderr, "film: %s; %s holds the best so far%s\n", reason->message,
            strcmp(model_path, "-") == 0 ? "standard output" : model_path,
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

static int train_model(const char *const *files, size_t count, const struct common *common)
{
    film_error error;
    film_model *model = NULL;
    int code, first = film_job_rank(job) == 0; /* the one that writes */
    train.job = job;
    train.progress = progress_start(common->quiet);
    film_status status = first ? check_output(model_path, &error) : FILM_OK;
    if (status == FILM_OK && first) status = check_output(train.checkpoint, &error);
    if (status == FILM_OK) status = film_train(files, count, &train, &model, &error);
    if (status != FILM_OK && model) {
        code = keep_best(model, status, &error);
        goto done;
    }
    if (status == FILM_OK && first) status = film_save(model, model_path, &error);
    code = report(status, &error);
    if (code != EXIT_DONE || !first) goto done;
    if (train.checkpoint) unlink(train.checkpoint); /* mostly there is none */
    code = describe(model, common);
done:
    film_close(model);
    return code;
}

/* ---- The encoder's vectors ---- */

/* XDG_CACHE_HOME/film, or ~/.cache/film; NULL where the user has neither or wants none. To be freed. */
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

static const struct option options[] = {
    HEADING("data"),
    {"output", 'o', OPTION_TEXT, &model_path, "MODEL", "where to write the model (required)"},
    {"pool", 0, OPTION_TEXTS, &pools, "POOL",
     "learn from the labels of a pool too, or of pools alone; several times"},
    {"dev", 0, OPTION_TEXT, &train.dev, "FILE",
     "labelled file to choose the threshold on (default: held-out rows)"},
    {"operating", 0, OPTION_POINT, &train.operating, "POINT",
     "choose it for accuracy (default), f1, precision=P or recall=R"},
    {"prior", 0, OPTION_SHARE, &train.prior, "P",
     "and for this share of duplicates, whatever the file's (default 0.5)"},
    TABLE_OPTIONS(train.table),
    HEADING("features"),
    {"features", 0, OPTION_FEATURES, &train.features, "LIST",
     "some of word,bigram,char (default: word,char for rank, else word)"},
    {"min-df", 0, OPTION_SOME, &train.min_df, "N",
     "keep features of at least N sentences (default 2)"},
    {"max-features", 0, OPTION_COUNT, &train.max_features, "N",
     "keep the N most frequent of each group"},
    {"stem", 0, OPTION_TEXT, &train.stem, "LANGUAGE", "Snowball stemming: english, german, ..."},
    {"stop", 0, OPTION_TEXT, &train.stop, "WORDS",
     "words to leave out: english, or a file with one per line"},
    HEADING("method"),
    {"method", 0, OPTION_CHOICE, &train.method, "auto|tfidf|svd|film|mfilm|rank|deep",
     "how to learn (default: rank with labels, svd without; with --bert film, svd)"},
    {"bert", 0, OPTION_TEXT, &train.bert, "DIR",
     "vectors of this BERT encoder, with film, svd or deep on top of them"},
    {"cache", 0, OPTION_TEXT, &cache, "DIR",
     "keep the encoder's vectors there, or none (default: film in the user's cache)"},
    {"dim", 0, OPTION_SIZE, &train.dim, "N",
     "length of a vector (default: 200 for rank, 100 for film, else the rank)"},
    {"sim", 0, OPTION_CHOICE, &train.similarity, "cosine|dot|euclidean",
     "how two vectors are compared (default cosine)"},
    {"rank", 0, OPTION_SIZE, &train.rank, "N", "svd, film: rank of the SVD (default 256)"},
    HEADING("decision"),
    {"decision", 0, OPTION_CHOICE, &train.decision, "auto|full|threshold",
     "learn word evidence and traits (default with labels), or one threshold"},
    {"no-memory", 0, OPTION_FLAG, &train.no_memory, NULL,
     "do not keep which questions were labelled"},
    {"keep-examples", 0, OPTION_SIZE, &train.keep_examples, "N",
     "keep N labelled pairs in the model, for film explain to show (default none)"},
    HEADING("method film"),
    {"power", 0, OPTION_ZERO, &train.solver.power, "P", "Sigma^-P; 1 in the paper (default 0.5)"},
    {"init", 0, OPTION_CHOICE, &train.solver.eigen, "random|eigen",
     "where to start (default random)"},
    {"margin", 0, OPTION_ABOVE_0, &train.solver.margin_ratio, "R",
     "margin over mean squared length (default 0.5)"},
    {"positives", 0, OPTION_SIZE, &train.solver.positives, "N",
     "most positives of an anchor (default 5)"},
    {"labelled", 0, OPTION_SOME, &train.solver.labelled, "N",
     "most labelled negatives of an anchor (default 5)"},
    {"hard", 0, OPTION_SOME, &train.solver.hard, "N", "hard negatives of an anchor (default 3)"},
    {"random", 0, OPTION_SOME, &train.solver.random, "N",
     "random negatives of an anchor (default 5)"},
    {"iterations", 0, OPTION_SIZE, &train.solver.iterations, "N",
     "at most so many steps (default 12)"},
    {"inner", 0, OPTION_SIZE, &train.solver.inner, "N",
     "steps between two updates of the active hinges (default 1)"},
    {"epsilon", 0, OPTION_ZERO, &train.solver.epsilon, "E",
     "stop below this gradient norm (default 1e-5)"},
    {"least-change", 0, OPTION_ZERO, &train.solver.least_change, "E",
     "stop below this relative change (default 1e-7)"},
    {"rho", 0, OPTION_ZERO, &train.solver.rho, "X",
     "share of the slope a step must gain (default 1e-4)"},
    {"gamma", 0, OPTION_ZERO, &train.solver.gamma, "X",
     "memory of the non-monotone search (default 0.85)"},
    {"shrink", 0, OPTION_ZERO, &train.solver.shrink, "X",
     "factor of a shortened step (default 0.2)"},
    {"first-step", 0, OPTION_ABOVE_0, &train.solver.first_tau, "X",
     "length of the first step (default 1e-3)"},
    HEADING("method mfilm"),
    {"sample", 0, OPTION_SIZE, &train.solver.sample, "N",
     "sentences the SVD is made from, at most (default 200000)"},
    {"mfilm-basis", 0, OPTION_CHOICE, &train.solver.batch_basis, "sample|batch",
     "one SVD of a sample, or one per batch as published (worse)"},
    HEADING("methods rank, mfilm and deep"),
    {"epochs", 0, OPTION_SIZE, &train.epochs, "N",
     "passes over the pairs or files (default: 2 for rank, else 1)"},
    {"batch", 0, OPTION_SIZE, &train.batch, "N",
     "pairs per step (rank 1024, deep 64), mfilm: anchors per batch (8192)"},
    HEADING("methods rank and deep"),
    {"rate", 0, OPTION_ABOVE_0, &train.ranking.rate, "X",
     "first step size (default: 0.05 for rank, 0.001 for deep)"},
    {"temperature", 0, OPTION_ABOVE_0, &train.ranking.temperature, "T",
     "sharpness of the softmax, up to 40 (default 14)"},
    HEADING("method deep"),
    {"maps", 0, OPTION_FOUR, train.deep.maps, "N,N,N,N",
     "maps of its layers (default 16,32,32,16; as published 64,128,256,128)"},
    {"tokens", 0, OPTION_SIZE, &train.deep.tokens, "N",
     "tokens of a sentence that are read, from 32 on (default 32)"},
    {"loss", 0, OPTION_CHOICE, &train.deep.loss, "triplet|npair",
     "the negative that is nearest, or all of the batch (default triplet)"},
    {"deep-margin", 0, OPTION_ABOVE_0, &train.deep.margin, "M",
     "of the triplet loss, between cosines (default 0.3)"},
    {"dropout", 0, OPTION_ZERO, &train.deep.dropout, "P",
     "share of the last layer's inputs left out at random (default 0.1)"},
    HEADING("other"),
    {"resume", 0, OPTION_FLAG, &train.resume, NULL,
     "film, rank, deep: go on where the same command was stopped"},
    {"checkpoint-every", 0, OPTION_ZERO, &train.checkpoint_every, "SECONDS",
     "so often write MODEL.checkpoint for it (default 60; 0: only on Ctrl-C)"},
    {"seed", 0, OPTION_SEED, &train.seed, "N", "of all random numbers (default 1)"},
    {"threads", 't', OPTION_THREADS, &train.threads, "N", "default: all cores"},
    END_OF_OPTIONS};

static int run(const struct verb *verb, int argc, char **argv)
{
    const char *files[MOST_FILES];
    struct common common = {0};
    train.size = sizeof train;
    int count = parse_arguments(verb, options, &common, argc, argv, files, 0, MOST_FILES);
    if (count < 0) return count == -2 ? EXIT_DONE : EXIT_USAGE;
    if (count == 0 && pools.count == 0)
        return usage_error(verb, "usage: film %s %s", verb->name, verb->arguments);
    if (train.checkpoint_every == FILM_ZERO) train.checkpoint_only_when_cancelled = 1;
    train.pools = pools.item;
    train.pool_count = pools.count;
    if (!model_path) return usage_error(verb, "-o MODEL is missing");
    if (strcmp(model_path, "-") == 0 && isatty(STDOUT_FILENO))
        return usage_error(verb, "a model is binary: use -o MODEL with a file name, or a pipe");

    char *checkpoint = checkpoint_path(model_path);
    if (train.resume && !checkpoint)
        return usage_error(verb, "--resume needs -o MODEL with a file name, beside which the "
                                 "checkpoint lies");
    train.checkpoint = checkpoint;
    char *vectors = cache_path(cache);
    train.cache = vectors;
    int code = train_model(files, (size_t)count, &common);
    free(checkpoint);
    free(vectors);
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
