/* film search: searches a pool for sentences that mean the same as a query. */
#include "pool.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

struct printing {
    int json, explain, quiet;
    int many;                       /* queries come from standard input: print their line numbers */
    const film_text *queries;       /* of this batch */
    const unsigned long long *line; /* line numbers of the queries */
    unsigned long long results;
};

/* ---- Results ---- */

static int print_object(const struct printing *printing, const film_found *found)
{
    const film_sentence *sentence = &found->sentence;
    const film_text *query = &printing->queries[found->query];
    json_t *answer =
        json_pack("{s:s%, s:o, s:f, s:f, s:b}", "id", sentence->id.bytes, sentence->id.length,
                  "text", json_of_text(sentence->text), "probability", found->verdict.probability,
                  "score", found->score, "same", found->verdict.same);
    if (printing->many) {
        json_object_set_new(answer, "line", json_integer((json_int_t)printing->line[found->query]));
        json_object_set_new(answer, "query", json_of_text(*query));
    }
    if (found->answered >= 0) {
        json_object_set_new(answer, "answered", json_real(found->answered));
        json_object_set_new(answer, "answers", json_boolean(found->answers));
    }
    pool_set_fields(answer, sentence);
    if (printing->explain) {
        char *reasons = NULL, *groups = NULL;
        if (film_groups_json(&found->verdict, &groups, NULL, NULL) != FILM_OK ||
            film_reasons_json(&found->verdict, FILM_ALL_REASONS, &reasons, NULL, NULL) != FILM_OK)
            output_incomplete();
        json_object_set_new(answer, "groups", groups ? json_loads(groups, 0, NULL) : NULL);
        film_free(groups);
        json_object_set_new(answer, "reasons", reasons ? json_loads(reasons, 0, NULL) : NULL);
        film_free(reasons);
        json_object_set_new(answer, "bias", json_real(found->verdict.bias));
    }
    int failed = !answer || json_dumpf(answer, stdout, JSON_REAL_PRECISION(15)) != 0;
    putchar('\n');
    json_decref(answer);
    return failed;
}

/* Prints the first groups of reasons: those for the verdict, then those against it. */
static void print_groups(const film_verdict *verdict)
{
    enum { SHOWN = 5 };
    size_t i;
    json_t *group;
    char *text = NULL;
    if (film_groups_json(verdict, &text, NULL, NULL) != FILM_OK) output_incomplete();
    json_t *groups = text ? json_loads(text, 0, NULL) : NULL;
    json_array_foreach(groups, i, group)
    {
        if (i == SHOWN) break;
        print_clean(stdout, "  %+7.2f  %s\n", json_number(group, "weight"),
                    json_string_value(json_object_get(group, "title")));
    }
    json_decref(groups);
    film_free(text);
}

static void print_line(const struct printing *printing, const film_found *found)
{
    if (found->place == 0 && !found->answers && !printing->quiet) {
        if (printing->many) fprintf(stderr, "line %llu: ", printing->line[found->query]);
        fprintf(stderr, "no sentence answers this (probability %.3f); the nearest:\n",
                found->answered);
    }
    if (printing->many) printf("%llu\t", printing->line[found->query]);
    printf("%.3f\t", found->verdict.probability);
    if (!pool_made_id(found->sentence.id)) print_text(stdout, found->sentence.id);
    putchar('\t');
    print_text(stdout, found->sentence.text);
    if (found->sentence.category.length) putchar('\t');
    print_text(stdout, found->sentence.category);
    putchar('\n');
    if (printing->explain) print_groups(&found->verdict);
}

static int print_found(void *user, const film_found *found)
{
    struct printing *printing = user;
    int failed = 0;
    printing->results++;
    if (printing->json)
        failed = print_object(printing, found);
    else
        print_line(printing, found);
    return failed || interrupted() || ferror(stdout);
}

/* ---- Queries ---- */

enum { BATCH = 1024 };

struct query_batch {
    film_text query[BATCH];
    unsigned long long line[BATCH];
    size_t count;
};

static void query_batch_clear(struct query_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) free((char *)(uintptr_t)batch->query[i].bytes);
    batch->count = 0;
}

static film_status search_batch(film_pool *pool, struct query_batch *batch,
                                const film_search_options *how, struct printing *printing,
                                film_error *error)
{
    printing->queries = batch->query;
    printing->line = batch->line;
    film_status status =
        film_pool_search_many(pool, batch->query, batch->count, how, print_found, printing, error);
    fflush(stdout);
    query_batch_clear(batch);
    return status;
}

/* Adds a line to the batch. For a model of records, a line with an object is a record. */
static film_status add_query(struct query_batch *batch, const film_model *model,
                             const film_row *row, film_error *error)
{
    char *line = malloc(row->a.length + 1), *own = NULL, *copy = NULL;
    film_text text = {NULL, 0};
    if (!line) return no_memory(error);
    memcpy(line, row->a.bytes, row->a.length);
    line[row->a.length] = 0;
    film_status status = record_argument(model, line, &text, &own, error);
    if (status != FILM_OK) {
        film_error cause = *error;
        snprintf(error->message, sizeof error->message, "standard input:%llu: %.900s",
                 (unsigned long long)row->line, cause.message);
    } else {
        if (!own) text.length = row->a.length; /* it may contain zeros */
        if (!(copy = malloc(text.length))) status = no_memory(error);
    }
    if (copy) {
        memcpy(copy, text.bytes, text.length);
        batch->query[batch->count] = (film_text){copy, text.length};
        batch->line[batch->count++] = row->line;
    }
    free(line);
    film_free(own);
    return status;
}

