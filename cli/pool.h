/* What the actions of film pool share: their options, in one place so that film pool --help can show
 * all of them. */
#ifndef CLI_POOL_H
#define CLI_POOL_H

#include "cli.h"
#include "film_pool.h"

struct pool_values {
    const char *model, *output, *from;
    film_format format;
    film_table_options table;
    struct option_texts where;
    size_t batch, limit;
    double wait;
    int replace, progress_lines, ignore_missing, full, repair, recall, threads;
};
#define POOL_DEFAULTS \
    {                 \
        .wait = 10    \
    }

#define WAIT_OPTION(v)                                                          \
    {                                                                           \
        "wait", 0, OPTION_NUMBER, &(v).wait, "S",                               \
            "wait so many seconds for another process that writes (default 10)" \
    }
#define CREATE_OPTIONS(v)                                                                    \
    {                                                                                        \
        "model", 'm', OPTION_TEXT, &(v).model, "MODEL", "the model to keep inside; required" \
    }
#define ADD_OPTIONS(v)                                                                          \
    {"replace",    0,    OPTION_FLAG,                                                           \
     &(v).replace, NULL, "an id that is there takes the new text and fields"},                  \
        {"batch", 0, OPTION_SIZE, &(v).batch, "N", "rows per transaction (default 4096)"},      \
        {"progress-lines",    0,    OPTION_FLAG,                                                \
         &(v).progress_lines, NULL, "print \"committed N\" after each batch: N rows are safe"}, \
        {"columns",   0,                                                                        \
         OPTION_TEXT, &(v).table.columns,                                                       \
         "LIST",      "name the columns in file order: id,text,answer (- passes one over)"},    \
        {"input-format",      0, OPTION_PICK, &(v).table.format, "tsv|csv|jsonl|lines",         \
         "default: found out"},                                                                 \
        SKIP_BAD_OPTION((v).table), THREADS_OPTION(v), WAIT_OPTION(v)
#define THREADS_OPTION(v)                                                       \
    {                                                                           \
        "threads", 't', OPTION_THREADS, &(v).threads, "N", "default: all cores" \
    }
#define REMOVE_OPTIONS(v)                                               \
    {"ignore-missing",    0,    OPTION_FLAG,                            \
     &(v).ignore_missing, NULL, "ids that are not there are no error"}, \
        WAIT_OPTION(v)
#define LIST_OPTIONS(v)                                                                 \
    {"where",       0,                                                                  \
     OPTION_TEXTS,  &(v).where,                                                         \
     "FIELD=VALUE", "only these; several times: all must hold"},                        \
    {                                                                                   \
        "limit", 'n', OPTION_COUNT, &(v).limit, "N", "at most so many (default 0: all)" \
    }
#define EXPORT_OPTIONS(v)                                                                          \
    {"output", 'o', OPTION_TEXT, &(v).output, "OUT", "where to write (default: standard output)"}, \
    {                                                                                              \
        "format", 0, OPTION_PICK, &(v).format, "tsv|csv|jsonl", "default: by OUT's name, or tsv"   \
    }
#define CHECK_OPTIONS(v)                                                                   \
    {"full", 0, OPTION_FLAG, &(v).full, NULL, "hold every vector against its text"},       \
        {"repair",    0,    OPTION_FLAG,                                                   \
         &(v).repair, NULL, "compute vectors, indexes and counters again where wrong"},    \
        {"recall",    0,    OPTION_FLAG,                                                   \
         &(v).recall, NULL, "measure what the index finds of 1000 sentences' neighbours"}, \
        THREADS_OPTION(v), WAIT_OPTION(v)
#define LABEL_OPTIONS(v)                                                                     \
    {"from", 0, OPTION_TEXT, &(v).from, "FILE", "a table with columns id_a, id_b and same"}, \
        WAIT_OPTION(v)

/* Opens the pool at PATH; what was opened stays NULL after a failure. */
film_status pool_open(const char *path, const struct pool_values *values, film_pool **pool,
                      film_error *error);

/* "category=card"; 0: it is none (pool_list.c). */
int pool_parse_where(const char *text, film_pool_where *where);

/* For the eye: what would end the field or the line becomes a space. */
void pool_print_field(film_text text);

extern const struct verb pool_add_verb, pool_list_verb, pool_export_verb, pool_check_verb,
    pool_label_verb;

#endif
