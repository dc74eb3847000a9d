/* Shared by all verbs of the program: options, messages, progress, Ctrl-C. The program uses only
 * the installed headers of the libraries. */
#ifndef CLI_H
#define CLI_H

#include "film_explain.h"
#include "film_io.h"
#include "film_train.h"
#include "server/terminal_text.h"
#include "verbs.h"

#include <stddef.h>
#include <stdio.h>

/* Exit codes equal film_status up to FILM_CANCELLED. Out of memory exits with EXIT_IO. */
enum { EXIT_DONE = 0, EXIT_USAGE = 1, EXIT_BAD_INPUT = 2, EXIT_IO = 3, EXIT_INTERRUPTED = 4 };
extern const char *const exit_names[];

/* ---- Options ---- */

enum option_kind {
    OPTION_FLAG,           /* int, set to `value` */
    OPTION_TEXT,           /* const char * */
    OPTION_FILE,           /* const char *: a file name */
    OPTION_FOLDER,         /* const char * */
    OPTION_TEXTS,          /* struct option_texts: repeatable */
    OPTION_FILES,          /* struct option_texts: repeatable file names */
    OPTION_COUNT,          /* size_t */
    OPTION_COUNT_OR_NONE,  /* size_t; an explicit 0 is stored as FILM_NONE */
    OPTION_POSITIVE_COUNT, /* size_t, at least 1 */
    OPTION_NUMBER,         /* double */
    OPTION_NUMBER_OR_ZERO, /* double; an explicit 0 is stored as FILM_ZERO */
    OPTION_POSITIVE,       /* double, positive */
    OPTION_THREADS,        /* int */
    OPTION_SEED,           /* uint64_t */
    OPTION_CHOICE, /* an enum: the index of the word in `argument`, such as "auto|svd|film" */
    OPTION_CHOICE_OR_DEFAULT, /* the same, but the first word is 1; 0 is the default */
    OPTION_FEATURES,          /* unsigned: word,bigram,char */
    OPTION_PRIOR,             /* double: a number, or auto for FILM_PRIOR_AUTO */
    OPTION_OPERATING,         /* film_operating: accuracy, f1, precision=P, recall=R */
    OPTION_PROBABILITY,       /* double above 0 and below 1 */
    OPTION_FOUR_COUNTS,       /* size_t[4]: N,N,N,N */
    OPTION_SET,               /* KEY=VALUE: one of the verb's settings */
    OPTION_HEADING /* not an option: a heading that --help prints above the next options */
};

enum { OPTION_MAX_TEXTS = 16 };
struct option_texts {
    const char *item[OPTION_MAX_TEXTS];
    size_t count;
};

/* An option, or a setting of --set. It stores the offset of its value in the verb's struct.
 * The table can therefore be read (--describe, completions, manual) without running the verb. */
