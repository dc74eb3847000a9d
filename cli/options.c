/* Parses the command line into a verb's struct, by its table of options. The verb checks
 * combinations of values; the library checks their ranges. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int usage_error(const struct verb *verb, const char *format, ...)
{
    va_list arguments;
    char *message = NULL;
    va_start(arguments, format);
    int length = vasprintf(&message, format, arguments);
    va_end(arguments);
    print_clean(stderr, "film %s: %s; see film %s --help\n", verb->name,
                length < 0 ? "out of memory" : message, verb->name);
    if (length >= 0) free(message);
    return EXIT_USAGE;
}

int is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* ---- Values ---- */

static int parse_unsigned(const char *text, unsigned long long most, unsigned long long *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *value <= most;
}

/* Converts "word,char" to a bit set; 0 for an unknown name. */
static unsigned parse_features(const char *text)
{
    static const char *const names[] = {"word", "bigram", "char"};
    unsigned groups = 0;
    while (*text) {
        size_t length = strcspn(text, ",");
        unsigned group = 0;
        for (unsigned i = 0; i < 3; i++)
            if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0) group = 1u << i;
        if (!group) return 0;
        groups |= group;
        text += length + (text[length] == ',');
    }
    return groups;
}

/* Returns the index of TEXT in "one|two|three", or -1. */
static int parse_choice(const char *choices, const char *text)
{
    for (int number = 0;; number++) {
        size_t length = strcspn(choices, "|");
        if (strlen(text) == length && strncmp(choices, text, length) == 0) return number;
        if (choices[length] == 0) return -1;
        choices += length + 1;
    }
}

/* Returns whether all of TEXT is a finite number. */
static int parse_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

/* Parses "f1" or "precision=0.9". The library checks the range of the target. */
static int parse_point(const char *text, film_operating *point)
{
    static const char *const names[FILM_CRITERION_COUNT] = {"accuracy", "f1", "precision",
                                                            "recall"};
    size_t length = strcspn(text, "=");
    for (int i = 0; i < FILM_CRITERION_COUNT; i++) {
        if (strlen(names[i]) != length || strncmp(names[i], text, length) != 0) continue;
        int has_target = i == FILM_PRECISION || i == FILM_RECALL;
        *point = (film_operating){.criterion = (film_criterion)i};
        return has_target ? text[length] == '=' && parse_number(text + length + 1, &point->target)
                          : text[length] == '\0';
    }
    return 0;
}

/* Parses "16,32,32,16". The library checks the ranges. */
static int parse_four(const char *text, size_t *four)
{
    for (int i = 0; i < 4; i++) {
        char *end;
        if (*text < '0' || *text > '9') return 0;
        four[i] = strtoull(text, &end, 10);
        if (four[i] == 0) four[i] = FILM_NONE; /* the library takes 0 as the default */
        if (*end != (i < 3 ? ',' : '\0')) return 0;
        text = end + 1;
    }
    return 1;
}

static const char *set_prior(const char *text, double *prior)
{
    *prior = FILM_PRIOR_AUTO;
    if (strcmp(text, "auto") == 0) return NULL;
    return parse_number(text, prior) && *prior > 0 && *prior < 1
               ? NULL
               : "a probability above 0 and below 1, or auto";
}

