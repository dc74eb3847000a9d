/* Shared by the actions of film pool and by film search. */
#ifndef CLI_POOL_H
#define CLI_POOL_H

#include "cli.h"
#include "film_pool.h"

#include <limits.h>

enum { POOL_WAIT = 10 }; /* seconds */

#define WAIT_OPTION(type, place)                                                             \
    {                                                                                        \
        .name = "wait", .kind = OPTION_NUMBER, .at = offsetof(type, place), .argument = "S", \
        .help = "seconds to wait while another process writes", .fallback = "10"             \
    }
#define START_OPTION(type, place)                                                               \
    {                                                                                           \
        .name = "start", .kind = OPTION_FILE, .at = offsetof(type, place), .argument = "MODEL", \
        .help = "begin from this model of other data; its weight fades as labels come"          \
    }
#define WHERE_OPTION(type, place)                                           \
    {                                                                       \
        .name = "where", .kind = OPTION_TEXTS, .at = offsetof(type, place), \
        .argument = "FIELD=VALUE",                                          \
        .help = "only sentences with this value; repeated: all must match"  \
    }

/* Opens the pool at PATH. Its calls wait at most WAIT seconds for other writers. *POOL stays NULL
 * after an error. */
film_status pool_open(const char *path, double wait, film_pool **pool, film_error *error);

/* Parses each of TEXTS, such as "category=card", into WHERE. Returns NULL, or the first that is
 * invalid (pool_list.c). */
const char *pool_parse_where(const struct option_texts *texts, film_pool_where *where);

/* Returns whether a pool made this id from the text of a sentence without one: t- and 20 digits. */
int pool_made_id(film_text id);

/* A pool from a table (pool_start.c). */
struct pool_start {
    const char *path, *from, *start;
    film_table_options table;
    int threads, quiet;
};
film_status pool_start(const struct pool_start *start, film_pool_added *added, film_error *error);

/* Sets the options of film train --pool, and loads libfilm-train. NULL: it is not installed. The
 * options point to LANGUAGE. */
struct train_calls;
const struct train_calls *prepare_training(film_train_options *options, int threads, int quiet,
                                           char language[PATH_MAX], film_error *error);

extern const struct verb pool_create, pool_add, pool_remove, pool_list, pool_export, pool_check,
    pool_label, pool_update, pool_threshold, pool_clusters, pool_words, pool_learn, pool_models,
    pool_restore;

#endif
