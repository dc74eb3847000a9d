/* film pool: the table of its actions, and the actions create and remove. */
#include "pool.h"
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

film_status pool_open(const char *path, double wait, film_pool **pool, film_error *error)
{
    film_status status = film_pool_open(path, pool, error);
    if (status == FILM_OK) film_pool_set_wait(*pool, fmax(wait, 0));
    return status;
}

/* ---- create ---- */

struct create_values {
    const char *model, *from, *start;
    film_table_options table;
    int threads;
};

static const struct option create_options[] = {
    {.name = "model",
     .letter = 'm',
     .kind = OPTION_FILE,
     .at = offsetof(struct create_values, model),
     .argument = "MODEL",
     .help = "the model to copy into the pool"},
    {.name = "from",
     .kind = OPTION_FILE,
     .at = offsetof(struct create_values, from),
     .argument = "FILE",
     .help = "instead: train a model without labels on this table, and add its rows"},
    START_OPTION(struct create_values, start),
    COLUMNS_OPTION(struct create_values, table, "id,text,answer"),
    FORMAT_OPTION(struct create_values, table, "input-format", "tsv|csv|jsonl|lines"),
    ENCODING_OPTION(struct create_values, table),
    SKIP_BAD_OPTION(struct create_values, table),
    THREADS_OPTION(struct create_values, threads),
    END_OF_OPTIONS};

static film_status create_from(const struct command *command, const struct create_values *values,
                               film_error *error)
{
    film_pool_added added = {.size = sizeof added};
    struct pool_start start = {.path = command->words[0],
                               .from = values->from,
                               .start = values->start,
                               .table = values->table,
                               .threads = values->threads,
                               .quiet = command->quiet};
    start.table.size = sizeof start.table;
    start.table.labels = FILM_LABELS_NONE;
    film_status status = pool_start(&start, &added, error);
    if (status == FILM_OK && !command->quiet && !command->json) {
        fprintf(stderr, "%s added", grouped(added.added));
        print_skipped(stderr, added.skipped);
        print_clean(stderr, "; film serve %s opens a page to review pairs\n", start.path);
    }
    return status;
}

static int run_create(const struct command *command, void *given)
{
    const struct create_values *values = given;
    const char *path = command->words[0];
    if (!values->model == !values->from)
        return usage_error(command->verb, "exactly one of --model MODEL and --from FILE is needed");
    if (values->start && !values->from)
        return usage_error(command->verb, "--start needs --from FILE: --model is copied as it is");

    film_error error = {0};
    film_pool *pool = NULL;
    char *about = NULL;
    film_status status = values->from ? create_from(command, values, &error)
                                      : film_pool_create(path, values->model, &error);
    if (status == FILM_OK && command->json) status = film_pool_open(path, &pool, &error);
    if (status == FILM_OK && command->json) status = film_pool_describe_json(pool, &about, &error);
    int code = report(status, &error);
    if (about) puts(about);
    film_free(about);
    film_pool_close(pool);
    return code;
}

const struct verb pool_create = {"pool create",
                                 LIBRARY_POOL,
                                 "Create a pool with a copy of a model, or from a table",
                                 .arguments = "POOL --model MODEL | POOL --from FILE",
                                 .min_words = 1,
                                 .max_words = 1,
                                 .options = create_options,
                                 .size = sizeof(struct create_values),
                                 .run = run_create,
                                 .details = "example:\n"
                                            "  film pool create faq.pool --model faq.film\n"
                                            "  film pool create faq.pool --from questions.csv\n"};

/* ---- update ---- */

struct update_values {
    const char *model;
    int threads;
    double wait;
};

static const struct option update_options[] = {
    {.name = "model",
     .letter = 'm',
     .kind = OPTION_FILE,
     .at = offsetof(struct update_values, model),
     .argument = "MODEL",
     .help = "the new model, or a pool with it (required)"},
    THREADS_OPTION(struct update_values, threads),
    WAIT_OPTION(struct update_values, wait),
    END_OF_OPTIONS};

static void prepare_update(void *given)
{
    ((struct update_values *)given)->wait = POOL_WAIT;
}

static int run_update(const struct command *command, void *given)
{
    const struct update_values *values = given;
    if (!values->model) return usage_error(command->verb, "--model MODEL is missing");

    film_error error = {0};
    film_pool *pool = NULL;
    uint64_t sentences = 0;
    film_progress progress = progress_start(command->quiet);
    film_status status = pool_open(command->words[0], values->wait, &pool, &error);
    if (status == FILM_OK)
        status =
            film_pool_update(pool, values->model, values->threads, &progress, &sentences, &error);
    int code = report(status, &error);
    if (code == EXIT_DONE && command->json)
        printf("{\"sentences\": %llu}\n", (unsigned long long)sentences);
    else if (code == EXIT_DONE && !command->quiet)
        fprintf(stderr, "new model, %s embedded\n", counted(sentences, "sentence"));
    film_pool_close(pool);
    return code;
}

const struct verb pool_update = {
    "pool update",
    LIBRARY_POOL,
    "Replace the model of a pool; sentences, labels and clusters stay",
    .arguments = "POOL --model MODEL [options]",
    .min_words = 1,
    .max_words = 1,
    .options = update_options,
    .size = sizeof(struct update_values),
    .prepare = prepare_update,
    .run = run_update,
    .details = "Vectors are computed again. The pool can be searched all the time, and a server "
               "that serves it\n"
               "takes the new model by itself.\n\n"
               "example:\n"
               "  film train --pool faq.pool -o better.film\n"
               "  film pool update faq.pool --model better.film\n"};

