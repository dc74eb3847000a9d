#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int usage_error(const struct verb *verb, const char *format, ...)
{
    if (film_job_rank(job) > 0) return EXIT_USAGE; /* the first process has said it */
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "film %s: ", verb->name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "; film %s --help shows how\n", verb->name);
    va_end(arguments);
    return EXIT_USAGE;
}

int is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

enum { HELP_COLUMN = 28 };

/* An option too wide for its column has its help on the next line. */
static void print_option(FILE *stream, char letter, const char *name, const char *argument,
                         const char *help)
{
    char left[120], letters[8] = "    ";
    if (letter) snprintf(letters, sizeof letters, "-%c, ", letter);
    int width = snprintf(left, sizeof left, "  %s--%s%s%s", letters, name, argument ? " " : "",
                         argument ? argument : "");
    if (width > HELP_COLUMN)
        fprintf(stream, "%s\n%*s %s\n", left, HELP_COLUMN, "", help);
    else
        fprintf(stream, "%-*s %s\n", HELP_COLUMN, left, help);
}

void print_verb_help(const struct verb *verb, const struct option *options, FILE *stream)
{
    fprintf(stream, "usage: film %s %s\n\n%s.\n", verb->name, verb->arguments, verb->summary);
    if (options->kind != OPTION_HEADING || !options->name) fprintf(stream, "\noptions:\n");
    for (; options->name; options++)
        if (options->kind == OPTION_HEADING)
            fprintf(stream, "\n%s:\n", options->name);
        else
            print_option(stream, options->letter, options->name, options->argument, options->help);
    print_option(stream, 0, "json", NULL, "answer in JSON");
    print_option(stream, 'q', "quiet", NULL, "no progress, no messages but errors");
    print_option(stream, 'h', "help", NULL, "this text");
    print_option(stream, 0, "version", NULL, "the version");
    if (verb->details) fprintf(stream, "\n%s", verb->details);
}

/* ---- Values ---- */

static int parse_unsigned(const char *text, unsigned long long most, unsigned long long *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *value <= most;
}

/* "word,char" to a bit set; 0: not understood. */
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

/* The number of TEXT among "one|two|three", or -1. */
static int parse_choice(const char *choices, const char *text)
{
    for (int number = 0;; number++) {
        size_t length = strcspn(choices, "|");
        if (strlen(text) == length && strncmp(choices, text, length) == 0) return number;
        if (choices[length] == 0) return -1;
        choices += length + 1;
    }
}

