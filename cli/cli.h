/* What every verb of the program shares: options, messages, progress, Ctrl-C. The program sees the
 * libraries through their installed headers alone. */
#ifndef CLI_H
#define CLI_H

#include "film_explain.h"
#include "film_io.h"
#include "film_train.h"
#include "verbs.h"

#include <stddef.h>
#include <stdio.h>

/* Exit codes: those of film_status up to FILM_CANCELLED; no memory counts as "could not". */
enum { EXIT_DONE = 0, EXIT_USAGE = 1, EXIT_BAD_INPUT = 2, EXIT_IO = 3, EXIT_INTERRUPTED = 4 };
extern const char *const exit_names[];

/* ---- Options ---- */

enum option_kind {
    OPTION_FLAG,     /* int, set to 1 */
    OPTION_TEXT,     /* const char * */
    OPTION_FILE,     /* const char *: the name of a file */
    OPTION_FOLDER,   /* const char * */
    OPTION_TEXTS,    /* struct option_texts: may be given several times */
    OPTION_FILES,    /* the same of file names */
    OPTION_COUNT,    /* size_t */
    OPTION_SOME,     /* size_t; a 0 that is given is FILM_NONE, as the library calls it */
    OPTION_SIZE,     /* size_t, at least 1 */
    OPTION_NUMBER,   /* double */
    OPTION_ZERO,     /* double; a 0 that is given is FILM_ZERO, as the library calls it */
    OPTION_ABOVE_0,  /* double, positive */
    OPTION_THREADS,  /* int */
    OPTION_SEED,     /* uint64_t */
    OPTION_CHOICE,   /* an enum: which of the words in `argument`, "auto|svd|film", it is */
    OPTION_PICK,     /* the same where 0 is the default: the first word is 1 */
    OPTION_FEATURES, /* unsigned: word,bigram,char */
    OPTION_PRIOR,    /* double: a number, or auto for FILM_PRIOR_AUTO */
    OPTION_POINT,    /* film_operating: accuracy, f1, precision=P, recall=R */
    OPTION_SHARE,    /* double above 0 and below 1 */
    OPTION_FOUR,     /* size_t[4]: N,N,N,N */
    OPTION_SET,      /* KEY=VALUE: one of the verb's settings */
    OPTION_HEADING   /* no option: what --help writes above those that follow */
};

enum { OPTION_MOST_TEXTS = 16 };
struct option_texts {
    const char *item[OPTION_MOST_TEXTS];
    size_t count;
};

/* An option, or a setting of --set. It names the place of its value in the verb's own struct, so
 * that the table can be read (--describe, completions, manual) without running the verb. */
struct option {
    const char *name; /* without the dashes; NULL ends the list */
    char letter;      /* 0: no short form */
    enum option_kind kind;
    size_t at;             /* offsetof the value in the verb's struct */
    const char *argument;  /* what --help calls it */
    const char *help;      /* NULL: the default says it all */
    const char *fallback;  /* the default, as a text; NULL: none worth a word */
    const char *proposals; /* what shells propose, separated by spaces; NULL: by the kind */
};

#define HEADING(text)                        \
    {                                        \
        .name = text, .kind = OPTION_HEADING \
    }
#define END_OF_OPTIONS \
    {                  \
        .name = NULL   \
    }

/* ---- Verbs ---- */

/* The library a verb calls: film match must not load what only training needs. */
enum library { LIBRARY_FILM, LIBRARY_POOL, LIBRARY_TRAIN, LIBRARIES };

struct verb;

/* What the command line gave beside the verb's own options. */
struct command {
    const struct verb *verb;
    const char *const *words; /* arguments that are no options */
    int count;
    int json, quiet;
};

/* A verb, or an action of one ("pool add"). Its table of options is the parser, the help, what
 * --describe prints and what shells complete: one cannot know what the others do not. Name, library
 * and summary come from verbs.h: the program knows these without the verb. */
