/* film completions: prints a completion script for a shell, from the option tables of all verbs.
 * The build runs it and installs the scripts. */
#include "cli.h"

#include <string.h>

/* The kinds of values that an option takes. */
enum values { NO_VALUE, ANYTHING, FILE_NAMES, FOLDER_NAMES, WORDS, WORDS_OR_FILES };

static enum values values_of(const struct option *option)
{
    int file = option->kind == OPTION_FILE || option->kind == OPTION_FILES;
    if (option->kind == OPTION_FLAG) return NO_VALUE;
    if (option->kind == OPTION_SET) return WORDS;
    if (option->kind == OPTION_CHOICE || option->kind == OPTION_CHOICE_OR_DEFAULT) return WORDS;
    if (option->proposals) return file || option->kind == OPTION_FOLDER ? WORDS_OR_FILES : WORDS;
    if (file) return FILE_NAMES;
    return option->kind == OPTION_FOLDER ? FOLDER_NAMES : ANYTHING;
}

/* Prints the possible values of an option, separated by spaces. */
static void print_words(const struct verb *verb, const struct option *option)
{
    const struct option *setting = option->kind == OPTION_SET ? verb->settings : NULL;
    const char *space = "";
    for (; setting && setting->name; setting++) {
        if (setting->kind == OPTION_HEADING) continue;
        printf("%s%s=", space, setting->name);
        space = " ";
    }
    if (option->kind == OPTION_SET) return;
    for (const char *at = option->proposals ? option->proposals : option->argument; *at; at++)
        putchar(*at == '|' ? ' ' : *at);
}

/* Prints TEXT with a backslash before each of SPECIAL, and QUOTE instead of a single quote. */
static void print_escaped(const char *text, const char *special, const char *quote)
{
    for (; text && *text; text++) {
        if (*text == '\'')
            printf("%s", quote);
        else
            printf("%s%c", strchr(special, *text) ? "\\" : "", *text);
    }
}

/* Prints the help of an option, or its default if it has no help. */
static void print_help(const struct option *option, const char *special, const char *quote)
{
    if (!option->help) print_escaped("default: ", special, quote);
    print_escaped(option->help ? option->help : option->fallback, special, quote);
}

typedef void print_option(const struct verb *verb, const struct option *option);

/* Calls PRINT for each option of VERB, including the common ones. */
static void each_option(const struct verb *verb, print_option *print)
{
    for (const struct option *option = verb->options; option && option->name; option++)
        if (option->kind != OPTION_HEADING) print(verb, option);
    for (const struct option *option = common_options; option->name; option++) print(verb, option);
}

/* Calls PRINT for each verb and each action. */
static void each_command(void (*print)(const struct verb *verb))
{
    const struct verb *verb;
    for (size_t i = 0; (verb = verb_number(i)); i++) {
        print(verb);
        for (size_t j = 0; verb->actions && verb->actions[j]; j++) print(verb->actions[j]);
    }
}

static void print_verb_names(void)
{
    const struct verb *verb;
    for (size_t i = 0; (verb = verb_number(i)); i++) printf("%s%s", i ? " " : "", verb->name);
}

static void print_action_names(const struct verb *verb)
{
    for (size_t i = 0; verb->actions && verb->actions[i]; i++)
        printf("%s%s", i ? " " : "", verb_word(verb->actions[i]));
}

/* ---- bash ---- */

static void bash_name(const struct verb *verb, const struct option *option)
{
    (void)verb;
    printf(" --%s", option->name);
    if (option->letter) printf(" -%c", option->letter);
}

static void bash_options(const struct verb *verb)
{
    printf("        '%s') echo \"", verb->name);
    each_option(verb, bash_name);
    printf("\" ;;\n");
}

static void bash_value(const struct verb *verb, const struct option *option)
{
    static const int codes[] = {[ANYTHING] = 2, [FILE_NAMES] = 1,     [FOLDER_NAMES] = 1,
                                [WORDS] = 0,    [WORDS_OR_FILES] = 4, [NO_VALUE] = 3};
    enum values values = values_of(option);
    if (values == NO_VALUE) return;
    printf("        '%s --%s'", verb->name, option->name);
    if (option->letter) printf(" | '%s -%c'", verb->name, option->letter);
    printf(") ");
    if (values == WORDS || values == WORDS_OR_FILES) {
        printf("echo '");
        print_words(verb, option);
        printf("'; ");
    }
    printf("return %d ;;\n", codes[values]);
}

static void bash_values(const struct verb *verb)
{
    each_option(verb, bash_value);
}

static void bash_actions(const struct verb *verb)
{
    if (!verb->actions) return;
    printf("        %s) echo \"", verb->name);
    print_action_names(verb);
    printf("\" ;;\n");
}

