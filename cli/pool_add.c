/* film pool add: adds the sentences of tables to a pool, in transactions. */
#include "pool.h"

#include <stdlib.h>

/* Prints a line per committed batch and flushes it: its rows are on disk. */
static void on_committed(void *user, const film_pool_added *so_far)
{
    (void)user;
    printf("committed %llu\n",
           (unsigned long long)(so_far->added + so_far->replaced + so_far->present + so_far->blank +
                                so_far->skipped));
    fflush(stdout);
}

static void print_counts(const film_pool_added *added, const struct command *command)
{
    unsigned long long fresh = added->added, replaced = added->replaced, present = added->present,
                       differ = added->differ, blank = added->blank, skipped = added->skipped;
    if (command->json) {
        printf("{\"added\": %llu, \"replaced\": %llu, \"present\": %llu, \"differ\": %llu, "
               "\"blank\": %llu, \"skipped\": %llu}\n",
               fresh, replaced, present, differ, blank, skipped);
        return;
    }
    if (command->quiet) return;
    fprintf(stderr, "%s added", grouped(fresh));
    if (replaced) fprintf(stderr, ", %s replaced", grouped(replaced));
    if (present) fprintf(stderr, ", %s already present", grouped(present));
    if (blank) fprintf(stderr, ", %s skipped", counted(blank, "blank line"));
    print_skipped(stderr, skipped);
    fprintf(stderr, "\n");
    if (differ)
        fprintf(stderr, "%s present with different fields; update with --replace\n",
                counted(differ, "sentence"));
}

struct values {
    film_table_options table;
    size_t batch, max_sentence;
    double wait;
    int replace, progress_lines, threads;
};

static const struct option options[] = {
    {.name = "replace",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, replace),
     .help = "update the text and fields of existing ids"},
    {.name = "batch",
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, batch),
     .argument = "N",
     .help = "rows per transaction",
     .fallback = "4096"},
    {.name = "max-sentence",
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, max_sentence),
     .argument = "BYTES",
     .help = "maximum size of a sentence; a longer one is a bad row",
     .fallback = "65536"},
    {.name = "progress-lines",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, progress_lines),
     .help = "print \"committed N\" when N rows are on disk, after each batch"},
    COLUMNS_OPTION(struct values, table, "id,text,answer"),
    PAIR_FIELDS_OPTION(struct values, table, "of columns"),
    FORMAT_OPTION(struct values, table, "input-format", "tsv|csv|jsonl|lines"),
    ENCODING_OPTION(struct values, table),
    SKIP_BAD_OPTION(struct values, table),
    THREADS_OPTION(struct values, threads),
    WAIT_OPTION(struct values, wait),
    END_OF_OPTIONS};

static void prepare(void *given)
{
    ((struct values *)given)->wait = POOL_WAIT;
}

static film_status add_arguments(const char *const *words, size_t count,
                                 const struct values *values, int quiet, film_pool_added *added,
                                 film_error *error)
{
    film_pool *pool = NULL;
    const film_model *model = NULL;
    film_pool_add_options how = {.size = sizeof how,
                                 .table = values->table,
                                 .replace = values->replace,
                                 .batch = values->batch,
                                 .max_sentence = values->max_sentence,
                                 .threads = values->threads,
                                 .progress = progress_start(quiet),
                                 .committed = values->progress_lines ? on_committed : NULL};
    film_status status = pool_open(words[0], values->wait, &pool, error);
    if (status == FILM_OK) status = film_pool_model(pool, &model, error);
    for (size_t i = 1; i < count && status == FILM_OK && !quiet; i++)
        warn_file(model, words[i], &values->table);
    if (status == FILM_OK)
        status = film_pool_add_files(pool, words + 1, count - 1, &how, added, error);
    film_pool_close(pool);
    return status;
}

static int run(const struct command *command, void *given)
{
    film_pool_added added = {.size = sizeof added};
    film_error error = {0};
    film_status status = add_arguments(command->words, (size_t)command->count, given,
                                       command->quiet, &added, &error);
    int code = report(status, &error);
    if (code == EXIT_DONE)
        print_counts(&added, command);
    else if (!command->quiet && (added.added || added.replaced))
        fprintf(stderr, "%s added; run the same command again to continue\n",
                counted(added.added + added.replaced, "sentence"));
    return code;
}

const struct verb pool_add = {
    "pool add",
    LIBRARY_POOL,
    "Add the sentences of tables to a pool",
    .arguments = "POOL FILE... [options]",
    .min_words = 2,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .details =
        "Columns: id (or qid), text (or question, sentence), category, answer, url. Other columns\n"
        "are stored too. A row without an id gets one derived from its text. A row whose id is\n"
        "present is skipped if the text is equal, and is an error if it differs. Rows are\n"
        "written in transactions: after an interruption, run the same command again.\n\n"
        "example:\n"
        "  film pool add faq.pool examples/faq/questions.tsv\n"};