/* Stores the value in the verb's struct. Returns NULL, or the expected kind of value. */
static const char *set_value(const struct option *option, void *options, const char *text)
{
    void *target = (char *)options + option->at;
    unsigned long long whole;
    struct option_texts *texts = target;
    double *number = target;
    switch (option->kind) {
    case OPTION_FLAG:
        *(int *)target = option->value ? option->value : 1;
        return NULL;
    case OPTION_TEXT:
    case OPTION_FILE:
    case OPTION_FOLDER:
        *(const char **)target = text;
        return NULL;
    case OPTION_TEXTS:
    case OPTION_FILES:
        if (texts->count == OPTION_MAX_TEXTS) return "at most 16 values";
        texts->item[texts->count++] = text;
        return NULL;
    case OPTION_COUNT:
    case OPTION_COUNT_OR_NONE:
    case OPTION_POSITIVE_COUNT:
        if (!parse_unsigned(text, SIZE_MAX / 16, &whole)) return "a whole number";
        if (option->kind == OPTION_POSITIVE_COUNT && whole == 0) return "a whole number above 0";
        *(size_t *)target =
            option->kind == OPTION_COUNT_OR_NONE && whole == 0 ? FILM_NONE : (size_t)whole;
        return NULL;
    case OPTION_SEED:
        if (!parse_unsigned(text, INT64_MAX, &whole)) return "a whole number";
        *(uint64_t *)target = whole;
        return NULL;
    case OPTION_THREADS:
        if (!parse_unsigned(text, 1024, &whole) || whole == 0) return "a number from 1 to 1024";
        *(int *)target = (int)whole;
        return NULL;
    case OPTION_NUMBER:
        return parse_number(text, number) ? NULL : "a number";
    case OPTION_NUMBER_OR_ZERO:
        if (!parse_number(text, number)) return "a number";
        if (*number == 0) *number = FILM_ZERO;
        return NULL;
    case OPTION_POSITIVE:
        return parse_number(text, number) && *number > 0 ? NULL : "a number above 0";
    case OPTION_PROBABILITY:
        return parse_number(text, number) && *number > 0 && *number < 1
                   ? NULL
                   : "a probability above 0 and below 1";
    case OPTION_PRIOR:
        return set_prior(text, number);
    case OPTION_OPERATING:
        return parse_point(text, target)
                   ? NULL
                   : "accuracy, f1, precision=P or recall=R, P and R from 0 to 1";
    case OPTION_FOUR_COUNTS:
        return parse_four(text, target) ? NULL : "four whole numbers, 16,32,32,16";
    case OPTION_CHOICE:
    case OPTION_CHOICE_OR_DEFAULT:
        if (parse_choice(option->argument, text) < 0) return option->argument;
        *(unsigned *)target = (unsigned)(parse_choice(option->argument, text) +
                                         (option->kind == OPTION_CHOICE_OR_DEFAULT));
        return NULL;
    case OPTION_FEATURES:
        *(unsigned *)target = parse_features(text);
        return *(unsigned *)target ? NULL : "a list from word,bigram,char";
    case OPTION_SET:
    case OPTION_HEADING:
        break;
    }
    return "a value";
}

/* ---- The command line ---- */

static const struct option *find_option(const struct option *options, const char *name,
                                        size_t length)
{
    for (; options && options->name; options++)
        if (options->kind != OPTION_HEADING && strlen(options->name) == length &&
            strncmp(options->name, name, length) == 0)
            return options;
    return NULL;
}

static const struct option *find_letter(const struct option *options, char letter)
{
    for (; options && options->name; options++)
        if (options->letter && options->letter == letter) return options;
    return NULL;
}

size_t edit_distance(const char *a, size_t length, const char *b)
{
    enum { MOST = 40 };
    size_t row[MOST + 1], width = strlen(b);
    if (width > MOST || length > MOST) return MOST;
    for (size_t j = 0; j <= width; j++) row[j] = j;
    for (size_t i = 1; i <= length; i++) {
        size_t corner = row[0]++;
        for (size_t j = 1; j <= width; j++) {
            size_t least = corner + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < least) least = row[j] + 1;
            if (row[j - 1] + 1 < least) least = row[j - 1] + 1;
            corner = row[j];
            row[j] = least;
        }
    }
    return row[width];
}

/* Lists settings with similar names, for the message, each after DASHES. Without any, lists all and
 * returns 0. */
static int list_near(const struct option *settings, const char *name, size_t length,
                     const char *dashes, char *list, size_t room)
{
    for (int all = 0; all < 2; all++) {
        size_t used = 0;
        for (const struct option *setting = settings; setting->name; setting++) {
            if (setting->kind == OPTION_HEADING) continue;
            int near = edit_distance(name, length, setting->name) <= 2 ||
                       (length >= 3 && strncmp(name, setting->name, length) == 0);
            if ((all || near) && used < room)
                used += (size_t)snprintf(list + used, room - used, "%s%s%s", used ? ", " : "",
                                         dashes, setting->name);
        }
        if (used) return !all;
    }
    return 0;
}

/* Parses --set KEY=VALUE. Returns 0, or -1 after a usage error. */
static int take_setting(const struct verb *verb, void *options, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals) return usage_error(verb, "--set %s: expected KEY=VALUE", text), -1;
    size_t length = (size_t)(equals - text);
    const struct option *setting = find_option(verb->settings, text, length);
    if (!setting) {
        char near[600] = "";
        int is_near = list_near(verb->settings, text, length, "", near, sizeof near);
        return usage_error(verb, "--set %s: unknown setting \"%.*s\"; %s: %s", text, (int)length,
                           text, is_near ? "did you mean" : "settings", near),
               -1;
    }
    const char *expected = set_value(setting, options, equals + 1);
    if (expected) return usage_error(verb, "--set %s: expected %s", text, expected), -1;
    return 0;
}

/* Reports an unknown option. A setting of --set is named. */
static int refuse_option(const struct verb *verb, const char *name, size_t length,
                         const char *value)
{
    const struct option *setting = find_option(verb->settings, name, length);
    if (setting)
        return usage_error(verb, "--%s is a setting: --set %s=%s", setting->name, setting->name,
                           value ? value : setting->argument);
    char near[600] = "";
    if (verb->options && list_near(verb->options, name, length, "--", near, sizeof near))
        return usage_error(verb, "unknown option --%s (did you mean %s?)", name, near);
    return usage_error(verb, "unknown option --%s", name);
}

