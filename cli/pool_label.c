/* film pool label: labels one pair, or the pairs of a table that film dedup --review wrote. */
#include "pool.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct answers {
    film_pool_label_row *rows;
    size_t count, capacity, blank;
};

static film_status fail(film_error *error, film_status status, const char *path,
                        const film_row *row, const char *what)
{
    if (row)
        snprintf(error->message, sizeof error->message, "%.300s:%llu: %s", path,
                 (unsigned long long)row->line, what);
    else
        snprintf(error->message, sizeof error->message, "%.300s%s", path, what);
    return status;
}

static char *copy_text(film_text text)
{
    char *bytes = malloc(text.length + 1);
    if (!bytes) return NULL;
    memcpy(bytes, text.bytes, text.length);
    bytes[text.length] = 0;
    return bytes;
}

/* Returns 1 for same, 0 for different, -1 for an empty answer, -2 for an unknown one. */
static int read_answer(film_text text)
{
    static const char *const words[2][5] = {{"0", "n", "no", "different", "false"},
                                            {"1", "y", "yes", "same", "true"}};
    char word[16];
    while (text.length && text.bytes[text.length - 1] == ' ') text.length--;
    if (text.length == 0 || (text.length == 1 && strchr("s?", text.bytes[0]))) return -1;
    snprintf(word, sizeof word, "%.*s", text.length < 15 ? (int)text.length : 15, text.bytes);
    for (int same = 0; same < 2; same++)
        for (int i = 0; i < 5; i++)
            if (strcasecmp(word, words[same][i]) == 0) return same;
    return -2;
}

/* Takes ORIGIN from the table where it has one, so that answers of a review stay marked as such. */
static film_status add_answer(struct answers *answers, const film_row *read, film_text origin,
                              int same)
{
    if (answers->count == answers->capacity) {
        size_t larger = 2 * answers->capacity + 64;
        film_pool_label_row *rows = realloc(answers->rows, larger * sizeof *rows);
        if (!rows) return FILM_NO_MEMORY;
        answers->rows = rows;
        answers->capacity = larger;
    }
    if (!origin.length) origin = film_string("film pool label --from");
    film_pool_label_row row = {.a = {copy_text(read->a), read->a.length},
                               .b = {copy_text(read->b), read->b.length},
                               .same = same,
                               .origin = {copy_text(origin), origin.length}};
    if (!row.a.bytes || !row.b.bytes || !row.origin.bytes)
        return FILM_NO_MEMORY; /* the program exits */
    answers->rows[answers->count++] = row;
    return FILM_OK;
}

static void answers_free(struct answers *answers)
{
    for (size_t i = 0; i < answers->count; i++) {
        free((char *)(uintptr_t)answers->rows[i].a.bytes);
        free((char *)(uintptr_t)answers->rows[i].b.bytes);
        free((char *)(uintptr_t)answers->rows[i].origin.bytes);
    }
    free(answers->rows);
}

/* Returns the column that is used as ROLE. */
static size_t column_of(const film_table *table, film_column role)
{
    size_t i = 0;
    while (i < film_table_columns(table) && film_table_use(table, i) != role) i++;
    return i;
}

/* Returns the column with this name, or the number of columns. */
static size_t column_named(const film_table *table, const char *name)
{
    film_text wanted = film_string(name);
    size_t i = 0;
    for (; i < film_table_columns(table); i++) {
        film_text column = film_table_column(table, i);
        if (column.length == wanted.length &&
            memcmp(column.bytes, wanted.bytes, wanted.length) == 0)
            break;
    }
    return i;
}

/* The columns of a table of answers. */
struct answer_columns {
    size_t same, origin;
};

static film_status read_label_row(struct answers *answers, const char *path, const film_row *row,
                                  const struct answer_columns *columns, film_error *error)
{
    int same = read_answer(row->fields[columns->same]);
    film_text origin = {0};
    if (columns->origin < row->field_count) origin = row->fields[columns->origin];
    if (same == -2)
        return fail(
            error, FILM_BAD_INPUT, path, row,
            "answer is not yes, no, same, different, 1 or 0; fix it, or leave it empty to skip "
            "the pair");
    if (same == -1) {
        answers->blank++;
        return FILM_OK;
    }
    if (add_answer(answers, row, origin, same) != FILM_OK)
        return fail(error, FILM_NO_MEMORY, "out of memory", NULL, "");
    return FILM_OK;
}