/* ---- remove ---- */

struct ids {
    film_text *list;
    size_t count, capacity;
};

static film_status add_id(struct ids *ids, film_text id, film_error *error)
{
    if (ids->count == ids->capacity) {
        size_t larger = 2 * ids->capacity + 64;
        film_text *list = realloc(ids->list, larger * sizeof *list);
        if (!list) return no_memory(error);
        ids->list = list;
        ids->capacity = larger;
    }
    char *copy = malloc(id.length + 1);
    if (!copy) return no_memory(error);
    memcpy(copy, id.bytes, id.length);
    ids->list[ids->count++] = (film_text){copy, id.length};
    return FILM_OK;
}

/* Reads one id per line. Skips blank lines. */
static film_status read_ids(struct ids *ids, film_error *error)
{
    film_table_options lines = {.size = sizeof lines, .format = FILM_FORMAT_LINES};
    film_table *table = NULL;
    film_row row;
    film_status status = film_table_open("-", &lines, &table, error);
    while (status == FILM_OK && (status = film_table_next(table, &row, error)) == FILM_OK)
        if (row.a.length) status = add_id(ids, row.a, error);
    film_table_close(table);
    return status == FILM_END ? FILM_OK : status;
}

struct remove_values {
    int ignore_missing;
    double wait;
};

static const struct option remove_options[] = {
    {.name = "ignore-missing",
     .kind = OPTION_FLAG,
     .at = offsetof(struct remove_values, ignore_missing),
     .help = "ignore ids that are not in the pool"},
    WAIT_OPTION(struct remove_values, wait),
    END_OF_OPTIONS};

static void prepare_remove(void *given)
{
    ((struct remove_values *)given)->wait = POOL_WAIT;
}

static int run_remove(const struct command *command, void *given)
{
    const struct remove_values *values = given;
    const char *const *words = command->words;
    film_error error = {0};
    film_pool *pool = NULL;
    struct ids ids = {0};
    uint64_t removed = 0;
    film_status status = pool_open(words[0], values->wait, &pool, &error);
    for (int i = 1; i < command->count && status == FILM_OK; i++)
        status = strcmp(words[i], "-") == 0 ? read_ids(&ids, &error)
                                            : add_id(&ids, film_string(words[i]), &error);
    if (status == FILM_OK)
        status =
            film_pool_remove(pool, ids.list, ids.count, values->ignore_missing, &removed, &error);
    int code = report(status, &error);
    unsigned long long gone = removed, missing = ids.count - removed;
    if (code == EXIT_DONE && command->json)
        printf("{\"removed\": %llu, \"missing\": %llu}\n", gone, missing);
    else if (code == EXIT_DONE && !command->quiet)
        fprintf(stderr, missing ? "%s removed, %s not found\n" : "%s removed\n", grouped(gone),
                grouped(missing));
    for (size_t i = 0; i < ids.count; i++) free((char *)(uintptr_t)ids.list[i].bytes);
    free(ids.list);
    film_pool_close(pool);
    return code;
}

const struct verb pool_remove = {"pool remove",
                                 LIBRARY_POOL,
                                 "Remove sentences and their labels, all or none",
                                 .arguments = "POOL ID... [options]",
                                 .min_words = 2,
                                 .options = remove_options,
                                 .size = sizeof(struct remove_values),
                                 .prepare = prepare_remove,
                                 .run = run_remove,
                                 .details = "- reads ids from standard input, one per line.\n\n"
                                            "example:\n"
                                            "  film pool remove faq.pool 17 18\n"};

/* ---- the verb ---- */

static const struct verb *const actions[] = {
    &pool_create, &pool_add,   &pool_remove, &pool_list,      &pool_export,
    &pool_check,  &pool_label, &pool_update, &pool_threshold, &pool_clusters,
    &pool_words,  &pool_learn, &pool_models, &pool_restore,   NULL};

/* Runs only for an unknown action. */
static int run(const struct command *command, void *given)
{
    const char *name = command->words[0], *near = NULL;
    size_t least = 3;
    (void)given;
    for (int i = 0; actions[i]; i++) {
        const char *known = actions[i]->name + strlen("pool ");
        size_t distance = edit_distance(name, strlen(name), known);
        if (distance < least) near = known;
        if (distance < least) least = distance;
    }
    if (near)
        return usage_error(command->verb, "unknown action \"%s\" (did you mean %s?)", name, near);
    return usage_error(command->verb, "unknown action \"%s\"", name);
}

const struct verb verb_pool = {
    VERB_POOL,
    .arguments = "ACTION POOL ... [options]",
    .page = "docs/how-to/search.md",
    .min_words = 1,
    .max_words = 1,
    .actions = actions,
    .run = run,
    .details = "A pool stores sentences, their vectors, labels and the model. POOL is a file, or a "
               "database that\n"
               "several machines can share: postgresql://USER@HOST:PORT/DATABASE "
               "(docs/how-to/share-a-pool.md). Store\n"
               "the password in ~/.pgpass, not on the command line.\n\n"
               "example:\n"
               "  film pool create faq.pool --model faq.film\n"
               "  film pool add faq.pool examples/faq/questions.tsv\n"};