struct verb {
    const char *name;
    enum library library;
    const char *summary;
    const char *arguments;
    const char *details;           /* shown below the options */
    const char *page;              /* its page, a path in docs/; NULL: none of its own */
    int shared;                    /* several processes can do it together: mpirun -n N film ... */
    int least, most;               /* arguments that are no options; most 0: any number */
    const struct option *options;  /* NULL: those of its actions */
    const struct option *settings; /* of --set; NULL: none */
    const struct verb *const *actions; /* NULL-terminated; NULL: none */
    size_t size;                       /* of the struct the options are offsets into */
    void (*prepare)(void *options);    /* sets defaults other than 0; NULL: there are none */
    int (*run)(const struct command *command, void *options); /* returns the exit code */
    /* Adds what --describe says of this verb alone to OBJECT, a json_t; NULL: nothing. */
    void (*describe)(void *object);
};

/* The verbs of a library, NULL-terminated; those of the others are in modules (modules.h). */
extern const struct verb *const film_verbs[], *const pool_verbs[], *const train_verbs[];

/* The last word of a verb's name: "add" of "pool add". */
const char *verb_word(const struct verb *verb);

/* Reads the arguments behind the verb's name and runs it. Returns the exit code. */
int run_verb(const struct verb *verb, int argc, char **argv);

/* What film VERB --help prints. */
void print_verb_help(const struct verb *verb, FILE *stream);

/* The verb called NAME, loaded; NULL: there is none. Those of all libraries by number, NULL past
 * the last. */
const struct verb *find_verb(const char *name);
const struct verb *verb_number(size_t number);

/* The options every verb has, as rows of a table; what they do is the parser's. */
extern const struct option common_options[];

/* What --describe prints: all verbs, actions, options, settings, exit codes and routes as one JSON
 * object. */
int describe_program(void);

/* The processes this one works with (job.c); NULL: none. Output and messages are those of the first. */
extern film_job *job;
film_status job_join(film_error *error);
int job_rank(void); /* 0, 1, ...; 0 without a job */
int job_size(void); /* 1 without a job */
film_status job_sum(uint64_t *values, size_t count, film_error *error);
/* Output of all processes, one after the other, in a file that appears when complete. */
film_status job_output_open(const char *path, film_output **out, film_error *error);
void job_leave(void);
void job_abort(int code); /* ends all processes; returns only without a job */

/* ---- Options several verbs have: TYPE is the verb's struct, PLACE a member of it ---- */

#define COLUMNS_OPTION(type, place, example)                                                 \
    {                                                                                        \
        .name = "columns", .kind = OPTION_TEXT, .at = offsetof(type, place.columns),         \
        .argument = "LIST",                                                                  \
        .help = "name the columns in file order: " example " (- passes one over)",           \
        .proposals = "label,a,b a,b,label score,a,b text,category anchor,positive,negative " \
                     "a,b"                                                                   \
    }
#define FORMAT_OPTION(type, place, name_, words)                                                   \
    {                                                                                              \
        .name = name_, .kind = OPTION_PICK, .at = offsetof(type, place.format), .argument = words, \
        .fallback = "found out"                                                                    \
    }
#define LABELS_OPTION(type, place)                                                               \
    {                                                                                            \
        .name = "labels", .kind = OPTION_CHOICE, .at = offsetof(type, place.labels),             \
        .argument = "auto|none|pairs|scores|triplets|categories", .help = "what the labels say", \
        .fallback = "read off the columns"                                                       \
    }
#define SKIP_BAD_OPTION(type, place)                                                   \
    {                                                                                  \
        .name = "skip-bad", .kind = OPTION_FLAG, .at = offsetof(type, place.skip_bad), \
        .help = "count bad rows and pass over them"                                    \
    }
#define THRESHOLD_OPTION(type, place)                                                            \
    {                                                                                            \
        .name = "threshold", .kind = OPTION_SHARE, .at = offsetof(type, place), .argument = "P", \
        .help = "same from this probability on", .fallback = "the model's own operating point"   \
    }
#define THREADS_OPTION(type, place)                                                            \
    {                                                                                          \
        .name = "threads", .letter = 't', .kind = OPTION_THREADS, .at = offsetof(type, place), \
        .argument = "N", .fallback = "all cores"                                               \
    }
#define OUTPUT_OPTION(type, place, argument_)                                              \
    {                                                                                      \
        .name = "output", .letter = 'o', .kind = OPTION_FILE, .at = offsetof(type, place), \
        .argument = argument_, .help = "where to write", .fallback = "standard output"     \
    }
