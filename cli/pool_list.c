/* film pool list, export and check: the actions that read a whole pool. */
#include "pool.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

/* ---- list ---- */

int pool_made_id(film_text id)
{
    if (id.length != 22 || memcmp(id.bytes, "t-", 2) != 0) return 0;
    for (size_t i = 2; i < id.length; i++)
        if (!strchr("0123456789abcdef", id.bytes[i])) return 0;
    return 1;
}

static void set_text(json_t *row, const char *name, film_text text)
{
    if (text.bytes) json_object_set_new(row, name, json_of_text(text));
}

void pool_set_fields(json_t *row, const film_sentence *sentence)
{
    set_text(row, "category", sentence->category);
    set_text(row, "answer", sentence->answer);
    set_text(row, "url", sentence->url);
    if (sentence->more.bytes)
        json_object_set_new(row, "more",
                            json_loadb(sentence->more.bytes, sentence->more.length, 0, NULL));
}

static int print_json(void *user, const film_sentence *sentence)
{
    (void)user;
    json_t *row = json_object();
    set_text(row, "id", sentence->id);
    set_text(row, "text", sentence->text);
    pool_set_fields(row, sentence);
    json_dumpf(row, stdout, JSON_REAL_PRECISION(15));
    putchar('\n');
    json_decref(row);
    return interrupted() || ferror(stdout);
}

static int print_row(void *user, const film_sentence *sentence)
{
    (void)user;
    print_text(stdout, sentence->id);
    putchar('\t');
    print_text(stdout, sentence->text);
    putchar('\t');
    print_text(stdout, sentence->category);
    putchar('\n');
    return interrupted() || ferror(stdout);
}

const char *pool_parse_where(const struct option_texts *texts, film_pool_where *where)
{
    for (size_t i = 0; i < texts->count; i++) {
        const char *text = texts->item[i], *equals = strchr(text, '=');
        if (!equals || equals == text) return text;
        where[i].field = (film_text){text, (size_t)(equals - text)};
        where[i].value = film_string(equals + 1);
    }
    return NULL;
}

struct list_values {
    struct option_texts where;
    size_t limit;
};

static const struct option list_options[] = {WHERE_OPTION(struct list_values, where),
                                             {.name = "limit",
                                              .letter = 'n',
                                              .kind = OPTION_COUNT,
                                              .at = offsetof(struct list_values, limit),
                                              .argument = "N",
                                              .help = "maximum number of sentences; 0: all",
                                              .fallback = "0"},
                                             END_OF_OPTIONS};

static int run_list(const struct command *command, void *given)
{
    const struct list_values *values = given;
    film_pool_where where[OPTION_MAX_TEXTS];
    const char *bad = pool_parse_where(&values->where, where);
    if (bad) return usage_error(command->verb, "--where %s: expected FIELD=VALUE", bad);

    film_error error = {0};
    film_pool *pool = NULL;
    film_pool_filter filter = {.size = sizeof filter,
                               .where = where,
                               .where_count = values->where.count,
                               .limit = values->limit};
    progress_start(1);
    film_status status = pool_open(command->words[0], POOL_WAIT, &pool, &error);
    if (status == FILM_OK && !command->json) puts("id\ttext\tcategory");
    if (status == FILM_OK)
        status =
            film_pool_list(pool, &filter, command->json ? print_json : print_row, NULL, &error);
    film_pool_close(pool);
    return interrupted() ? EXIT_INTERRUPTED : report(status, &error);
}

const struct verb pool_list = {
    "pool list",
    LIBRARY_POOL,
    "Print the sentences of a pool, oldest first",
    .arguments = "POOL [options]",
    .min_words = 1,
    .max_words = 1,
    .options = list_options,
    .size = sizeof(struct list_values),
    .run = run_list,
    .details =
        "FIELD is id, text, category, answer, url or another column of the added files. --json\n"
        "prints one object per line, with all fields.\n\n"
        "example:\n"
        "  film pool list faq.pool --where category=card --limit 10\n"};

/* ---- export ---- */

struct export_values {
    const char *output;
    film_format format;
    int labels;
};

static const struct option export_options[] = {OUTPUT_OPTION(struct export_values, output, "OUT"),
                                               {.name = "format",
                                                .kind = OPTION_CHOICE_OR_DEFAULT,
                                                .at = offsetof(struct export_values, format),
                                                .argument = "tsv|csv|jsonl",
                                                .fallback = "from the name of OUT, else tsv"},
                                               {.name = "labels",
                                                .kind = OPTION_FLAG,
                                                .at = offsetof(struct export_values, labels),
                                                .help = "export the labelled pairs instead"},
                                               END_OF_OPTIONS};

static void prepare_export(void *given)
{
    ((struct export_values *)given)->output = "-";
}

static int run_export(const struct command *command, void *given)
{
    const struct export_values *values = given;
    uint64_t written = 0;
    film_error error = {0};
    film_pool *pool = NULL;
    film_progress progress = progress_start(command->quiet);
    film_status status = pool_open(command->words[0], POOL_WAIT, &pool, &error);
    if (status == FILM_OK)
        status = values->labels ? film_pool_export_labels(pool, values->output, values->format,
                                                          &written, &error)
                                : film_pool_export(pool, values->output, values->format, &progress,
                                                   &written, &error);
    int code = report(status, &error);
    FILE *figures = figures_stream(command, code, values->output);
    if (figures && command->json)
        fprintf(figures, "{\"rows\": %llu}\n", (unsigned long long)written);
    else if (figures)
        fprintf(figures, "%s\n", counted(written, values->labels ? "label" : "sentence"));
    film_pool_close(pool);
    return code;
}

