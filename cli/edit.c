/* film edit: sets, adds or removes a weight of words or a relation of a model, shows the known
 * pairs whose verdict changes, and saves the model after a question. */
#include "json.h"
#include "modules.h"
#include "server/private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct values {
    struct option_texts set, add, remove, files;
    const char *reason, *output;
    size_t most;
    int yes;
    film_table_options table;
};

/* The model before and after the edits, and what is known about both. */
struct editing {
    const struct command *command;
    const struct values *values;
    film_model *before, *after;
    struct private_file copy; /* of a pool's model */
    film_progress progress;
    json_t *changed; /* [{a, b, label, before, after}] */
    size_t checked, better, worse;
};

/* ---- The edits ---- */

/* Splits "alone:card=-2" at its last "=". Relations have none without spaces around it. */
static int split_weight(const char *text, char *what, size_t room, double *weight)
{
    const char *equals = strrchr(text, '=');
    char *end = NULL;
    if (!equals || equals == text || equals[-1] == ' ' || !equals[1]) return 0;
    *weight = strtod(equals + 1, &end);
    if (*end || (size_t)(equals - text) >= room) return 0;
    memcpy(what, text, (size_t)(equals - text));
    what[equals - text] = '\0';
    return 1;
}

static const char *today(void)
{
    static char date[16];
    time_t now = time(NULL);
    struct tm parts;
    if (!gmtime_r(&now, &parts) || !strftime(date, sizeof date, "%Y-%m-%d", &parts)) return NULL;
    return date;
}

static film_status apply_edits(const struct editing *editing, const struct option_texts *texts,
                               film_edit_action action, film_error *error)
{
    film_status status = FILM_OK;
    for (size_t i = 0; i < texts->count && status == FILM_OK; i++) {
        char what[500];
        film_edit edit = {.size = sizeof edit,
                          .action = action,
                          .what = texts->item[i],
                          .reason = editing->values->reason,
                          .date = today()};
        int weighs = action != FILM_EDIT_REMOVE &&
                     split_weight(texts->item[i], what, sizeof what, &edit.weight);
        if (weighs) edit.what = what;
        int relation =
            strstr(edit.what, " = ") || strstr(edit.what, " ! ") || strstr(edit.what, " > ");
        if (action != FILM_EDIT_REMOVE && weighs == relation) {
            snprintf(error->message, sizeof error->message,
                     "\"%s\" is not alone:WORD=W, shared:WORD=W, \"A / B=W\", \"A = B\", \"A ! B\" "
                     "or \"A > B\"",
                     texts->item[i]);
            return error->status = FILM_USAGE;
        }
        status = film_edit_model(editing->after, &edit, error);
    }
    return status;
}

/* ---- Known pairs ---- */

static film_status judge(film_model *model, film_text a, film_text b, film_verdict *verdict,
                         film_error *error)
{
    film_answer_options options = {.size = sizeof options, .threads = 1};
    return film_match_batch(model, &a, &b, 1, &options, verdict, error);
}

/* LABEL -1: not labelled. */
static film_status compare_pair(struct editing *editing, film_text a, film_text b, int label,
                                film_error *error)
{
    film_verdict before, after;
    if (interrupted()) return stopped(error);
    film_status status = judge(editing->before, a, b, &before, error);
    if (status == FILM_OK) status = judge(editing->after, a, b, &after, error);
    if (status != FILM_OK) return status;
    editing->checked++;
    if (before.same == after.same) return FILM_OK;
    editing->better += label == after.same;
    editing->worse += label == before.same;
    json_t *pair =
        json_pack("{s:s%, s:s%, s:b, s:f, s:b, s:f}", "a", a.bytes, a.length, "b", b.bytes,
                  b.length, "same_before", before.same, "probability_before", before.probability,
                  "same", after.same, "probability", after.probability);
    if (pair && label >= 0) json_object_set_new(pair, "label", json_boolean(label));
    if (json_array_append_new(editing->changed, pair) != 0) output_incomplete();
    return FILM_OK;
}

static film_status compare_file(struct editing *editing, const char *path, film_error *error)
{
    film_table *table = NULL;
    film_row row;
    film_status status = film_table_open(path, &editing->values->table, &table, error);
    while (status == FILM_OK && (status = film_table_next(table, &row, error)) == FILM_OK) {
        if (!row.b.bytes) {
            snprintf(error->message, sizeof error->message,
                     "%s has one sentence per row, but --check needs two; name them with --columns",
                     path);
            status = error->status = FILM_BAD_INPUT;
        } else {
            int label = row.label == 1 ? 1 : row.label == 0 ? 0 : -1;
            status = compare_pair(editing, row.a, row.b, label, error);
        }
    }
    film_table_close(table);
    return status == FILM_END ? FILM_OK : status;
}

