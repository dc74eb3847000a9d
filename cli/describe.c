/* film --describe: the tables of the program as one JSON object. The manual and the tables of the
 * documentation are generated from it; OpenAPI's paths and the tests are compared with it
 * (scripts/docs). */
#include "cli.h"
#include "json.h"

#include <string.h>

static const char *const kind_names[] = {[OPTION_FLAG] = "flag",
                                         [OPTION_TEXT] = "text",
                                         [OPTION_FILE] = "file",
                                         [OPTION_FOLDER] = "folder",
                                         [OPTION_TEXTS] = "texts",
                                         [OPTION_FILES] = "files",
                                         [OPTION_COUNT] = "count",
                                         [OPTION_COUNT_OR_NONE] = "count",
                                         [OPTION_POSITIVE_COUNT] = "count above 0",
                                         [OPTION_NUMBER] = "number",
                                         [OPTION_NUMBER_OR_ZERO] = "number",
                                         [OPTION_POSITIVE] = "number above 0",
                                         [OPTION_THREADS] = "threads",
                                         [OPTION_SEED] = "seed",
                                         [OPTION_CHOICE] = "choice",
                                         [OPTION_CHOICE_OR_DEFAULT] = "choice",
                                         [OPTION_FEATURES] = "features",
                                         [OPTION_PRIOR] = "prior",
                                         [OPTION_OPERATING] = "operating point",
                                         [OPTION_PROBABILITY] = "probability",
                                         [OPTION_FOUR_COUNTS] = "four counts",
                                         [OPTION_SET] = "setting"};
static const char *const library_names[LIBRARIES] = {
    [LIBRARY_FILM] = "film", [LIBRARY_POOL] = "film-pool", [LIBRARY_TRAIN] = "film-train"};

/* Adds the member unless TEXT is NULL. */
static void set_text(json_t *object, const char *name, const char *text)
{
    if (text) json_object_set_new(object, name, json_string(text));
}

/* Splits TEXT at each of SEPARATORS. */
static json_t *words_of(const char *text, const char *separators)
{
    json_t *words = json_array();
    while (*text) {
        size_t length = strcspn(text, separators);
        json_array_append_new(words, json_stringn(text, length));
        text += length + (text[length] != 0);
    }
    return words;
}

static json_t *describe_options(const struct option *options)
{
    json_t *list = json_array();
    const char *heading = NULL;
    for (; options && options->name; options++) {
        if (options->kind == OPTION_HEADING) {
            heading = options->name;
            continue;
        }
        char letter[2] = {options->letter, 0};
        json_t *option = json_object();
        set_text(option, "name", options->name);
        set_text(option, "letter", options->letter ? letter : NULL);
        set_text(option, "kind", kind_names[options->kind]);
        set_text(option, "argument", options->argument);
        if (options->kind == OPTION_CHOICE || options->kind == OPTION_CHOICE_OR_DEFAULT)
            json_object_set_new(option, "choices", words_of(options->argument, "|"));
        if (options->proposals)
            json_object_set_new(option, "proposals", words_of(options->proposals, " "));
        set_text(option, "default", options->fallback);
        set_text(option, "help", options->help);
        set_text(option, "group", heading);
        json_array_append_new(list, option);
    }
    return list;
}

static json_t *describe_verb(const struct verb *verb)
{
    json_t *object = json_object();
    set_text(object, "name", verb_word(verb));
    set_text(object, "arguments", verb->arguments);
    set_text(object, "summary", verb->summary);
    set_text(object, "library", library_names[verb->library]);
    set_text(object, "page", verb->page);
    json_object_set_new(object, "options", describe_options(verb->options));
    if (verb->settings) json_object_set_new(object, "settings", describe_options(verb->settings));
    if (verb->actions) {
        json_t *actions = json_array();
        for (size_t i = 0; verb->actions[i]; i++)
            json_array_append_new(actions, describe_verb(verb->actions[i]));
        json_object_set_new(object, "actions", actions);
    }
    if (verb->describe) verb->describe(object);
    return object;
}

int describe_program(void)
{
    json_t *all = json_array(), *codes = json_object();
    for (size_t i = 0; verb_number(i); i++)
        json_array_append_new(all, describe_verb(verb_number(i)));
    for (int code = EXIT_DONE; code <= EXIT_INTERRUPTED; code++) {
        char digit[2] = {(char)('0' + code), 0};
        set_text(codes, digit, exit_names[code]);
    }
    json_t *about = json_pack("{s:s, s:o, s:o, s:o}", "version", film_version(), "verbs", all,
                              "options", describe_options(common_options), "exit_codes", codes);
    int failed = !about || json_dumpf(about, stdout, JSON_INDENT(1)) != 0;
    putchar('\n');
    json_decref(about);
    if (failed) output_incomplete();
    return EXIT_DONE;
}