const struct verb pool_export = {"pool export",
                                 LIBRARY_POOL,
                                 "Export all sentences as a table for film pool add",
                                 .arguments = "POOL [-o OUT] [options]",
                                 .min_words = 1,
                                 .max_words = 1,
                                 .options = export_options,
                                 .size = sizeof(struct export_values),
                                 .prepare = prepare_export,
                                 .run = run_export,
                                 .details =
                                     "--labels writes a table for film pool label --from and for "
                                     "film train. Vectors and the model\n"
                                     "are not exported.\n\n"
                                     "examples:\n"
                                     "  film pool export faq.pool -o faq.csv\n"
                                     "  film pool export faq.pool --labels -o labels.csv\n"};

/* ---- check ---- */

static void print_problem(void *user, const char *line)
{
    progress_end();
    if (user)
        json_array_append_new(user, json_string(line));
    else
        print_clean(stdout, "problem: %s\n", line);
}

static void print_checked(const film_pool_checked *checked, json_t *problems, int quiet)
{
    unsigned long long sentences = checked->sentences, vectors = checked->vectors,
                       labels = checked->labels, compared = checked->compared,
                       found = checked->problems, repaired = checked->repaired,
                       contradictions = checked->contradictions;
    if (problems) {
        json_t *answer = json_pack(
            "{s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:O}", "ok", found == repaired, "sentences",
            (json_int_t)sentences, "vectors", (json_int_t)vectors, "labels", (json_int_t)labels,
            "compared", (json_int_t)compared, "contradictions", (json_int_t)contradictions,
            "problems", (json_int_t)found, "repaired", (json_int_t)repaired, "lines", problems);
        if (checked->sampled) json_object_set_new(answer, "recall", json_real(checked->recall));
        json_dumpf(answer, stdout, 0);
        putchar('\n');
        json_decref(answer);
        return;
    }
    if (quiet) return;
    if (checked->sampled)
        printf("recall@10 of the index: %.4f, measured on %s\n", checked->recall,
               counted(checked->sampled, "sentence"));
    printf("%s, %s (%s recomputed), %s\n", counted(sentences, "sentence"),
           counted(vectors, "vector"), grouped(compared), counted(labels, "label"));
    if (contradictions)
        printf("%s labelled \"different\" but connected by \"same\" labels\n",
               counted(contradictions, "pair"));
    printf("%s, %s repaired\n", counted(found, "problem"), grouped(repaired));
}

struct check_values {
    int full, repair, recall, threads;
    double wait;
};

static const struct option check_options[] = {
    {.name = "full",
     .kind = OPTION_FLAG,
     .at = offsetof(struct check_values, full),
     .help = "recompute and compare every vector"},
    {.name = "repair",
     .kind = OPTION_FLAG,
     .at = offsetof(struct check_values, repair),
     .help = "rebuild wrong vectors, indexes and counters"},
    {.name = "recall",
     .kind = OPTION_FLAG,
     .at = offsetof(struct check_values, recall),
     .help = "measure the recall of the index on 1000 sentences"},
    THREADS_OPTION(struct check_values, threads),
    WAIT_OPTION(struct check_values, wait),
    END_OF_OPTIONS};

static void prepare_check(void *given)
{
    ((struct check_values *)given)->wait = POOL_WAIT;
}

static int run_check(const struct command *command, void *given)
{
    const struct check_values *values = given;
    film_error error = {0};
    film_pool *pool = NULL;
    film_pool_checked checked = {.size = sizeof checked};
    json_t *problems = command->json ? json_array() : NULL;
    film_pool_check_options how = {.size = sizeof how,
                                   .full = values->full,
                                   .repair = values->repair,
                                   .recall = values->recall ? 1000 : 0,
                                   .threads = values->threads,
                                   .progress = progress_start(command->quiet),
                                   .problem = print_problem,
                                   .problem_user = problems};
    film_status status = pool_open(command->words[0], values->wait, &pool, &error);
    if (status == FILM_OK) status = film_pool_check(pool, &how, &checked, &error);
    int code = report(status, &error);
    if (code == EXIT_DONE) {
        print_checked(&checked, problems, command->quiet);
        if (checked.problems > checked.repaired) code = EXIT_BAD_INPUT;
    }
    json_decref(problems);
    film_pool_close(pool);
    return code;
}

const struct verb pool_check = {
    "pool check",
    LIBRARY_POOL,
    "Check the integrity of a pool",
    .arguments = "POOL [options]",
    .min_words = 1,
    .max_words = 1,
    .options = check_options,
    .size = sizeof(struct check_values),
    .prepare = prepare_check,
    .run = run_check,
    .details =
        "Checks the database, the model, all sentences, vectors, labels and counters. Recomputes\n"
        "1000 vectors from their texts (--full: all). Exits with code 2 if a problem remains.\n"
        "--repair never changes your data: texts, fields and labels.\n\n"
        "example:\n"
        "  film pool check faq.pool --full\n"};
