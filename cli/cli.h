/* What every verb of the program shares: options, messages, progress, Ctrl-C. The program sees the
 * library through film.h alone. */
#ifndef CLI_H
#define CLI_H

#include "film_explain.h"
#include "film_train.h"

#include <stdio.h>

/* Exit codes: those of film_status up to FILM_CANCELLED; no memory counts as "could not". */
enum { EXIT_DONE = 0, EXIT_USAGE = 1, EXIT_BAD_INPUT = 2, EXIT_IO = 3, EXIT_INTERRUPTED = 4 };

/* ---- Options ---- */

enum option_kind {
    OPTION_FLAG,     /* int, set to 1 */
    OPTION_TEXT,     /* const char * */
    OPTION_TEXTS,    /* struct option_texts: may be given several times */
    OPTION_WORD,     /* const char *: one of the words in `argument`, "tsv|csv" */
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
    OPTION_HEADING   /* no option: what --help writes above those that follow */
};

enum { OPTION_MOST_TEXTS = 16 };
struct option_texts {
    const char *item[OPTION_MOST_TEXTS];
    size_t count;
};

struct option {
    const char *name; /* without the dashes; NULL ends the list */
    char letter;      /* 0: no short form */
    enum option_kind kind;
    void *target;
    const char *argument; /* what --help calls it */
    const char *help;
};

#define HEADING(text)                             \
    {                                             \
        text, 0, OPTION_HEADING, NULL, NULL, NULL \
    }
#define END_OF_OPTIONS               \
    {                                \
        NULL, 0, 0, NULL, NULL, NULL \
    }

/* A verb. Its table of options makes --help and the parser; one cannot know what the other does
 * not. */
struct verb {
    const char *name, *arguments, *summary;
    const char *details; /* shown below the options */
    int (*run)(const struct verb *verb, int argc, char **argv);
};

/* The processes this one works with; NULL: none. The first one's words and output are the job's. */
extern film_job *job;

struct common {
    int json, quiet;
};

/* Options of every table that is read, to splice into a verb's list. */
#define COLUMNS_OPTION(table)                                               \
    {                                                                       \
        "columns", 0, OPTION_TEXT, &(table).columns, "LIST",                \
            "name the columns in file order: label,a,b (- passes one over)" \
    }
#define LABELS_OPTION(table)                                                                       \
    {                                                                                              \
        "labels", 0, OPTION_CHOICE, &(table).labels, "auto|none|pairs|scores|triplets|categories", \
            "what the labels say (default: read off the columns)"                                  \
    }
#define SKIP_BAD_OPTION(table)                                                                   \
    {                                                                                            \
        "skip-bad", 0, OPTION_FLAG, &(table).skip_bad, NULL, "count bad rows and pass over them" \
    }
#define THRESHOLD_OPTION(target)                                                       \
    {                                                                                  \
        "threshold", 0, OPTION_SHARE, &(target), "P",                                  \
            "same from this probability on (default: the model's own operating point)" \
    }
/* Verbs that answer, by a film_answer_options. */
#define ANSWER_OPTIONS(answer)                                                              \
    {"decision",                                                                            \
     0,                                                                                     \
     OPTION_CHOICE,                                                                         \
     &(answer).decision,                                                                    \
     "auto|full|threshold",                                                                 \
     "all the model knows (default), or its similarity alone"},                             \
        {"no-memory",         0,    OPTION_FLAG,                                            \
         &(answer).no_memory, NULL, "as if no question had been seen in training"},         \
    {                                                                                       \
        "prior", 0, OPTION_SHARE, &(answer).prior, "P",                                     \
            "how likely two sentences are to be the same before reading them (default 0.5)" \
    }
#define TABLE_OPTIONS(table)                                                                      \
    COLUMNS_OPTION(table),                                                                        \
        {"format", 0, OPTION_PICK, &(table).format, "tsv|csv|jsonl|lines", "default: found out"}, \
        LABELS_OPTION(table), SKIP_BAD_OPTION(table)

/* Splits ARGV (behind the verb) into options and up to MOST positional arguments, of which there
 * must be LEAST. Returns their number, -1 after a message about wrong usage, -2 when --help was
 * answered. */
int parse_arguments(const struct verb *verb, const struct option *options, struct common *common,
                    int argc, char **argv, const char **positional, int least, int most);

void print_verb_help(const struct verb *verb, const struct option *options, FILE *stream);

/* A MODEL that is a folder is a BERT encoder. */
int is_folder(const char *path);

/* ---- Messages ---- */

/* "film: MESSAGE" on standard error; returns the exit code for STATUS. */
int report(film_status status, const film_error *error);
film_status no_memory(film_error *error);
int usage_error(const struct verb *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A JSON answer of the library on a line of its own, freed; or why there is none. Returns the exit code. */
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

/* ---- Verbs ---- */

extern const struct verb verb_train, verb_eval, verb_match, verb_explain, verb_predict, verb_embed,
    verb_split, verb_info, verb_report, verb_pool, verb_dedup, verb_link, verb_search, verb_serve;

#endif