/* Reads one query per line and skips blank lines. Prints results while later lines are read. */
static film_status search_lines(film_pool *pool, const film_search_options *how,
                                struct printing *printing, film_error *error)
{
    const film_model *model;
    film_table_options lines = {.size = sizeof lines, .format = FILM_FORMAT_LINES};
    film_table *table = NULL;
    film_row row;
    struct query_batch *batch = calloc(1, sizeof *batch);
    if (!batch) return no_memory(error);
    film_status status = film_pool_model(pool, &model, error);
    if (status == FILM_OK) status = film_table_open("-", &lines, &table, error);
    while (status == FILM_OK && (status = film_table_next(table, &row, error)) == FILM_OK) {
        if (row.a.length == 0) continue;
        if ((status = add_query(batch, model, &row, error)) != FILM_OK) break;
        if (batch->count == BATCH) status = search_batch(pool, batch, how, printing, error);
        if (interrupted()) break;
    }
    if (status == FILM_END) status = FILM_OK;
    if (status == FILM_OK && batch->count) status = search_batch(pool, batch, how, printing, error);
    query_batch_clear(batch);
    free(batch);
    film_table_close(table);
    return status;
}

static film_status search_query(film_pool *pool, const char *query, const film_search_options *how,
                                struct printing *printing, film_error *error)
{
    const film_model *model;
    film_text text;
    char *own = NULL;
    film_status status = film_pool_model(pool, &model, error);
    if (status == FILM_OK) status = record_argument(model, query, &text, &own, error);
    printing->queries = &text;
    if (status == FILM_OK) status = film_pool_search(pool, text, how, print_found, printing, error);
    printing->queries = NULL;
    film_free(own);
    return status;
}

/* ---- The verb ---- */

static int stop_at_first(void *user, const film_sentence *sentence)
{
    (void)sentence;
    *(int *)user = 1;
    return 1;
}

/* Explains an empty result. */
static void print_no_results(film_pool *pool, const char *path)
{
    film_pool_filter one = {.size = sizeof one, .limit = 1};
    int there = 0;
    film_error error;
    if (film_pool_list(pool, &one, stop_at_first, &there, &error) == FILM_OK && !there)
        print_clean(stderr, "film: %s is empty; add sentences with film pool add\n", path);
    else
        fprintf(stderr, "no results\n");
}

struct values {
    film_search_options search;
    struct option_texts where;
    double wait;
    film_arithmetic arithmetic;
};

static const struct option options[] = {
    {.name = "answers",
     .letter = 'k',
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, search.k),
     .argument = "N",
     .help = "number of results",
     .fallback = "10"},
    {.name = "explain",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, search.explain),
     .help = "print the strongest reasons"},
    WHERE_OPTION(struct values, where),
    {.name = "answered-only",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, search.answered_only),
     .help = "print nothing for a query that no sentence answers"},
    {.name = "threshold",
     .kind = OPTION_PROBABILITY,
     .at = offsetof(struct values, search.least),
     .argument = "P",
     .help = "only results with at least this probability"},
    {.name = "candidates",
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, search.candidates),
     .argument = "N",
     .help = "number of candidates from the index that are scored",
     .fallback = "100"},
    ANSWER_OPTIONS(struct values, search.answer),
    ENCODER_OPTIONS(struct values, arithmetic),
    THREADS_OPTION(struct values, search.answer.threads),
    WAIT_OPTION(struct values, wait),
    END_OF_OPTIONS};

static void prepare(void *given)
{
    struct values *values = given;
    values->wait = POOL_WAIT;
    values->search.size = sizeof values->search;
}

static int run(const struct command *command, void *given)
{
    struct values *values = given;
    film_search_options *how = &values->search;
    film_pool_where where[OPTION_MAX_TEXTS];
    const char *const *words = command->words;
    const char *bad = pool_parse_where(&values->where, where);
    if (bad) return usage_error(command->verb, "--where %s: expected FIELD=VALUE", bad);
    how->where = where;
    how->where_count = values->where.count;
    how->progress = progress_start(command->quiet);

    film_error error = {0};
    film_pool *pool = NULL;
    struct printing printing = {.json = command->json,
                                .explain = how->explain,
                                .quiet = command->quiet,
                                .many = strcmp(words[1], "-") == 0};
    film_status status = pool_open(words[0], values->wait, &pool, &error);
    if (status == FILM_OK) status = film_pool_set_arithmetic(pool, values->arithmetic, &error);
    if (status == FILM_OK)
        status = printing.many ? search_lines(pool, how, &printing, &error)
                               : search_query(pool, words[1], how, &printing, &error);
    int code = interrupted() ? EXIT_INTERRUPTED : report(status, &error);
    if (code == EXIT_DONE && !printing.results && !command->quiet) print_no_results(pool, words[0]);
    film_pool_close(pool);
    return code;
}

const struct verb verb_search = {
    VERB_SEARCH,
    .arguments = "POOL QUERY|- [options]",
    .page = "docs/how-to/search.md",
    .min_words = 2,
    .max_words = 2,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .details =
        "Prints probability, id, text and category of each result, best first. An id that was made "
        "from\n"
        "the text is not shown. Results are ranked by probability and similarity together. If "
        "QUERY "
        "is\n"
        "-, reads one query per line from standard input and prints the line number before each\n"
        "result. --json prints one object per result. The first search of a large pool builds an "
        "index\n"
        "and stores it in POOL.index.\n\n"
        "example:\n"
        "  film search faq.pool \"what if my card is lost?\" -k 3 --explain\n"};
