/* film info: prints the contents of a model file or of an encoder's folder. */
#include "modules.h"
#include "json.h"

#include <string.h>

/* Prints a JSON object as indented "name  value" lines. Long arrays print as their length. */
static void print_object(const json_t *object, int depth)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (json_is_object(value)) {
            print_clean(stdout, "%*s%s\n", 2 * depth, "", key);
            print_object(value, depth + 1);
            continue;
        }
        if (strcmp(key, "edits") == 0) {
            size_t i;
            json_t *edit;
            print_clean(stdout, "%*s%s\n", 2 * depth, "", key);
            json_array_foreach(value, i, edit) print_edit(edit);
            continue;
        }
        if (json_is_array(value) && json_array_size(value) > 12) {
            print_clean(stdout, "%*s%-*s %zu entries\n", 2 * depth, "", 24 - 2 * depth, key,
                        json_array_size(value));
            continue;
        }
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        if (text) print_clean(stdout, "%*s%-*s %s\n", 2 * depth, "", 24 - 2 * depth, key, text);
        free(text);
    }
}

void print_field_ranges(const json_t *fields)
{
    size_t i;
    json_t *field;
    if (json_array_size(fields))
        printf("fields, and how far the traits of each move the log-odds:\n");
    json_array_foreach((json_t *)(uintptr_t)fields, i, field) print_clean(
        stdout, "  %-22s %-10s up to %.2f\n", json_string_value(json_object_get(field, "name")),
        json_string_value(json_object_get(field, "type")), json_number(field, "range"));
}

/* *LEARNED = what a model of records learned; it stays NULL for a model of sentences. */
static film_status describe_model(const char *path, char **text, char **learned, film_error *error)
{
    film_model *model = NULL;
    film_status status = open_model(path, FILM_ARITHMETIC_OWN, &model, error);
    if (status == FILM_OK) status = film_describe(model, text, error);
    if (status == FILM_OK && film_field_count(model))
        status = film_explain_model(model, 1, learned, error);
    close_model(model);
    return status;
}

static film_status describe_folder(const char *path, char **text, film_error *error)
{
    film_bert *bert = NULL;
    const struct train_calls *calls = load_train_calls(error);
    if (!calls) return error->status;
    film_status status = calls->bert_open(path, &bert, error);
    if (status == FILM_OK) status = calls->bert_describe(bert, text, error);
    calls->bert_close(bert);
    return status;
}

static const struct option options[] = {END_OF_OPTIONS};

static int run(const struct command *command, void *given)
{
    (void)given;
    const char *path = command->words[0];
    film_error error;
    char *text = NULL, *learned = NULL;
    film_status status = is_folder(path) ? describe_folder(path, &text, &error)
                                         : describe_model(path, &text, &learned, &error);
    if (status == FILM_OK && command->json) {
        puts(text);
    } else if (status == FILM_OK) {
        json_t *about = json_loads(text, 0, NULL);
        json_t *fields = learned ? json_loads(learned, 0, NULL) : NULL;
        print_object(about, 0);
        print_field_ranges(json_object_get(fields, "fields"));
        json_decref(about);
        json_decref(fields);
    }
    film_free(text);
    film_free(learned);
    return report(status, &error);
}

const struct verb verb_info = {
    VERB_INFO,
    .arguments = "MODEL",
    .min_words = 1,
    .max_words = 1,
    .options = options,
    .run = run,
    .details = "MODEL may be a folder with a BERT encoder (docs/explanation/bert.md).\n"};
