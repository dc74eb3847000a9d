/* film eval: evaluates a model on a labelled file and prints the metrics as a table or JSON. */
#include "train.h"

#include <stdlib.h>
#include <string.h>

/* ---- The table ---- */

/* The JSON key of a metric, its name, and whether it is printed in per cent. */
struct headline {
    const char *key, *name;
    int percent;
};

static void print_figure(const struct headline *line, const json_t *answer, const json_t *ci)
{
    const json_t *value = json_object_get(answer, line->key);
    const json_t *interval = json_object_get(ci, line->key);
    if (!json_is_number(value)) return;
    double scale = line->percent ? 100 : 1;
    int digits = line->percent ? 1 : 4;
    print_clean(stdout, "%-28s %*.*f%s", line->name, line->percent ? 6 : 9, digits,
                scale * json_number_value(value), line->percent ? " %" : "");
    if (json_array_size(interval) == 2)
        printf("%s  [%.*f, %.*f]", line->percent ? " " : "", digits,
               scale * json_number_value(json_array_get(interval, 0)), digits,
               scale * json_number_value(json_array_get(interval, 1)));
    if (strcmp(line->key, "best_accuracy") == 0)
        printf("  at threshold %.3f", json_number(answer, "best_threshold"));
    printf("\n");
}

static void print_categories(const json_t *answer, const json_t *ci)
{
    const char *k;
    json_t *share;
    json_object_foreach(json_object_get(answer, "category_accuracy"), k, share)
    {
        char name[40];
        struct headline line = {k, name, 1};
        snprintf(name, sizeof name, "category by %s neighbour%s", k, strcmp(k, "1") ? "s" : "");
        print_figure(&line, json_object_get(answer, "category_accuracy"),
                     json_object_get(ci, "category_accuracy"));
    }
}

/* Prints each category of the file, and the most frequent confusions. */
static void print_classes(const json_t *answer)
{
    enum { SHOWN = 10 };
    json_t *classes = json_object_get(answer, "classes"), *item;
    json_t *confusions = json_object_get(answer, "confusions");
    size_t index;
    if (!json_is_array(classes)) return;
    printf("%-28s %9.4f\n", "macro F1", json_number(answer, "macro_f1"));
    if (json_is_number(json_object_get(answer, "none_auroc")))
        printf("%-28s %9.4f\n", "area under the ROC, none", json_number(answer, "none_auroc"));
    printf("%-28s %6.1f %%\n", "not refused as none", 100 * json_number(answer, "answered"));
    printf("\n  rows  precision  recall     F1  category\n");
    json_array_foreach(classes, index, item)
    {
        if (!json_whole(item, "rows")) continue;
        print_clean(stdout, "%6lld  %9.3f  %6.3f  %5.3f  %s\n", json_whole(item, "rows"),
                    json_number(item, "precision"), json_number(item, "recall"),
                    json_number(item, "f1"), json_string_value(json_object_get(item, "category")));
    }
    if (json_array_size(confusions)) printf("\nmost frequent confusions\n");
    json_array_foreach(confusions, index, item)
    {
        if (index == SHOWN) break;
        print_clean(stdout, "%6lld  %s answered as %s\n", json_whole(item, "rows"),
                    json_string_value(json_object_get(item, "category")),
                    json_string_value(json_object_get(item, "answered")));
    }
}