/* Verbs that answer, by a film_answer_options. */
#define ANSWER_OPTIONS(type, place)                                                                \
    {.name = "decision",                                                                           \
     .kind = OPTION_CHOICE,                                                                        \
     .at = offsetof(type, place.decision),                                                         \
     .argument = "auto|full|threshold",                                                            \
     .help = "all the model knows (default), or its similarity alone"},                            \
        {.name = "no-memory",                                                                      \
         .kind = OPTION_FLAG,                                                                      \
         .at = offsetof(type, place.no_memory),                                                    \
         .help = "as if no question had been seen in training"},                                   \
    {                                                                                              \
        .name = "prior", .kind = OPTION_SHARE, .at = offsetof(type, place.prior), .argument = "P", \
        .help = "how likely two sentences are to be the same before reading them",                 \
        .fallback = "0.5"                                                                          \
    }
#define TABLE_OPTIONS(type, place)                                                               \
    COLUMNS_OPTION(type, place, "label,a,b"),                                                    \
        FORMAT_OPTION(type, place, "format", "tsv|csv|jsonl|lines"), LABELS_OPTION(type, place), \
        SKIP_BAD_OPTION(type, place)

/* A MODEL that is a folder is a BERT encoder. */
int is_folder(const char *path);

/* ---- Labelled pairs of pools, to learn from ---- */

struct pool_pairs {
    film_pair *list;
    size_t count, capacity;
};

/* Adds those of every pool to OUT. A pool without any is FILM_BAD_INPUT. */
film_status read_pool_pairs(const struct option_texts *pools, struct pool_pairs *out,
                            film_error *error);
void pool_pairs_free(struct pool_pairs *pairs);

/* ---- Messages ---- */

/* "film: MESSAGE" on standard error; returns the exit code for STATUS. */
int report(film_status status, const film_error *error);
film_status no_memory(film_error *error);
int usage_error(const struct verb *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A JSON answer of the library on a line of its own, freed; or why there is none. Returns the exit
 * code. */
int answer_json(film_status status, char *json, const film_error *error);

/* "opposed: india / japan" and what it weighs, on a line of its own. */
void print_reason(const film_reason *reason);

/* Colours only on a terminal and without NO_COLOR. */
int use_colour(FILE *stream);

/* A verdict and why, on standard output, as film match shows it (why.c). */
void print_explanation(const film_explanation *why);

/* ---- Progress and interruption ---- */

/* A bar on standard error when that is a terminal and QUIET is 0. Ctrl-C makes the next report
 * cancel the call. */
film_progress progress_start(int quiet);
void progress_end(void);
int interrupted(void);

/* ---- A table through the library, in batches ---- */

enum { STREAM_A, STREAM_B, STREAM_ID, STREAM_COLUMNS };
enum { STREAM_ROWS = 8192 }; /* of a batch, at most */

struct stream_batch {
    film_text *text[STREAM_COLUMNS]; /* as in film_row: .bytes is NULL where there is no column */
    size_t count;
    void *result; /* STREAM_ROWS x result_size */
    size_t *start[STREAM_COLUMNS];
    char *bytes; /* what the texts point into */
    size_t used, capacity;
};

struct stream {
    film_table *table;
    size_t result_size; /* of one row, in bytes */
    /* Refuses rows that do not fit. Called by the thread that reads. */
    film_status (*check)(void *user, const film_row *row, film_error *error);
    /* Fills batch->result. */
    film_status (*compute)(void *user, struct stream_batch *batch, film_error *error);
    /* Called in the order of the file, by the thread that reads. */
    film_status (*write)(void *user, const struct stream_batch *batch, film_error *error);
    void *user;
    const char *phase; /* what the progress bar says */
    film_progress progress;
};

/* film_table_open of this process's share of a file. */
film_status stream_open(const char *path, const film_table_options *options, film_table **table,
                        film_error *error);

/* All rows; *ROWS counts them. */
film_status stream_rows(const struct stream *stream, unsigned long long *rows, film_error *error);

/* *ROWS becomes those of all processes, *SKIPPED the bad ones they passed over. */
film_status stream_total(const film_table *table, unsigned long long *rows,
                         unsigned long long *skipped, film_error *error);

#endif