static void print_bash(void)
{
    puts("# bash completion for film(1), made by \"film completions bash\".\n"
         "_film_actions() {\n"
         "    case $1 in");
    each_command(bash_actions);
    puts("    esac\n}\n"
         "_film_options() {\n"
         "    case $1 in");
    each_command(bash_options);
    puts("    esac\n}\n"
         "# The values of an option, $1 is \"VERB OPTION\": 0 only these, 4 these or files, 1 "
         "files,\n"
         "# 2 anything, 3 it takes no value.\n"
         "_film_values() {\n"
         "    case $1 in");
    each_command(bash_values);
    printf("        *) return 3 ;;\n"
           "    esac\n}\n"
           "_film() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} "
           "command=${COMP_WORDS[1]} words kind actions\n"
           "    local verbs='");
    print_verb_names();
    puts("'\n"
         "    COMPREPLY=()\n"
         "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$verbs help --help --version --describe\" "
         "-- "
         "\"$word\")\n"
         "        return\n"
         "    fi\n"
         "    if [ \"$command\" = help ]; then\n"
         "        [ \"$COMP_CWORD\" -eq 2 ] && mapfile -t COMPREPLY < <(compgen -W \"$verbs\" -- "
         "\"$word\")\n"
         "        return\n"
         "    fi\n"
         "    actions=$(_film_actions \"$command\")\n"
         "    if [ -n \"$actions\" ] && [ \"$COMP_CWORD\" -eq 2 ] && [[ $word != -* ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$actions\" -- \"$word\")\n"
         "        return\n"
         "    fi\n"
         "    if [ -n \"$actions\" ] && [ \"$COMP_CWORD\" -gt 2 ]; then command=\"$command "
         "${COMP_WORDS[2]}\"; fi\n"
         "    # bash cuts \"--name=value\" at the equals sign\n"
         "    if [ \"$word\" = \"=\" ]; then word=\"\"; elif [ \"$before\" = \"=\" ]; then "
         "before=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
         "    words=$(_film_values \"$command $before\")\n"
         "    kind=$?\n"
         "    if [ $kind -eq 3 ] && [[ $word == -* ]]; then words=$(_film_options \"$command\") "
         "kind=0; "
         "fi\n"
         "    case $kind in\n"
         "        0 | 4) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\") ;;\n"
         "    esac\n"
         "    case $kind in\n"
         "        1 | 3 | 4)\n"
         "            local files\n"
         "            mapfile -t files < <(compgen -f -- \"$word\")\n"
         "            COMPREPLY+=(\"${files[@]}\")\n"
         "            compopt -o filenames 2>/dev/null ;;\n"
         "    esac\n"
         "    if [ \"$before\" = --set ]; then compopt -o nospace 2>/dev/null; fi\n"
         "    return 0\n"
         "}\n"
         "complete -F _film film");
}

/* ---- zsh ---- */

/* Prints '(-o --output)'{-o+,--output=}'[output file]:OUT:_files'. */
static void zsh_option(const struct verb *verb, const struct option *option)
{
    enum values values = values_of(option);
    int several =
        option->kind == OPTION_TEXTS || option->kind == OPTION_FILES || option->kind == OPTION_SET;
    const char *sign = values == NO_VALUE ? "" : "=", *plus = values == NO_VALUE ? "" : "+";
    printf(" \\\n            ");
    if (option->letter)
        printf("'(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, option->name, option->letter, plus,
               option->name, sign);
    else
        printf("'%s--%s%s[", several ? "*" : "", option->name, sign);
    print_help(option, "[]:\\", "'\\''");
    printf("]");
    if (values != NO_VALUE) {
        printf(":");
        print_escaped(option->argument, "[]:\\", "'\\''");
        printf(":");
    }
    if (values == FILE_NAMES) printf("_files");
    if (values == FOLDER_NAMES) printf("_files -/");
    if (values == WORDS || values == WORDS_OR_FILES) {
        printf(values == WORDS ? "(" : "_alternative \"words:word:(");
        print_words(verb, option);
        printf(values == WORDS ? ")" : ")\" \"files:file:_files\"");
    }
    printf("'");
}

/* Prints 'train:Train a model ...'. */
static void zsh_describe(const struct verb *verb)
{
    printf("        '%s:", verb_word(verb));
    print_escaped(verb->summary, ":\\", "'\\''");
    printf("'\n");
}

static void zsh_function(const struct verb *verb)
{
    printf("_film_");
    for (const char *at = verb->name; *at; at++) putchar(*at == ' ' ? '_' : *at);
    printf("() {\n");
    if (verb->actions) {
        printf("    local curcontext=\"$curcontext\" state line ret=1\n    local -a actions\n"
               "    actions=(\n");
        for (size_t i = 0; verb->actions[i]; i++) zsh_describe(verb->actions[i]);
        printf("    )\n"
               "    _arguments -C '1:action:->action' '*::argument:->argument'");
        each_option(verb, zsh_option);
        printf(" && return\n"
               "    case $state in\n"
               "    action) _describe action actions && ret=0 ;;\n"
               "    argument) _film_%s_$words[1] && ret=0 ;;\n"
               "    esac\n"
               "    return ret\n}\n",
               verb->name);
        return;
    }
    printf("    _arguments -s");
    each_option(verb, zsh_option);
    printf(" \\\n            '*:file:_files'\n}\n");
}