/* Prints the first k, every fifth, the best and the elbow. */
static void print_knn(const json_t *answer)
{
    size_t index;
    json_t *point, *points = json_object_get(answer, "knn");
    long long best = json_whole(answer, "best_k"), elbow = json_whole(answer, "elbow_k");
    if (json_array_size(points) == 0) return;
    printf("\n");
    print_clean(stdout, "pairwise kNN (%s), rates in per cent\n",
                json_string_value(json_object_get(answer, "knn_variant")));
    printf("   k  cross-entropy  accuracy    TPR    TNR    FPR    FNR\n");
    json_array_foreach(points, index, point)
    {
        long long k = json_whole(point, "k");
        if (index != 0 && k % 5 != 0 && k != best && k != elbow) continue;
        printf("%4lld  %13.4f  %8.1f  %5.1f  %5.1f  %5.1f  %5.1f%s%s\n", k,
               json_number(point, "cross_entropy"), 100 * json_number(point, "accuracy"),
               100 * json_number(point, "tpr"), 100 * json_number(point, "tnr"),
               100 * json_number(point, "fpr"), 100 * json_number(point, "fnr"),
               k == best ? "  best" : "", k == elbow ? "  elbow" : "");
    }
    size_t last = json_array_size(points) - 1;
    if (last > 0 && (best == json_whole(json_array_get(points, 0), "k") ||
                     best == json_whole(json_array_get(points, last), "k")))
        printf("the best k is at the edge of the sweep%s\n",
               best > 1 ? "; another may be better: choose a wider range with --k" : "");
}

static void print_retrieval(const json_t *answer)
{
    const json_t *found = json_object_get(answer, "retrieval");
    if (!json_is_object(found)) return;
    printf("\nsearch: %s among %s\n",
           counted((unsigned long long)json_whole(found, "queries"), "duplicate"),
           counted((unsigned long long)json_whole(found, "pool"), "sentence"));
    if (json_whole(found, "queries"))
        printf("recall@1 %.1f %%, recall@10 %.1f %%, recall@36 %.1f %%, "
               "mean reciprocal rank %.3f\n",
               100 * json_number(found, "r1"), 100 * json_number(found, "r10"),
               100 * json_number(found, "r36"), json_number(found, "mrr"));
}

/* Prints "undefined" for a metric without a value. */
static void print_share(const char *name, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_number(value))
        printf("%s %.1f %%", name, 100 * json_number_value(value));
    else
        printf("%s undefined", name);
}

/* Prints the decisions counted by label. */
static void print_confusion(const json_t *answer)
{
    const json_t *count = json_object_get(answer, "confusion");
    if (!json_is_object(count)) return;
    printf("\n%-18s %14s %19s\n", "decisions", "labelled same", "labelled different");
    printf("%-18s %14lld %19lld\n", "called the same", json_whole(count, "tp"),
           json_whole(count, "fp"));
    printf("%-18s %14lld %19lld\n", "called different", json_whole(count, "fn"),
           json_whole(count, "tn"));
}

static void print_cell(const json_t *point, const char *key, int width)
{
    if (json_is_number(json_object_get(point, key)))
        printf("%*.1f %%", width - 2, 100 * json_number(point, key));
    else
        printf("%*s", width, "-");
}

/* Prints what each threshold gives at the prior in use. */
static void print_thresholds(const json_t *answer)
{
    const json_t *count = json_object_get(answer, "confusion");
    json_t *point, *points = json_object_get(answer, "thresholds");
    size_t i;
    if (!json_array_size(points)) return;
    double same = (double)(json_whole(count, "tp") + json_whole(count, "fn"));
    double all = same + (double)(json_whole(count, "fp") + json_whole(count, "tn"));
    printf("\nby threshold, if %.3g %% of the pairs are duplicates (in this file: %.3g %%)\n"
           "threshold  precision    recall  called the same\n",
           100 * json_number(answer, "prior"), 100 * same / all);
    json_array_foreach(points, i, point)
    {
        printf("%9.3f", json_number(point, "threshold"));
        print_cell(point, "precision", 11);
        print_cell(point, "recall", 10);
        print_cell(point, "called_same", 17);
        printf("%s\n", json_is_true(json_object_get(point, "used")) ? "  in use" : "");
    }
}

