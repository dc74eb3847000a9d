/* film VERB --help, printed from the tables of options. */
#include "cli.h"

#include <string.h>

enum { HELP_COLUMN = 28 };

/* Prints "number of answers (default 10)". A default of several words follows a colon. */
static void print_help_text(const struct option *option, FILE *stream)
{
    const char *fallback = option->fallback, *colon = "";
    if (fallback && strchr(fallback, ' ')) colon = ":";
    if (!option->help)
        fprintf(stream, "default: %s\n", fallback);
    else if (fallback)
        fprintf(stream, "%s (default%s %s)\n", option->help, colon, fallback);
    else
        fprintf(stream, "%s\n", option->help);
}

/* Prints LEFT in its column. If LEFT is too wide, the text follows on the next line. */
static void print_row(const char *left, const struct option *option, FILE *stream)
{
    if (strlen(left) > HELP_COLUMN)
        fprintf(stream, "%s\n%*s ", left, HELP_COLUMN, "");
    else
        fprintf(stream, "%-*s ", HELP_COLUMN, left);
    print_help_text(option, stream);
}

static void print_options(const struct option *options, FILE *stream)
{
    for (; options && options->name; options++) {
        char left[120], letters[8] = "    ";
        if (options->kind == OPTION_HEADING) {
            fprintf(stream, "\n%s:\n", options->name);
            continue;
        }
        if (options->letter) snprintf(letters, sizeof letters, "-%c, ", options->letter);
        snprintf(left, sizeof left, "  %s--%s%s%s", letters, options->name,
                 options->argument ? " " : "", options->argument ? options->argument : "");
        print_row(left, options, stream);
    }
}

static void print_settings(const struct option *settings, FILE *stream)
{
    if (settings) fprintf(stream, "\nsettings for --set:\n");
    for (; settings && settings->name; settings++) {
        char left[120];
        if (settings->kind == OPTION_HEADING) {
            fprintf(stream, " %s\n", settings->name);
            continue;
        }
        snprintf(left, sizeof left, "  %s=%s", settings->name, settings->argument);
        print_row(left, settings, stream);
    }
}

static void print_actions(const struct verb *verb, FILE *stream)
{
    enum { ACTION_COLUMN = 44 };
    if (!verb->actions) return;
    fprintf(stream, "\nactions (film %s ACTION --help describes one):\n", verb->name);
    for (const struct verb *const *action = verb->actions; *action; action++) {
        char left[120];
        snprintf(left, sizeof left, "  %s %s", verb_word(*action), (*action)->arguments);
        fprintf(stream, strlen(left) > ACTION_COLUMN ? "%s\n%*s%s\n" : "%s%*s%s\n", left,
                strlen(left) > ACTION_COLUMN ? ACTION_COLUMN + 1
                                             : ACTION_COLUMN + 1 - (int)strlen(left),
                "", (*action)->summary);
    }
    for (const struct verb *const *action = verb->actions; *action; action++) {
        if (!(*action)->options->name) continue;
        fprintf(stream, "\n%s:\n", verb_word(*action));
        print_options((*action)->options, stream);
    }
    fprintf(stream, "\noptions of every action:\n");
}

void print_verb_help(const struct verb *verb, FILE *stream)
{
    const struct option *options = verb->options;
    fprintf(stream, "usage: film %s %s\n\n%s%s\n", verb->name, verb->arguments, verb->summary,
            strchr(".?!", verb->summary[strlen(verb->summary) - 1]) ? "" : ".");
    print_actions(verb, stream);
    if (!verb->actions && (!options || options->kind != OPTION_HEADING || !options->name))
        fprintf(stream, "\noptions:\n");
    print_options(options, stream);
    print_options(common_options, stream);
    print_settings(verb->settings, stream);
    if (verb->details) fprintf(stream, "\n%s", verb->details);
    if (strncmp(verb->arguments, "MODEL ", 6) == 0 || strcmp(verb->arguments, "MODEL") == 0)
        fprintf(stream, "\nMODEL may also be a pool: its model is used.\n");
}