static film_status compare_known(struct editing *editing, film_error *error)
{
    film_status status = FILM_OK;
    for (size_t i = 0; i < film_example_count(editing->before) && status == FILM_OK; i++) {
        film_example example;
        status = film_example_at(editing->before, i, &example, error);
        if (status == FILM_OK)
            status = compare_pair(editing, example.a, example.b, example.same, error);
    }
    for (size_t i = 0; i < editing->values->files.count && status == FILM_OK; i++)
        status = compare_file(editing, editing->values->files.item[i], error);
    return status;
}

/* ---- Output ---- */

/* The records of a model, the last COUNT of them. */
static json_t *records_of(const film_model *model, size_t count)
{
    film_error error;
    char *text = NULL;
    if (film_describe(model, &text, &error) != FILM_OK) {
        output_incomplete();
        return NULL;
    }
    json_t *about = json_loads(text, 0, NULL), *list = json_array();
    const json_t *edits = json_object_get(json_object_get(about, "settings"), "edits");
    size_t total = json_array_size(edits);
    for (size_t i = total > count ? total - count : 0; i < total; i++)
        json_array_append(list, json_array_get(edits, i));
    json_decref(about);
    film_free(text);
    return list;
}

void print_edit(const json_t *edit)
{
    const char *reason = json_string_value(json_object_get(edit, "reason"));
    const char *date = json_string_value(json_object_get(edit, "date"));
    print_clean(stdout, "  %s  %s %s", date ? date : "          ",
                json_string_value(json_object_get(edit, "action")),
                json_string_value(json_object_get(edit, "what")));
    if (json_object_get(edit, "after"))
        printf("  %+.2f -> %+.2f", json_number(edit, "before"), json_number(edit, "after"));
    print_clean(stdout, "%s%s\n", reason ? "  # " : "", reason ? reason : "");
}

static void print_changes(const struct editing *editing, const json_t *records)
{
    size_t i, count = json_array_size(editing->changed);
    json_t *entry;
    json_array_foreach((json_t *)(uintptr_t)records, i, entry) print_edit(entry);
    printf("%zu of %s change their verdict", count, counted(editing->checked, "known pair"));
    if (count) printf(": %zu become right, %zu become wrong", editing->better, editing->worse);
    printf("\n");
    json_array_foreach(editing->changed, i, entry)
    {
        if (i == editing->values->most) break;
        const json_t *label = json_object_get(entry, "label");
        int same = json_is_true(json_object_get(entry, "same"));
        printf("  %s -> %s  %.3f -> %.3f%s\n", same ? "different" : "same",
               same ? "same" : "different", json_number(entry, "probability_before"),
               json_number(entry, "probability"),
               !label                ? ""
               : json_is_true(label) ? "  labelled same"
                                     : "  labelled different");
        print_clean(stdout, "    a  %s\n", json_string_value(json_object_get(entry, "a")));
        print_clean(stdout, "    b  %s\n", json_string_value(json_object_get(entry, "b")));
    }
    if (count > editing->values->most) printf("  %zu more\n", count - editing->values->most);
}

static int confirmed(const struct editing *editing, const char *path)
{
    char line[64];
    if (editing->values->yes) return 1;
    if (editing->command->json) return 0;
    print_clean(stdout, "save %s? [y]es [n]o: ", path);
    fflush(stdout);
    int yes = fgets(line, sizeof line, stdin) && line[0] == 'y';
    if (!isatty(STDIN_FILENO)) putchar('\n');
    return yes;
}

/* ---- The model ---- */

/* A pool's model is copied to a temporary file, because the copy in the pool must not change. */
static film_status open_both(struct editing *editing, const char *path, film_error *error)
{
    int pool = is_pool_file(path); /* before it is open: closing a file ends SQLite's locks on it */
    film_status status = open_model(path, FILM_ARITHMETIC_OWN, &editing->before, error);
    if (status != FILM_OK || !pool)
        return status != FILM_OK ? status : film_open(path, &editing->after, error);
    status = private_file_create(&editing->copy, "model.film", error);
    if (status == FILM_OK) status = film_save(editing->before, editing->copy.path, error);
    return status == FILM_OK ? film_open(editing->copy.path, &editing->after, error) : status;
}

static film_status save_edited(struct editing *editing, const char *path, film_error *error)
{
    film_pool *pool = NULL;
    close_model(editing->before); /* a pool is opened once per process */
    editing->before = NULL;
    if (!is_pool_file(path)) return film_save(editing->after, path, error);
    if (!editing->copy.path) {
        snprintf(error->message, sizeof error->message,
                 "%s is a pool; write a model file and run film pool update", path);
        return error->status = FILM_USAGE;
    }
    const struct pool_calls *calls = load_pool_calls(error);
    if (!calls) return error->status;
    film_status status = film_save(editing->after, editing->copy.path, error);
    if (status == FILM_OK) status = calls->open(path, &pool, error);
    if (status == FILM_OK)
        status = calls->update(pool, editing->copy.path, 0, &editing->progress, NULL, error);
    calls->close(pool);
    return status;
}