static film_status read_answers(struct answers *answers, const char *path, const char *encoding,
                                film_error *error)
{
    film_table_options options = {.size = sizeof options,
                                  .labels = FILM_LABELS_NONE,
                                  .columns = "a=id_a,b=id_b,label=same",
                                  .encoding = encoding};
    film_table *table = NULL;
    film_row row;
    film_status status = film_table_open(path, &options, &table, error);
    if (status == FILM_BAD_INPUT && strstr(error->message, ": no column \""))
        status = fail(error, FILM_BAD_INPUT, path, NULL,
                      ": columns id_a, id_b and same are missing; create such a table with film "
                      "dedup POOL --review N -o FILE");
    struct answer_columns columns = {0};
    if (status == FILM_OK)
        columns = (struct answer_columns){column_of(table, FILM_COLUMN_LABEL),
                                          column_named(table, "origin")};
    while (status == FILM_OK && (status = film_table_next(table, &row, error)) == FILM_OK)
        status = read_label_row(answers, path, &row, &columns, error);
    film_table_close(table);
    return status == FILM_END ? FILM_OK : status;
}

struct values {
    const char *from, *encoding;
    double wait;
};

static const struct option options[] = {
    {.name = "from",
     .kind = OPTION_FILE,
     .at = offsetof(struct values, from),
     .argument = "FILE",
     .help = "import labels from a table with columns id_a, id_b, same; also their origin"},
    {.name = "encoding",
     .kind = OPTION_TEXT,
     .at = offsetof(struct values, encoding),
     .argument = "NAME",
     .help = "encoding of FILE: utf-8, windows-1252 or latin-1",
     .fallback = "utf-8",
     .proposals = "utf-8 windows-1252 latin-1"},
    WAIT_OPTION(struct values, wait),
    END_OF_OPTIONS};

static void prepare(void *given)
{
    ((struct values *)given)->wait = POOL_WAIT;
}

static int label_from(const char *path, const struct values *values, const struct command *command)
{
    film_error error = {0};
    film_pool *pool = NULL;
    struct answers answers = {0};
    uint64_t changed = 0;
    film_status status = pool_open(path, values->wait, &pool, &error);
    if (status == FILM_OK) status = read_answers(&answers, values->from, values->encoding, &error);
    if (status == FILM_OK)
        status = film_pool_label_many(pool, answers.rows, answers.count, NULL, &changed, &error);
    int code = report(status, &error);
    if (code == EXIT_DONE && command->json)
        printf("{\"labels\": %zu, \"changed\": %llu, \"blank\": %zu}\n", answers.count,
               (unsigned long long)changed, answers.blank);
    else if (code == EXIT_DONE && !command->quiet)
        fprintf(stderr, "%s, %s new or changed; %s without an answer\n",
                counted(answers.count, "label"), grouped(changed), counted(answers.blank, "pair"));
    answers_free(&answers);
    film_pool_close(pool);
    return code;
}

static int run(const struct command *command, void *given)
{
    const struct values *values = given;
    const char *const *words = command->words;
    if (values->from && command->count == 1) return label_from(words[0], values, command);
    if (command->count != 4 || values->from)
        return usage_error(command->verb, "usage: film %s %s", command->verb->name,
                           command->verb->arguments);
    int same = strcmp(words[3], "same") == 0, none = strcmp(words[3], "none") == 0;
    if (!same && !none && strcmp(words[3], "different") != 0)
        return usage_error(command->verb, "label \"%s\" is not same, different or none", words[3]);

    film_error error = {0};
    film_pool *pool = NULL;
    film_status status = pool_open(words[0], values->wait, &pool, &error);
    film_pool_label_row row = {film_string(words[1]), film_string(words[2]), .same = same};
    if (status == FILM_OK)
        status = none ? film_pool_unlabel(pool, &row, 1, NULL, &error)
                      : film_pool_label_many(pool, &row, 1, "film pool label", NULL, &error);
    int code = report(status, &error);
    if (code == EXIT_DONE && command->json)
        printf("{\"same\": %s}\n", none ? "null" : same ? "true" : "false");
    film_pool_close(pool);
    return code;
}

const struct verb pool_label = {
    "pool label",
    LIBRARY_POOL,
    "Label pairs of sentences as same or different",
    .arguments = "POOL ID ID same|different|none | POOL --from FILE",
    .min_words = 1,
    .max_words = 4,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .details = "A new label replaces an older one of the same pair, none removes it. Sentences "
               "connected by\n"
               "\"same\" labels form a cluster of known duplicates. FILE has the "
               "columns id_a, id_b and same\n"
               "(yes or no; empty: no answer), as written by film dedup POOL "
               "--review N -o FILE. Either all of\n"
               "its labels are stored, or none.\n\n"
               "examples:\n"
               "  film pool label faq.pool 17 42 same\n"
               "  film pool label faq.pool --from pairs.tsv\n"};
