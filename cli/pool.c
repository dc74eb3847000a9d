/* film pool ACTION: the actions that are one call, and finding the others. */
#include "pool.h"
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

film_status pool_open(const char *path, const struct pool_values *values, film_pool **pool,
                      film_error *error)
{
    film_status status = film_pool_open(path, pool, error);
    if (status == FILM_OK) film_pool_set_wait(*pool, fmax(values->wait, 0));
    return status;
}

/* ---- create ---- */

static int run_create(const struct verb *verb, int argc, char **argv)
{
    struct common common = {0};
    struct pool_values values = POOL_DEFAULTS;
    const char *path[1];
    const struct option options[] = {CREATE_OPTIONS(values), END_OF_OPTIONS};
    int count = parse_arguments(verb, options, &common, argc, argv, path, 1, 1);
    if (count < 0) return count == -2 ? EXIT_DONE : EXIT_USAGE;
    if (!values.model) return usage_error(verb, "--model MODEL is missing");

    film_error error = {0};
    film_pool *pool = NULL;
    char *about = NULL;
    film_status status = film_pool_create(path[0], values.model, &error);
    if (status == FILM_OK && common.json) status = film_pool_open(path[0], &pool, &error);
    if (status == FILM_OK && common.json) status = film_pool_describe_json(pool, &about, &error);
    int code = report(status, &error);
    if (about) puts(about);
    film_free(about);
    film_pool_close(pool);
    return code;
}

static const struct verb create = {"pool create", "POOL --model MODEL",
                                   "Make an empty pool with a copy of a model inside",
                                   "example:\n"
                                   "  film pool create faq.pool --model faq.film\n",
                                   run_create};

/* ---- remove ---- */

struct ids {
    film_text *list;
    size_t count, capacity;
};

static film_status keep_id(struct ids *ids, film_text id, film_error *error)
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

/* An id per line; blank lines are passed over. */
static film_status read_ids(struct ids *ids, film_error *error)
{
    film_table_options lines = {.size = sizeof lines, .format = FILM_FORMAT_LINES};
    film_table *table = NULL;
    film_row row;
    film_status status = film_table_open("-", &lines, &table, error);
    while (status == FILM_OK && (status = film_table_next(table, &row, error)) == FILM_OK)
        if (row.a.length) status = keep_id(ids, row.a, error);
    film_table_close(table);
    return status == FILM_END ? FILM_OK : status;
}

static int run_remove(const struct verb *verb, int argc, char **argv)
{
    struct common common = {0};
    struct pool_values values = POOL_DEFAULTS;
    const struct option options[] = {REMOVE_OPTIONS(values), END_OF_OPTIONS};
    const char **words = malloc((size_t)(argc + 1) * sizeof *words);
    if (!words) return EXIT_IO;
    int count = parse_arguments(verb, options, &common, argc, argv, words, 2, argc);
    if (count < 0) {
        free(words);
        return count == -2 ? EXIT_DONE : EXIT_USAGE;
    }
    film_error error = {0};
    film_pool *pool = NULL;
    struct ids ids = {0};
    uint64_t removed = 0;
    film_status status = pool_open(words[0], &values, &pool, &error);
    for (int i = 1; i < count && status == FILM_OK; i++)
        status = strcmp(words[i], "-") == 0 ? read_ids(&ids, &error)
                                            : keep_id(&ids, film_string(words[i]), &error);
    if (status == FILM_OK)
        status =
            film_pool_remove(pool, ids.list, ids.count, values.ignore_missing, &removed, &error);
    int code = report(status, &error);
    unsigned long long gone = removed, missing = ids.count - removed;
    if (code == EXIT_DONE && common.json)
        printf("{\"removed\": %llu, \"missing\": %llu}\n", gone, missing);
    else if (code == EXIT_DONE && !common.quiet)
        fprintf(stderr, "%llu removed, %llu not there\n", gone, missing);
    for (size_t i = 0; i < ids.count; i++) free((char *)(uintptr_t)ids.list[i].bytes);
    free(ids.list);
    film_pool_close(pool);
    free(words);
    return code;
}

static const struct verb remove_verb = {"pool remove", "POOL ID... [options]",
                                        "Remove sentences with their labels, all or none",
                                        "- reads ids from standard input, one per line.\n\n"
                                        "example:\n"
                                        "  film pool remove faq.pool 17 18\n",
                                        run_remove};

/* ---- the verb ---- */

static const struct verb *const actions[] = {&create,         &pool_add_verb,    &remove_verb,
                                             &pool_list_verb, &pool_export_verb, &pool_check_verb,
                                             &pool_label_verb};
enum { ACTIONS = sizeof actions / sizeof *actions };

/* All options of all actions: what --help shows, the manual describes and the shells complete. */
static int run_pool(const struct verb *verb, int argc, char **argv)
{
    struct common common = {0};
    struct pool_values v = POOL_DEFAULTS;
    const char *word[1];
    const struct option all[] = {
        HEADING("create"), CREATE_OPTIONS(v), HEADING("add"),          ADD_OPTIONS(v),
        HEADING("remove"), REMOVE_OPTIONS(v), HEADING("list"),         LIST_OPTIONS(v),
        HEADING("export"), EXPORT_OPTIONS(v), HEADING("check"),        CHECK_OPTIONS(v),
        HEADING("label"),  LABEL_OPTIONS(v),  HEADING("every action"), END_OF_OPTIONS};
    for (int i = 0; i < ACTIONS && argc > 0; i++)
        if (strcmp(actions[i]->name + strlen("pool "), argv[0]) == 0)
            return actions[i]->run(actions[i], argc - 1, argv + 1);
    /* --help and --version, or a mistake: the action comes first. */
    int count = parse_arguments(verb, all, &common, argc > 0 ? 1 : 0, argv, word, 1, 1);
    if (count < 0) return count == -2 ? EXIT_DONE : EXIT_USAGE;
    return usage_error(verb, "there is no action \"%s\"", word[0]);
}

const struct verb verb_pool = {
    "pool", "create|add|remove|list|export|check|label POOL ... [options]",
    "Keep a growing set of sentences with their model in one file",
    "POOL is a file, or postgresql://USER@HOST:PORT/DATABASE, which machines can share\n"
    "(docs/postgresql.md; the password goes into ~/.pgpass, never on the command line).\n"
    "film pool ACTION --help tells more of an action:\n"
    "  create POOL --model MODEL          an empty pool with a copy of the model inside\n"
    "  add POOL FILE...                   sentences from tables; goes on where it was stopped\n"
    "  remove POOL ID...                  sentences with their labels\n"
    "  list POOL                          sentences in the order in which they were added\n"
    "  export POOL                        all of them as a table that add reads\n"
    "  check POOL                         is everything whole? --repair computes again what can "
    "be\n"
    "  label POOL ID ID same|different    two sentences mean the same, or do not\n"
    "  label POOL --from FILE             the same for the rows of a table\n\n"
    "example:\n"
    "  film pool create faq.pool --model faq.film\n"
    "  film pool add faq.pool examples/faq/questions.tsv\n",
    run_pool};
