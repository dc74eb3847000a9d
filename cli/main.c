/* film: one program with verbs. */
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct verb *const verbs[] = {
    &verb_train, &verb_eval,   &verb_match, &verb_explain, &verb_predict, &verb_embed,  &verb_split,
    &verb_pool,  &verb_search, &verb_dedup, &verb_link,    &verb_serve,   &verb_report, &verb_info};
enum { VERBS = sizeof verbs / sizeof *verbs };

/* What several processes can share: mpirun -n N film train ... */
static const struct verb *const shared[] = {&verb_train, &verb_predict, &verb_embed,
                                            &verb_eval,  &verb_dedup,   &verb_link};
enum { SHARED = sizeof shared / sizeof *shared };

film_job *job;

static void print_help(FILE *stream)
{
    fprintf(stream, "film decides whether two sentences mean the same, and says why.\n\n"
                    "usage: film VERB ...\n\n");
    for (int i = 0; i < VERBS; i++)
        fprintf(stream, "  %-8s %s\n", verbs[i]->name, verbs[i]->summary);
    fprintf(stream, "\nfilm VERB --help tells more of a verb. Start with:\n"
                    "  film train pairs.tsv -o my.film\n"
                    "  film match my.film \"I lost my card\" \"what if my card is lost?\"\n"
                    "Exit codes: 0 done, 1 usage, 2 bad input, 3 could not read or write, "
                    "4 interrupted.\n");
}

static const struct verb *find_verb(const char *name)
{
    for (int i = 0; i < VERBS; i++)
        if (strcmp(verbs[i]->name, name) == 0) return verbs[i];
    return NULL;
}

static int is_shared(const struct verb *verb)
{
    for (int i = 0; i < SHARED; i++)
        if (shared[i] == verb) return 1;
    return 0;
}

/* A verb that starts as what was typed does, for the message. */
static const char *similar_verb(const char *name)
{
    for (size_t length = strlen(name); length > 0; length--)
        for (int i = 0; i < VERBS; i++)
            if (strncmp(verbs[i]->name, name, length) == 0) return verbs[i]->name;
    return NULL;
}

static int run(int argc, char **argv)
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
    char *help_arguments[] = {"--help", NULL};
    if (strcmp(name, "help") == 0) {
        const struct verb *verb = find_verb(argv[2]);
        if (verb) return verb->run(verb, 1, help_arguments);
        name = argv[2];
    }
    const struct verb *verb = find_verb(name);
    if (verb && job && !is_shared(verb))
        return usage_error(verb, "this is no work for several processes; start it without mpirun");
    if (verb) return verb->run(verb, argc - 2, argv + 2);
    const char *similar = similar_verb(name);
    fprintf(stderr, "film: there is no verb \"%s\"%s%s%s; film --help lists them\n", name,
            similar ? "; did you mean " : "", similar ? similar : "", similar ? "?" : "");
    return EXIT_USAGE;
}

static int finish(int code)
{
    /* Answers go through stdio, which may find out only now that the disk is full. */
    int failed = fflush(stdout) != 0 || ferror(stdout);
    if (!failed || code != EXIT_DONE) return code;
    fprintf(stderr, "film: cannot write standard output: %s\n", strerror(errno));
    return EXIT_IO;
}

int main(int argc, char **argv)
{
    film_error error;
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error we report, not a silent death */
    film_train_register(); /* models with a BERT encoder can be opened by any verb */
    film_status status = film_job_join(&job, &error);
    if (status != FILM_OK) return report(status, &error);
    int code = finish(run(argc, argv));
    /* Wrong usage is so in every process; another failure may be this one's alone, and the others wait. */
    if (code != EXIT_DONE && code != EXIT_USAGE) film_job_abort(job, code);
    film_job_leave(job);
    return code;
}