struct option {
    const char *name; /* without the dashes; NULL ends the list */
    char letter;      /* 0: no short form */
    enum option_kind kind;
    size_t at;             /* offsetof the value in the verb's struct */
    const char *argument;  /* the placeholder in --help */
    const char *help;      /* NULL: --help prints only the default */
    const char *fallback;  /* the default, as text; NULL: not printed */
    const char *proposals; /* shell completions, separated by spaces; NULL: chosen by the kind */
    int value;             /* of a flag; 0: 1 */
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

/* The library that a verb needs. film match must not load the libraries of training. */
enum library { LIBRARY_FILM, LIBRARY_POOL, LIBRARY_TRAIN, LIBRARIES };

struct verb;

/* The command line without the verb's own options. */
struct command {
    const struct verb *verb;
    const char *const *words; /* positional arguments */
    int count;
    int json, quiet;
};

/* A verb, or an action of one ("pool add"). One table of options drives the parser, --help,
 * --describe and shell completion, so they cannot disagree. Name, library and summary come from
 * verbs.h, so that the program can list a verb without loading it. */
struct verb {
    const char *name;
    enum library library;
    const char *summary;
    const char *arguments;
    const char *details; /* shown below the options */
    /* documentation page, such as "docs/how-to/search.md"; NULL: none */
    const char *page;
    int min_words, max_words;          /* number of positional arguments; maximum 0: no limit */
    const struct option *options;      /* NULL: each action has its own */
    const struct option *settings;     /* of --set; NULL: none */
    const struct verb *const *actions; /* NULL-terminated; NULL: none */
    size_t size;                       /* of the struct the options are offsets into */
    void (*prepare)(void *options);    /* sets defaults other than 0; NULL: there are none */
    int (*run)(const struct command *command, void *options); /* returns the exit code */
    /* Adds members that only this verb has to OBJECT, a json_t, for --describe. NULL: none. */
    void (*describe)(void *object);
};

/* The verbs of each library, NULL-terminated. Modules contain the latter two (modules.h). */
extern const struct verb *const film_verbs[], *const pool_verbs[], *const train_verbs[];

/* Returns the last word of a verb's name: "add" for "pool add". */
const char *verb_word(const struct verb *verb);

/* Parses the arguments after the verb's name and runs the verb. Returns the exit code. */
int run_verb(const struct verb *verb, int argc, char **argv);

/* Prints the text of film VERB --help. */
void print_verb_help(const struct verb *verb, FILE *stream);

/* Loads and returns the verb called NAME, or NULL for an unknown name. verb_number enumerates the
 * verbs of all libraries and returns NULL after the last. */
const struct verb *find_verb(const char *name);
const struct verb *verb_number(size_t number);

/* The options of every verb, for --help and --describe. The parser implements them. */
extern const struct option common_options[];

/* film --describe: prints all verbs, actions, options, settings, exit codes and routes as one JSON
 * object. */
int describe_program(void);

/* ---- Options of several verbs: TYPE is the verb's struct, PLACE a member of it ---- */

#define COLUMNS_OPTION(type, place, example)                                                 \
    {                                                                                        \
        .name = "columns", .kind = OPTION_TEXT, .at = offsetof(type, place.columns),         \
        .argument = "LIST",                                                                  \
        .help = "the columns in file order: " example " (- skips one), or text=NAME,...",    \
        .proposals = "label,a,b a,b,label score,a,b text,category anchor,positive,negative " \
                     "a,b"                                                                   \
    }
#define FIELDS_OPTIONS(type, place)                                                \
    {.name = "fields",                                                             \
     .kind = OPTION_TEXT,                                                          \
     .at = offsetof(type, place.fields),                                           \
     .argument = "LIST",                                                           \
     .help = "tables of records: the fields to compare, as in title,price:number", \
     .fallback = "all"},                                                           \
        PAIR_FIELDS_OPTION(type, place, "of the right fields")
#define PAIR_FIELDS_OPTION(type, place, which)                                               \
    {                                                                                        \
        .name = "pair-fields", .kind = OPTION_TEXT, .at = offsetof(type, place.pair_fields), \
        .argument = "LIST",                                                                  \
        .help = "tables of records: other names " which ", as in title=name,price=cost"      \
    }
#define FORMAT_OPTION(type, place, name_, words)                                             \
    {                                                                                        \
        .name = name_, .kind = OPTION_CHOICE_OR_DEFAULT, .at = offsetof(type, place.format), \
        .argument = words, .fallback = "detected"                                            \
    }
#define LABELS_OPTION(type, place)                                                          \
    {                                                                                       \
        .name = "labels", .kind = OPTION_CHOICE, .at = offsetof(type, place.labels),        \
        .argument = "auto|none|pairs|scores|triplets|categories", .help = "kind of labels", \
        .fallback = "detected from the columns"                                             \
    }
#define ENCODING_OPTION(type, place)                                                         \
    {                                                                                        \
        .name = "encoding", .kind = OPTION_TEXT, .at = offsetof(type, place.encoding),       \
        .argument = "NAME", .help = "encoding of the input: utf-8, windows-1252 or latin-1", \
        .fallback = "utf-8", .proposals = "utf-8 windows-1252 latin-1"                       \
    }
#define SKIP_BAD_OPTION(type, place)                                                   \
    {                                                                                  \
        .name = "skip-bad", .kind = OPTION_FLAG, .at = offsetof(type, place.skip_bad), \
        .help = "skip bad rows and print their count"                                  \
    }
#define THRESHOLD_OPTION(type, place)                                                              \
    {                                                                                              \
        .name = "threshold", .kind = OPTION_PROBABILITY, .at = offsetof(type, place),              \
        .argument = "P", .help = "lowest probability of \"same\"", .fallback = "that of the model" \
    }
#define THREADS_OPTION(type, place)                                                            \
    {                                                                                          \
        .name = "threads", .letter = 't', .kind = OPTION_THREADS, .at = offsetof(type, place), \
        .argument = "N", .fallback = "all cores"                                               \
    }
#define OUTPUT_OPTION(type, place, argument_)                                              \
    {                                                                                      \
        .name = "output", .letter = 'o', .kind = OPTION_FILE, .at = offsetof(type, place), \
        .argument = argument_, .help = "output file", .fallback = "standard output"        \
    }
/* Options of verbs that compute verdicts: members of a film_answer_options. */
#define ANSWER_OPTIONS(type, place)                                      \
    {.name = "decision",                                                 \
     .kind = OPTION_CHOICE,                                              \
     .at = offsetof(type, place.decision),                               \
     .argument = "auto|full|threshold",                                  \
     .help = "use the full decision (default), or only the similarity"}, \
        OTHER_ANSWER_OPTIONS(type, place)
/* Options of verbs that open a model: PLACE is a film_arithmetic. The last one counts. */
#define ENCODER_OPTIONS(type, place)                                                    \
    {.name = "round",                                                                   \
     .kind = OPTION_FLAG,                                                               \
     .at = offsetof(type, place),                                                       \
     .value = FILM_ARITHMETIC_INT8,                                                     \
     .help = "BERT: compute with 8-bit weights: faster, slightly different vectors"},   \
    {                                                                                   \
        .name = "no-round", .kind = OPTION_FLAG, .at = offsetof(type, place),           \
        .value = FILM_ARITHMETIC_FLOAT,                                                 \
        .help = "BERT: compute with floats, even if the model was trained with --round" \
    }
/* Without --decision. */
#define OTHER_ANSWER_OPTIONS(type, place)                                         \
    {.name = "no-memory",                                                         \
     .kind = OPTION_FLAG,                                                         \
     .at = offsetof(type, place.no_memory),                                       \
     .help = "ignore what the model remembers of its training questions"},        \
    {                                                                             \
        .name = "prior", .kind = OPTION_PRIOR, .at = offsetof(type, place.prior), \
        .argument = "P|auto",                                                     \
        .help = "assumed share of duplicates; auto: that of the training pairs",  \
        .fallback = "0.5", .proposals = "auto"                                    \
    }
#define TABLE_OPTIONS(type, place)                                                               \
    COLUMNS_OPTION(type, place, "label,a,b"),                                                    \
        FORMAT_OPTION(type, place, "format", "tsv|csv|jsonl|lines"), LABELS_OPTION(type, place), \
        ENCODING_OPTION(type, place), SKIP_BAD_OPTION(type, place)

/* *TEXT = what to match for an argument: a record for a JSON object where the model compares
 * records; otherwise the argument itself. Free *OWN. */
film_status record_argument(const film_model *model, const char *argument, film_text *text,
                            char **own, film_error *error);

/* Opens the model at PATH, or that of a pool there, and says so (models.c). ARITHMETIC is that of
 * its encoder. Close it with close_model. */
film_status open_model(const char *path, film_arithmetic arithmetic, film_model **model,
                       film_error *error);
void close_model(film_model *model);
/* Returns whether PATH is a pool: an SQLite file, or the URI of a database. */
int is_pool_file(const char *path);

/* Returns whether PATH is a folder. A MODEL that is a folder is a BERT encoder. */
int is_folder(const char *path);

/* ---- Sentences and labelled pairs of pools, for training ---- */

struct pool_pairs {
    film_pair *list;
    size_t count, capacity;
    film_text *sentences;
    size_t sentence_count, sentence_capacity;
    double random_share; /* of the last pool; see film_train_options */
};

/* Appends the sentences and labelled pairs of every pool to OUT. Returns FILM_BAD_INPUT for a pool
 * without sentences. */
film_status read_pool_pairs(const struct option_texts *pools, struct pool_pairs *out,
                            film_error *error);
void pool_pairs_free(struct pool_pairs *pairs);

/* ---- Messages ---- */

/* Whether -q was given: command.quiet, for functions that have no command. */
extern int is_quiet;

/* Prints "film: MESSAGE" on standard error unless STATUS is FILM_OK. Returns the exit code. */
int report(film_status status, const film_error *error);
/* The same for a verb that wrote the web page OUTPUT ("-": to standard output), and says so: as
 * {"KEY": OUTPUT}, or for a reader. */
int report_page(const struct command *command, film_status status, film_error *error,
                const char *key, const char *output);
film_status no_memory(film_error *error);
/* The status and message after Ctrl-C. */
film_status stopped(film_error *error);

/* A pipe whose reader has left (film pool list P | head) is no error worth a message: the program
 * ends by SIGPIPE, as other Unix tools do. film serve ignores that signal. */
void watch_reader(void);
int reader_is_gone(void);
void end_as_reader_left(void);

/* Warns of fields of a model that a table of records lacks (record_table.c). */
void warn_fields(const film_model *model, const film_table *table, const char *path,
                 const film_table_options *options);
/* The same for a file of single records that the library opens; not for standard input. */
void warn_file(const film_model *model, const char *path, const film_table_options *options);

/* Records that the output is incomplete because memory ran out: the program ends with an error even
 * if the verb returns EXIT_DONE. Called for every allocation of jansson that fails. */
void output_incomplete(void);
/* malloc for jansson, with a reserve of blocks for when it fails. */
void *allocate_or_reserve(size_t size);
/* Prints the message and a reference to --help. Returns EXIT_USAGE. */
int usage_error(const struct verb *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the edit distance between the first LENGTH letters of A, and B: to suggest a name. */
size_t edit_distance(const char *a, size_t length, const char *b);

/* Numbers for messages: "4,876", and "1 pair" or "4,876 pairs" for the noun "pair". The text is
 * valid until the tenth call after it. */
const char *grouped(unsigned long long number);
const char *counted(unsigned long long number, const char *noun);

/* Returns the stream for the closing figures of a verb that writes its result to OUTPUT: standard
 * error, or with --json standard output unless that is OUTPUT. NULL when nothing is to be printed:
 * the verb failed, or --quiet without --json. */
FILE *figures_stream(const struct command *command, int code, const char *output);

/* Prints ", 3 bad rows skipped", or nothing for 0. */
void print_skipped(FILE *stream, unsigned long long rows);

/* Prints JSON on a line and frees it, or reports the error. Returns the exit code. */
int answer_json(film_status status, char *json, const film_error *error);

/* Prints a reason and its weight on a line: "+0.51  opposed: india / japan". */
void print_reason(const film_reason *reason);

/* Returns whether to print colours: only on a terminal, and not with NO_COLOR. */
int use_colour(FILE *stream);

/* Prints a verdict and its explanation on standard output, as film match does (why.c). */
void print_explanation(const film_explanation *why);

/* ---- Progress and interruption ---- */

/* Shows a progress bar if standard error is a terminal and QUIET is 0. After Ctrl-C, the next
 * progress report cancels the library call. */
film_progress progress_start(int quiet);
void progress_end(void);
int interrupted(void);

/* ---- Processing the rows of a table in batches ---- */

/* STREAM_KEPT: the columns that pass through, packed (sheet.h). */
enum { STREAM_A, STREAM_B, STREAM_ID, STREAM_KEPT, STREAM_COLUMNS };
enum { STREAM_ROWS = 8192 }; /* the most rows of a batch */

struct stream_batch {
    film_text *text[STREAM_COLUMNS]; /* as in film_row: .bytes is NULL without the column */
    size_t count;
    void *result; /* STREAM_ROWS x result_size */
    size_t *start[STREAM_COLUMNS];
    char *bytes; /* storage of the texts */
    size_t used, capacity;
};

struct row_stream {
    film_table *table;
    size_t result_size; /* bytes per row */
    /* Rejects unsuitable rows. Called by the reading thread. */
    film_status (*check)(void *user, const film_row *row, film_error *error);
    /* Fills batch->result. */
    film_status (*compute)(void *user, struct stream_batch *batch, film_error *error);
    /* Writes a batch. Called in file order, by the reading thread. */
    film_status (*write)(void *user, const struct stream_batch *batch, film_error *error);
    void *user;
    const char *phase; /* the label of the progress bar */
    film_progress progress;
    const struct kept *kept; /* NULL: no columns pass through */
};

/* Opens a file. */
film_status stream_open(const char *path, const film_table_options *options, film_table **table,
                        film_error *error);

/* Processes all rows and adds their number to *ROWS. */
film_status stream_rows(const struct row_stream *stream, unsigned long long *rows,
                        film_error *error);

#endif
