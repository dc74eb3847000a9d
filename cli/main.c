/* film: one program with verbs. This file lists their names and summaries. The verb that is run is
 * loaded from its library's table; the others are not. */
#include "modules.h"

#include <errno.h>
#include <jansson.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum library library;
    const char *summary;
} verbs[] = {{VERB_TRAIN},   {VERB_EVAL},     {VERB_MATCH},      {VERB_EXPLAIN}, {VERB_EDIT},
             {VERB_PREDICT}, {VERB_CLASSIFY}, {VERB_EMBED},      {VERB_SPLIT},   {VERB_POOL},
             {VERB_SEARCH},  {VERB_DEDUP},    {VERB_LINK},       {VERB_SERVE},   {VERB_REPORT},
             {VERB_PAGE},    {VERB_INFO},     {VERB_COMPLETIONS}};
enum { VERBS = sizeof verbs / sizeof *verbs };

const char *const exit_names[] = {[EXIT_DONE] = "success",
                                  [EXIT_USAGE] = "usage error",
                                  [EXIT_BAD_INPUT] = "bad input",
                                  [EXIT_IO] = "cannot read or write",
                                  [EXIT_INTERRUPTED] = "interrupted"};

static void print_help(FILE *stream)
{
    fprintf(stream, "film decides whether two sentences mean the same, and explains why.\n\n"
                    "usage: film VERB ...\n\n");
    for (int i = 0; i < VERBS; i++)
        fprintf(stream, "  %-11s %s\n", verbs[i].name, verbs[i].summary);
    fprintf(stream,
            "\nfilm VERB --help describes a verb; film --describe prints all of them as JSON.\n"
            "First steps:\n"
            "  film train pairs.tsv -o my.film\n"
            "  film match my.film \"I lost my card\" \"what if my card is lost?\"\n"
            "Exit codes:");
    for (int code = EXIT_DONE; code <= EXIT_INTERRUPTED; code++)
        fprintf(stream, "%s %d %s", code ? "," : "", code, exit_names[code]);
    fprintf(stream, ".\n");
}

const struct verb *verb_number(size_t number)
{
    if (number >= VERBS) return NULL;
    const struct verb *const *verb = load_verbs(verbs[number].library);
    while (verb && *verb && strcmp((*verb)->name, verbs[number].name) != 0) verb++;
    if (!verb) output_incomplete(); /* its module could not be loaded */
    return verb ? *verb : NULL;
}

const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(verbs[i].name, name) == 0) return verb_number(i);
    return NULL;
}

/* Returns the verb with the longest common prefix, to suggest it for a mistyped one. */
static const char *similar_verb(const char *name)
{
    for (size_t length = strlen(name); length > 0; length--)
        for (int i = 0; i < VERBS; i++)
            if (strncmp(verbs[i].name, name, length) == 0) return verbs[i].name;
    return NULL;
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        printf("film %s\n", film_version());
        return EXIT_DONE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
        (strcmp(name, "help") == 0 && argc == 2)) {
        print_help(stdout);
        return EXIT_DONE;
    }
    if (strcmp(name, "--describe") == 0) return describe_program();
    char *help_arguments[] = {"--help", NULL};
    int help = strcmp(name, "help") == 0;
    if (help) name = argv[2];
    const struct verb *verb = find_verb(name);
    if (verb && help) return run_verb(verb, 1, help_arguments);
    if (verb) return run_verb(verb, argc - 2, argv + 2);
    const char *similar = similar_verb(name);
    if (similar && strcmp(similar, name) == 0) return EXIT_IO; /* its module could not be loaded */
    print_clean(stderr, "film: unknown verb \"%s\"%s%s%s; see film --help\n", name,
                similar ? " (did you mean " : "", similar ? similar : "", similar ? "?)" : "");
    return EXIT_USAGE;
}

/* ---- Ending ---- */

/* Exit code 0 means that the output is right. Output is made with jansson in many places; one flag
 * is more reliable than a check after every call. */
static atomic_int incomplete;

void output_incomplete(void)
{
    atomic_store(&incomplete, 1);
}

/* jansson (2.14) ignores that the buffer of a token cannot grow and then reads past its end. So
 * where an allocation fails, it gets one of these blocks, made in advance: two of every size. */
enum { RESERVE_SMALLEST = 64, RESERVE_SIZES = 11, RESERVE = 2 * RESERVE_SIZES };
static _Atomic(void *) reserve[RESERVE];

static size_t reserve_size(int block)
{
    return (size_t)RESERVE_SMALLEST << block / 2;
}

static void fill_reserve(void)
{
    for (int i = 0; i < RESERVE; i++) {
        void *none = NULL, *block = atomic_load(&reserve[i]) ? NULL : malloc(reserve_size(i));
        if (block && !atomic_compare_exchange_strong(&reserve[i], &none, block)) free(block);
    }
}

void *allocate_or_reserve(size_t size)
{
    static atomic_int taken;
    void *memory = malloc(size);
    if (memory && atomic_exchange(&taken, 0))
        fill_reserve();
    else if (!memory)
        atomic_store(&taken, 1);
    for (int i = 0; !memory && i < RESERVE; i++)
        if (size <= reserve_size(i)) memory = atomic_exchange(&reserve[i], NULL);
    return memory;
}

static void *json_allocate(size_t size)
{
    void *memory = allocate_or_reserve(size);
    if (!memory) output_incomplete();
    return memory;
}

static int flush_output(int code)
{
    /* stdio buffers the output, so a full disk may be detected only now. */
    int failed = fflush(stdout) != 0 || ferror(stdout), cause = errno;
    if (print_was_cut()) output_incomplete();
    if (code != EXIT_DONE) return code;
    if (failed && !reader_is_gone())
        fprintf(stderr, "film: cannot write standard output: %s\n", strerror(cause));
    else if (!failed && atomic_load(&incomplete))
        fprintf(stderr, "film: the output is incomplete: out of memory, or a module is missing\n");
    return failed || atomic_load(&incomplete) ? EXIT_IO : EXIT_DONE;
}

/* Called for a model with a BERT encoder, which needs libfilm-train. If that is not installed,
 * film_open reports it. */
static void load_encoders(void *user)
{
    film_error error;
    const struct train_calls *calls = load_train_calls(&error);
    (void)user;
    if (calls) calls->register_encoders();
}

static int is_interrupted(void *user)
{
    (void)user;
    return interrupted();
}

int main(int argc, char **argv)
{
    fill_reserve();
    json_set_alloc_funcs(json_allocate, free);
    watch_reader();
    film_set_encoder_loader(load_encoders, NULL);
    set_workbook_reader();
    film_set_interrupt(is_interrupted, NULL);
    int code = flush_output(run_command(argc, argv));
    if (code == EXIT_IO && reader_is_gone()) end_as_reader_left();
    return code;
}