static void print_operating(const json_t *answer)
{
    const json_t *point = json_object_get(answer, "operating");
    if (!json_is_object(point)) return;
    const char *criterion = json_string_value(json_object_get(point, "criterion"));
    printf("\n");
    print_clean(stdout, "operating point for %s", criterion);
    if (json_is_number(json_object_get(point, "target")))
        printf(" %g", json_number(point, "target"));
    printf(", at %.3g %% duplicates\n", 100 * json_number(point, "prior"));
    if (json_is_false(json_object_get(point, "reached")))
        printf("no threshold is sure to reach it on this file (95 %% confidence); the %s is\n",
               strcmp(criterion, "recall") == 0 ? "lowest" : "strictest");
    printf("threshold %.4f: ", json_number(point, "threshold"));
    print_promise(stdout, point);
    if (strcmp(criterion, "precision") != 0) print_share("precision", point, "precision");
    if (strcmp(criterion, "recall") != 0)
        print_share(strcmp(criterion, "precision") == 0 ? "recall" : ", recall", point, "recall");
    print_share(", F1", point, "f1");
    print_share(", accuracy", point, "accuracy");
    printf("\n");
    print_near_misses(stdout, point);
}

static void print_difference(const struct headline *line, const json_t *against)
{
    const json_t *figure = json_object_get(against, line->key);
    const json_t *interval = json_object_get(figure, "ci");
    double scale = line->percent ? 100 : 1;
    int digits = line->percent ? 1 : 4;
    if (!json_is_number(json_object_get(figure, "difference"))) return;
    printf("%-28s %9.*f %9.*f %+11.*f", line->name, digits, scale * json_number(figure, "first"),
           digits, scale * json_number(figure, "second"), digits,
           scale * json_number(figure, "difference"));
    if (json_array_size(interval) == 2)
        printf("  [%+.*f, %+.*f]", digits, scale * json_number_value(json_array_get(interval, 0)),
               digits, scale * json_number_value(json_array_get(interval, 1)));
    printf("\n");
}

static void print_against(const json_t *answer)
{
    static const struct headline lines[] = {
        {"accuracy", "accuracy, per cent", 1},
        {"f1", "F1, per cent", 1},
        {"auc", "area under the ROC curve", 0},
        {"log_loss", "log loss", 0},
        {"brier", "Brier score", 0},
        {"pearson", "Pearson", 0},
        {"spearman", "Spearman", 0},
    };
    const json_t *against = json_object_get(answer, "against");
    const json_t *test = json_object_get(against, "mcnemar");
    if (!json_is_object(against)) return;
    printf("\n");
    print_clean(stdout, "%s against %s\n", json_string_value(json_object_get(against, "first")),
                json_string_value(json_object_get(against, "second")));
    printf("%-28s %9s %9s %11s\n", "", "first", "second", "difference");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) print_difference(&lines[i], against);
    if (json_is_object(test))
        print_clean(stdout,
                    "only the first is right: %lld, only the second: %lld; McNemar (%s) p = %.3g\n",
                    json_whole(test, "b"), json_whole(test, "c"),
                    json_string_value(json_object_get(test, "test")), json_number(test, "p"));
    print_clean(stdout, "%s\n", json_string_value(json_object_get(against, "sentence")));
}

static void print_answer(const json_t *answer)
{
    static const struct headline lines[] = {
        {"accuracy", "accuracy", 1},
        {"best_accuracy", "best accuracy", 1},
        {"precision", "precision", 1},
        {"recall", "recall", 1},
        {"f1", "F1", 1},
        {"auc", "area under the ROC curve", 0},
        {"average_precision", "average precision", 0},
        {"log_loss", "log loss", 0},
        {"ece", "calibration error (ECE)", 0},
        {"brier", "Brier score", 0},
        {"pearson", "Pearson", 0},
        {"spearman", "Spearman", 0},
        {"pearson_log_odds", "Pearson of the log-odds", 0},
        {"triplet_accuracy", "triplet accuracy", 1},
    };
    const json_t *ci = json_object_get(answer, "ci");
    print_clean(stdout, "%s (%s), %s",
                counted((unsigned long long)json_whole(answer, "rows"), "row"),
                json_string_value(json_object_get(answer, "labels")),
                counted((unsigned long long)json_whole(answer, "sentences"), "distinct sentence"));
    print_skipped(stdout, (unsigned long long)json_whole(answer, "skipped"));
    printf("%s\n", json_object_size(ci) ? "; [95 % confidence intervals]" : "");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) print_figure(&lines[i], answer, ci);
    print_categories(answer, ci);
    print_confusion(answer);
    print_thresholds(answer);
    print_classes(answer);
    print_operating(answer);
    print_against(answer);
    print_knn(answer);
    print_retrieval(answer);
}