/* Parses the option at argv[*at]. Returns 0, or -1 after a usage error. */
static int take_option(const struct verb *verb, void *options, int argc, char **argv, int *at)
{
    const char *word = argv[*at], *value = NULL;
    const struct option *option;
    if (word[1] == '-') {
        const char *equals = strchr(word, '=');
        size_t length = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
        option = find_option(verb->options, word + 2, length);
        value = equals ? equals + 1 : NULL;
        if (!option)
            return refuse_option(verb, word + 2, length,
                                 value || *at + 1 >= argc ? value : argv[*at + 1]),
                   -1;
    } else {
        option = find_letter(verb->options, word[1]);
        if (option && word[2]) value = word + 2;
    }
    if (!option) return usage_error(verb, "unknown option %s", word), -1;
    if (option->kind == OPTION_FLAG && value)
        return usage_error(verb, "--%s takes no value", option->name), -1;
    if (option->kind != OPTION_FLAG && !value) {
        if (*at + 1 >= argc) return usage_error(verb, "--%s needs a value", option->name), -1;
        value = argv[++*at];
    }
    if (option->kind == OPTION_SET) return take_setting(verb, options, value);
    const char *expected = set_value(option, options, value);
    if (expected)
        return usage_error(verb, "--%s %s: expected %s", option->name, value, expected), -1;
    return 0;
}

const struct option common_options[] = {
    {.name = "json", .kind = OPTION_FLAG, .help = "print JSON"},
    {.name = "quiet",
     .letter = 'q',
     .kind = OPTION_FLAG,
     .help = "print no progress and no messages except errors"},
    {.name = "help", .letter = 'h', .kind = OPTION_FLAG, .help = "print this text"},
    {.name = "version", .kind = OPTION_FLAG, .help = "print the version"},
    END_OF_OPTIONS};

/* Parses an option of every verb. Returns 1, 0 for another option, -2 after --help or --version. */
static int take_common(struct command *command, const char *word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        print_verb_help(command->verb, stdout);
        return -2;
    }
    if (strcmp(word, "--version") == 0) {
        printf("film %s\n", film_version());
        return -2;
    }
    if (strcmp(word, "--json") == 0) return command->json = 1;
    if (strcmp(word, "--quiet") == 0 || strcmp(word, "-q") == 0)
        return command->quiet = is_quiet = 1;
    return 0;
}

/* Splits the arguments into OPTIONS and WORDS. Returns 0, -1 after a usage error, -2 after --help
 * or --version. */
static int parse_arguments(struct command *command, void *options, const char **words, int argc,
                           char **argv)
{
    const struct verb *verb = command->verb;
    int only_words = 0;
    for (int at = 0; at < argc; at++) {
        const char *word = argv[at];
        if (!only_words && word[0] == '-' && word[1]) {
            if (strcmp(word, "--") == 0) {
                only_words = 1;
                continue;
            }
            int taken = take_common(command, word);
            if (taken == -2) return -2;
            if (taken == 0 && take_option(verb, options, argc, argv, &at) != 0) return -1;
            continue;
        }
        if (verb->max_words && command->count == verb->max_words)
            return usage_error(verb, "unexpected argument \"%s\"", word), -1;
        words[command->count++] = word;
    }
    if (command->count < verb->min_words)
        return usage_error(verb, "usage: film %s %s", verb->name, verb->arguments), -1;
    return 0;
}

const char *verb_word(const struct verb *verb)
{
    const char *space = strrchr(verb->name, ' ');
    return space ? space + 1 : verb->name;
}

static int parse_and_run(const struct verb *verb, int argc, char **argv)
{
    const char **words = calloc((size_t)argc + 1, sizeof *words);
    void *options = calloc(1, verb->size + 1);
    struct command command = {.verb = verb, .words = words};
    int code = EXIT_IO;
    if (words && options) {
        if (verb->prepare) verb->prepare(options);
        int parsed = parse_arguments(&command, options, words, argc, argv);
        code = parsed == 0 ? verb->run(&command, options) : parsed == -2 ? EXIT_DONE : EXIT_USAGE;
    } else {
        fprintf(stderr, "film: out of memory\n");
    }
    free(options);
    free(words);
    return code;
}

/* If the verb has actions, the first argument names one. Otherwise it is --help, --version or an
 * error. */
int run_verb(const struct verb *verb, int argc, char **argv)
{
    for (size_t i = 0; verb->actions && verb->actions[i] && argc > 0; i++)
        if (strcmp(verb_word(verb->actions[i]), argv[0]) == 0)
            return parse_and_run(verb->actions[i], argc - 1, argv + 1);
    return parse_and_run(verb, verb->actions && argc > 1 ? 1 : argc, argv);
}