static void print_zsh(void)
{
    const struct verb *verb;
    puts("#compdef film\n"
         "# zsh completion for film(1), made by \"film completions zsh\".\n");
    each_command(zsh_function);
    puts("_film() {\n"
         "    local curcontext=\"$curcontext\" state line ret=1\n"
         "    local -a verbs\n"
         "    verbs=(");
    for (size_t i = 0; (verb = verb_number(i)); i++) zsh_describe(verb);
    printf("        'help:Show the help of a verb'\n"
           "    )\n"
           "    _arguments -C '(- *)'{-h,--help}'[list the verbs]' '(- *)--version[show the "
           "version]' \\\n"
           "        '(- *)--describe[print all verbs and options as JSON]' \\\n"
           "        '1:verb:->verb' '*::argument:->argument' && return\n"
           "    case $state in\n"
           "    verb) _describe verb verbs && ret=0 ;;\n"
           "    argument)\n"
           "        case $words[1] in\n"
           "        help) _values verb ");
    print_verb_names();
    puts(" && ret=0 ;;\n"
         "        *) (( $+functions[_film_$words[1]] )) && _film_$words[1] && ret=0 ;;\n"
         "        esac ;;\n"
         "    esac\n"
         "    return ret\n"
         "}\n\n"
         "_film \"$@\"");
}

/* ---- fish ---- */

static void fish_option(const struct verb *verb, const struct option *option)
{
    static const char *const rules[] = {
        [NO_VALUE] = "",           [ANYTHING] = " -x", [FILE_NAMES] = " -r -F",
        [FOLDER_NAMES] = " -r -F", [WORDS] = " -x",    [WORDS_OR_FILES] = " -r -F"};
    enum values values = values_of(option);
    printf("complete -c film -n '__film_is %s'", verb->name);
    if (option->letter) printf(" -s %c", option->letter);
    printf(" -l %s%s", option->name, rules[values]);
    if (values == WORDS || values == WORDS_OR_FILES) {
        printf(" -a '");
        print_words(verb, option);
        printf("'");
    }
    printf(" -d '");
    print_help(option, "\\", "\\'");
    printf("'\n");
}

/* An action is completed only after its verb. */
static void fish_command(const struct verb *verb)
{
    for (size_t i = 0; verb->actions && verb->actions[i]; i++) {
        printf("complete -c film -n '__film_after %s' -f -a %s -d '", verb->name,
               verb_word(verb->actions[i]));
        print_escaped(verb->actions[i]->summary, "\\", "\\'");
        printf("'\n");
    }
    each_option(verb, fish_option);
}

static void print_fish(void)
{
    const struct verb *verb;
    puts("# fish completion for film(1), made by \"film completions fish\".\n"
         "function __film_is\n"
         "    set -l words (commandline -opc)\n"
         "    test (count $words) -gt (count $argv); or return 1\n"
         "    test \"$words[2..\"(math (count $argv) + 1)\"]\" = \"$argv\"\n"
         "end\n"
         "function __film_after\n"
         "    set -l words (commandline -opc)\n"
         "    test (count $words) -eq (math (count $argv) + 1); and test \"$words[2..]\" = "
         "\"$argv\"\n"
         "end");
    for (size_t i = 0; (verb = verb_number(i)); i++) {
        printf("complete -c film -n __film_after -f -a %s -d '", verb->name);
        print_escaped(verb->summary, "\\", "\\'");
        printf("'\n");
    }
    printf("complete -c film -n __film_after -f -a help -d 'Show the help of a verb'\n"
           "complete -c film -n __film_after -s h -l help -d 'List the verbs'\n"
           "complete -c film -n __film_after -l version -d 'Show the version'\n"
           "complete -c film -n __film_after -l describe -d 'Print verbs and options as JSON'\n"
           "complete -c film -n '__film_after help' -f -a '");
    print_verb_names();
    printf("'\n");
    each_command(fish_command);
}

/* ---- The verb ---- */

static const struct option options[] = {END_OF_OPTIONS};

static int run(const struct command *command, void *given)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    (void)given;
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, command->words[0]) == 0) {
            shells[i].print();
            return EXIT_DONE;
        }
    return usage_error(command->verb, "%s: expected bash|zsh|fish", command->words[0]);
}

const struct verb verb_completions = {
    VERB_COMPLETIONS,
    .arguments = "bash|zsh|fish",
    .min_words = 1,
    .max_words = 1,
    .options = options,
    .run = run,
    .details = "An installed FILM includes the scripts. Otherwise:\n"
               "  source <(film completions bash)\n"
               "  film completions zsh > \"${fpath[1]}/_film\"\n"
               "  film completions fish > ~/.config/fish/completions/film.fish\n"};