/* ---- The verb ---- */

/* Parses "1:55", "36" (only this k) or "0" (no sweep). */
static int parse_range(const char *text, size_t *first, size_t *last)
{
    char *end;
    unsigned long long low, high;
    if (*text < '0' || *text > '9') return 0;
    low = high = strtoull(text, &end, 10);
    if (*end == ':' && end[1] >= '0' && end[1] <= '9') high = strtoull(end + 1, &end, 10);
    *first = (size_t)low;
    *last = (size_t)high;
    return *end == '\0' && (high == 0 || (low >= 1 && low <= high));
}

struct values {
    film_eval_options eval;
    const char *range, *other, *reference;
    film_operating wanted; /* FILM_CRITERION_COUNT: not requested */
    film_arithmetic arithmetic;
};

static const struct option options[] = {
    {.name = "k",
     .letter = 'k',
     .kind = OPTION_TEXT,
     .at = offsetof(struct values, range),
     .argument = "FIRST:LAST",
     .help = "range of k for pairwise kNN; 0: none",
     .fallback = "1:55",
     .proposals = "1:55 0"},
    {.name = "knn",
     .kind = OPTION_CHOICE,
     .at = offsetof(struct values, eval.knn),
     .argument = "mutual|either",
     .help = "neighbours: each among the other's k nearest (default), or one of them"},
    {.name = "decision",
     .kind = OPTION_CHOICE_OR_DEFAULT,
     .at = offsetof(struct values, eval.decision),
     .argument = "full|threshold|knn",
     .help = "use the full decision (default), only the similarity, or kNN with the best k"},
    {.name = "no-memory",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, eval.no_memory),
     .help = "ignore what the model remembers of its training questions"},
    {.name = "prior",
     .kind = OPTION_PRIOR,
     .at = offsetof(struct values, eval.prior),
     .argument = "P|auto",
     .help = "assumed share of duplicates; auto: the share in FILE",
     .fallback = "0.5",
     .proposals = "auto"},
    THRESHOLD_OPTION(struct values, eval.threshold),
    {.name = "operating",
     .kind = OPTION_OPERATING,
     .at = offsetof(struct values, wanted),
     .argument = "POINT",
     .help = "find the threshold on FILE for accuracy, f1, or a sure precision=P or recall=R",
     .proposals = "accuracy f1 precision=0.9 recall=0.9"},
    {.name = "against",
     .kind = OPTION_FILE,
     .at = offsetof(struct values, other),
     .argument = "MODEL2",
     .help = "compare with a second model on the same rows"},
    {.name = "reference",
     .kind = OPTION_FILE,
     .at = offsetof(struct values, reference),
     .argument = "FILE",
     .help = "categories: use the sentences of this file instead of those of the model"},
    {.name = "pool",
     .kind = OPTION_FILE,
     .at = offsetof(struct values, eval.pool),
     .argument = "FILE",
     .help = "also measure search in this file and the evaluated one"},
    {.name = "pool-queries",
     .kind = OPTION_COUNT,
     .at = offsetof(struct values, eval.pool_queries),
     .argument = "N",
     .help = "search only for the first N duplicates",
     .fallback = "all"},
    {.name = "pool-columns",
     .kind = OPTION_TEXT,
     .at = offsetof(struct values, eval.pool_table.columns),
     .argument = "LIST",
     .help = "names of the columns of --pool"},
    {.name = "bootstrap",
     .kind = OPTION_COUNT_OR_NONE,
     .at = offsetof(struct values, eval.bootstrap),
     .argument = "N",
     .help = "bootstrap samples for the confidence intervals; 0: none",
     .fallback = "1000"},
    TABLE_OPTIONS(struct values, eval.table),
    FIELDS_OPTIONS(struct values, eval.table),
    {.name = "seed",
     .kind = OPTION_SEED,
     .at = offsetof(struct values, eval.seed),
     .argument = "N",
     .help = "random seed of the bootstrap",
     .fallback = "1"},
    THREADS_OPTION(struct values, eval.threads),
    ENCODER_OPTIONS(struct values, arithmetic),
    END_OF_OPTIONS};