/* All of TEXT as a number. */
static int parse_number(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

/* "f1", "precision=0.9". Whether the share is one, the library says. */
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

/* "16,32,32,16". Whether the numbers make sense, the library says. */
static int parse_four(const char *text, size_t *four)
{
    for (int i = 0; i < 4; i++) {
        char *end;
        if (*text < '0' || *text > '9') return 0;
        four[i] = strtoull(text, &end, 10);
        if (four[i] == 0) four[i] = FILM_NONE; /* 0 is the default there */
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

/* Stores the value; NULL, or what was expected instead. */
static const char *set_value(const struct option *option, const char *text)
{
    unsigned long long whole;
    struct option_texts *texts = option->target;
    double *number = option->target;
    switch (option->kind) {
    case OPTION_FLAG:
        *(int *)option->target = 1;
        return NULL;
    case OPTION_TEXT:
        *(const char **)option->target = text;
        return NULL;
    case OPTION_TEXTS:
        if (texts->count == OPTION_MOST_TEXTS) return "at most 16 of them";
        texts->item[texts->count++] = text;
        return NULL;
    case OPTION_WORD:
        if (parse_choice(option->argument, text) < 0) return option->argument;
        *(const char **)option->target = text;
        return NULL;
    case OPTION_COUNT:
    case OPTION_SOME:
    case OPTION_SIZE:
        if (!parse_unsigned(text, SIZE_MAX / 16, &whole)) return "a whole number";
        if (option->kind == OPTION_SIZE && whole == 0) return "a whole number above 0";
        *(size_t *)option->target =
            option->kind == OPTION_SOME && whole == 0 ? FILM_NONE : (size_t)whole;
        return NULL;
    case OPTION_SEED:
        if (!parse_unsigned(text, INT64_MAX, &whole)) return "a whole number";
        *(uint64_t *)option->target = whole;
        return NULL;
    case OPTION_THREADS:
        if (!parse_unsigned(text, 1024, &whole) || whole == 0) return "a number from 1 to 1024";
        *(int *)option->target = (int)whole;
        return NULL;
    case OPTION_NUMBER:
        return parse_number(text, number) ? NULL : "a number";
    case OPTION_ZERO:
        if (!parse_number(text, number)) return "a number";
        if (*number == 0) *number = FILM_ZERO;
        return NULL;
    case OPTION_ABOVE_0:
        return parse_number(text, number) && *number > 0 ? NULL : "a number above 0";
    case OPTION_SHARE:
        return parse_number(text, number) && *number > 0 && *number < 1
                   ? NULL
                   : "a probability above 0 and below 1";
    case OPTION_PRIOR:
        return set_prior(text, number);
    case OPTION_POINT:
        return parse_point(text, option->target)
                   ? NULL
                   : "accuracy, f1, precision=P or recall=R, P and R from 0 to 1";
    case OPTION_FOUR:
        return parse_four(text, option->target) ? NULL : "four whole numbers, 16,32,32,16";
    case OPTION_CHOICE:
    case OPTION_PICK:
        if (parse_choice(option->argument, text) < 0) return option->argument;
        *(unsigned *)option->target =
            (unsigned)(parse_choice(option->argument, text) + (option->kind == OPTION_PICK));
        return NULL;
    case OPTION_FEATURES:
        *(unsigned *)option->target = parse_features(text);
        return *(unsigned *)option->target ? NULL : "some of word,bigram,char";
    case OPTION_HEADING:
        break;
    }
    return "a value";
}

/* ---- The command line ---- */

static const struct option *find_option(const struct option *options, const char *name,
                                        size_t length)
{
    for (; options->name; options++)
        if (options->kind != OPTION_HEADING && strlen(options->name) == length &&
            strncmp(options->name, name, length) == 0)
            return options;
    return NULL;
}

static const struct option *find_letter(const struct option *options, char letter)
{
    for (; options->name; options++)
        if (options->letter && options->letter == letter) return options;
    return NULL;
}

/* One option at argv[*at]: 0 done, -1 wrong. */
static int take_option(const struct verb *verb, const struct option *options, int argc, char **argv,
                       int *at)
{
    const char *word = argv[*at], *value = NULL;
    const struct option *option;
    if (word[1] == '-') {
        const char *equals = strchr(word, '=');
        size_t length = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
        option = find_option(options, word + 2, length);
        value = equals ? equals + 1 : NULL;
    } else {
        option = find_letter(options, word[1]);
        if (option && word[2]) value = word + 2;
    }
    if (!option) return usage_error(verb, "there is no option %s", word), -1;
    if (option->kind == OPTION_FLAG && value)
        return usage_error(verb, "--%s takes no value", option->name), -1;
    if (option->kind != OPTION_FLAG && !value) {
        if (*at + 1 >= argc) return usage_error(verb, "--%s needs a value", option->name), -1;
        value = argv[++*at];
    }
    const char *expected = set_value(option, value);
    if (expected)
        return usage_error(verb, "--%s %s: expected %s", option->name, value, expected), -1;
    return 0;
}

/* The options every verb has; 1: taken, -2: answered. */
static int take_common(const struct verb *verb, const struct option *options, struct common *common,
                       const char *word)
{
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        print_verb_help(verb, options, stdout);
        return -2;
    }
    if (strcmp(word, "--version") == 0) {
        printf("film %s\n", film_version());
        return -2;
    }
    if (strcmp(word, "--json") == 0) return common->json = 1;
    if (strcmp(word, "--quiet") == 0 || strcmp(word, "-q") == 0) return common->quiet = 1;
    return 0;
}

int parse_arguments(const struct verb *verb, const struct option *options, struct common *common,
                    int argc, char **argv, const char **positional, int least, int most)
{
    int count = 0, only_positional = 0;
    for (int at = 0; at < argc; at++) {
        const char *word = argv[at];
        if (!only_positional && word[0] == '-' && word[1]) {
            if (strcmp(word, "--") == 0) {
                only_positional = 1;
                continue;
            }
            int taken = take_common(verb, options, common, word);
            if (taken == -2) return -2;
            if (taken == 0 && take_option(verb, options, argc, argv, &at) != 0) return -1;
            continue;
        }
        if (count == most) return usage_error(verb, "\"%s\" is one argument too many", word), -1;
        positional[count++] = word;
    }
    if (count < least)
        return usage_error(verb, "usage: film %s %s", verb->name, verb->arguments), -1;
    return count;
}