static int report_edit(struct editing *editing, json_t *records, int saved)
{
    if (!editing->command->json) return EXIT_DONE;
    json_t *about =
        json_pack("{s:O?, s:I, s:O, s:b}", "edits", records, "checked",
                  (json_int_t)editing->checked, "changed", editing->changed, "saved", saved);
    char *text = about ? json_dumps(about, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    if (text)
        puts(text);
    else
        output_incomplete();
    free(text);
    json_decref(about);
    return EXIT_DONE;
}

static film_status edit_and_compare(struct editing *editing, film_error *error)
{
    const struct values *values = editing->values;
    film_status status = apply_edits(editing, &values->remove, FILM_EDIT_REMOVE, error);
    if (status == FILM_OK) status = apply_edits(editing, &values->set, FILM_EDIT_SET, error);
    if (status == FILM_OK) status = apply_edits(editing, &values->add, FILM_EDIT_ADD, error);
    return status == FILM_OK ? compare_known(editing, error) : status;
}

static int run(const struct command *command, void *given)
{
    const struct values *values = given;
    const char *path = command->words[0];
    size_t count = values->set.count + values->add.count + values->remove.count;
    if (!count) return usage_error(command->verb, "nothing to edit: --set, --add or --remove");
    struct editing editing = {.command = command,
                              .values = values,
                              .progress = progress_start(command->quiet),
                              .changed = json_array()};
    film_error error = {.message = ""};
    int saved = 0;
    const char *output = values->output ? values->output : path;
    film_status status = open_both(&editing, path, &error);
    if (status == FILM_OK) status = edit_and_compare(&editing, &error);
    json_t *records = status == FILM_OK ? records_of(editing.after, count) : NULL;
    if (status == FILM_OK && !command->json) print_changes(&editing, records);
    if (status == FILM_OK && confirmed(&editing, output)) {
        status = save_edited(&editing, output, &error);
        saved = status == FILM_OK;
    } else if (status == FILM_OK && interrupted()) {
        status = stopped(&error);
    }
    int code = status == FILM_OK ? report_edit(&editing, records, saved) : report(status, &error);
    if (code == EXIT_DONE && !command->json && !saved) printf("not saved\n");
    private_file_remove(&editing.copy);
    json_decref(records);
    json_decref(editing.changed);
    film_close(editing.after);
    close_model(editing.before);
    return code;
}

static const struct option options[] = {
    {.name = "set",
     .kind = OPTION_TEXTS,
     .at = offsetof(struct values, set),
     .argument = "EDIT",
     .help = "set a weight (alone:WORD=W, shared:WORD=W, \"A / B=W\") or list a relation"},
    {.name = "add",
     .kind = OPTION_TEXTS,
     .at = offsetof(struct values, add),
     .argument = "EDIT",
     .help = "add W to a weight, or list a relation (\"A = B\", \"A ! B\", \"A > B\")"},
    {.name = "remove",
     .kind = OPTION_TEXTS,
     .at = offsetof(struct values, remove),
     .argument = "WHAT",
     .help = "set a weight to 0, or remove a relation"},
    {.name = "reason",
     .kind = OPTION_TEXT,
     .at = offsetof(struct values, reason),
     .argument = "TEXT",
     .help = "recorded in the model with each edit and the date"},
    {.name = "check",
     .kind = OPTION_FILES,
     .at = offsetof(struct values, files),
     .argument = "FILE",
     .help = "list the pairs of this file whose verdict changes, beside the stored ones"},
    {.name = "most",
     .kind = OPTION_POSITIVE_COUNT,
     .at = offsetof(struct values, most),
     .argument = "N",
     .help = "number of changed pairs to print",
     .fallback = "20"},
    {.name = "yes",
     .kind = OPTION_FLAG,
     .at = offsetof(struct values, yes),
     .help = "save without asking"},
    OUTPUT_OPTION(struct values, output, "OUT"),
    TABLE_OPTIONS(struct values, table),
    END_OF_OPTIONS};

static void prepare(void *given)
{
    struct values *values = given;
    values->most = 20;
    values->table.size = sizeof values->table;
}

const struct verb verb_edit = {
    VERB_EDIT,
    .arguments = "MODEL (--set|--add|--remove) EDIT [options]",
    .page = "docs/how-to/edit-a-model.md",
    .min_words = 1,
    .max_words = 1,
    .options = options,
    .size = sizeof(struct values),
    .prepare = prepare,
    .run = run,
    .details =
        "Weights are log-odds, as film explain --word prints them. Before it asks whether to "
        "save,\n"
        "it lists the known pairs whose verdict changes: those stored in the model (film train\n"
        "--keep-examples) and those of --check. MODEL may be a pool. film info lists the edits;\n"
        "film train --edits MODEL repeats them.\n\n"
        "examples:\n"
        "  film edit faq.film --set \"stolen / damaged=-4\" --reason \"other policy\"\n"
        "  film edit faq.film --set \"open ! closed\" --remove \"car = coach\" --check "
        "pairs.tsv\n"};