static void prepare(void *given)
{
    struct values *values = given;
    values->range = "1:55";
    values->wanted.criterion = FILM_CRITERION_COUNT;
    values->eval.size = sizeof values->eval;
}

static int run(const struct command *command, void *given)
{
    struct values *values = given;
    film_eval_options *eval = &values->eval;
    const char *const *arguments = command->words;
    if (!parse_range(values->range, &eval->k_first, &eval->k_last))
        return usage_error(command->verb, "--k %s: expected FIRST:LAST, such as 1:55",
                           values->range);
    eval->no_knn = eval->k_last == 0;
    eval->pool_table.skip_bad = eval->table.skip_bad;

    film_error error;
    film_model *model = NULL, *other = NULL;
    film_eval_result result = {.size = sizeof result};
    char *text = NULL;
    eval->progress = progress_start(command->quiet);
    film_status status = open_model(arguments[0], values->arithmetic, &model, &error);
    if (status == FILM_OK && values->reference) {
        film_reference_options reference = {.size = sizeof reference,
                                            .table = {.skip_bad = eval->table.skip_bad},
                                            .threads = eval->threads,
                                            .progress = eval->progress};
        status = film_set_reference(model, values->reference, &reference, &error);
    }
    if (status == FILM_OK && values->other)
        status = open_model(values->other, FILM_ARITHMETIC_OWN, &other, &error);
    if (values->wanted.criterion != FILM_CRITERION_COUNT) eval->operating = &values->wanted;
    eval->against = other;
    eval->names[0] = arguments[0];
    eval->names[1] = values->other;
    if (status == FILM_OK) status = film_eval(model, arguments[1], eval, &result, &error);
    if (status == FILM_OK) status = film_eval_json(&result, &text, &error);
    int code = report(status, &error);
    if (code == EXIT_DONE && command->json) {
        puts(text);
    } else if (code == EXIT_DONE) {
        json_t *answer = json_loads(text, 0, NULL);
        if (answer) print_answer(answer);
        json_decref(answer);
    }
    film_free(text);
    film_eval_result_free(&result);
    close_model(model);
    close_model(other);
    return code;
}

const struct verb verb_eval = {
    VERB_EVAL,
    .arguments = "MODEL FILE [options]",
    .page = "docs/reference/measures.md",
    .min_words = 2,
    .max_words = 2,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .details =
        "FILE contains labelled pairs, pairs with scores, triplets or categories. The metrics "
        "that\n"
        "apply to it are printed with 95 % bootstrap confidence intervals; "
        "docs/reference/measures.md defines "
        "them.\n\n"
        "examples:\n"
        "  film eval faq.film examples/faq/heldout.tsv\n"
        "  film eval quora.film dev.tsv --pool train.tsv --pool-queries 2000 --json\n"
        "  film eval new.film dev.tsv --against old.film\n"
        "  film eval quora.film dev.tsv --operating precision=0.9 --prior auto\n"};
